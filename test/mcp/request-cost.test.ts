import { expect, test } from 'vitest';
import { type Cost, costFigures, withCost } from '../../src/mcp/request-cost.ts';
import { tools } from '../../tools/index.ts';
import { instructionsFor } from '../../tools/instructions.ts';

const described = (cost: Cost, effect: 'read' | 'update' = 'update') =>
  withCost({ description: 'Moves it.', effect, cost });

test.for<[cost: Cost, words: string, figures: string]>([
  [[{ requests: 1 }], '1 request.', '1'],
  [[{ requests: 12 }], '12 requests.', '12'],
  [[{ requests: 1, per: 'page' }], '1 request per page.', '1 per page'],
  [[{ requests: [1, 2], per: 'student' }], '1 to 2 requests per student.', '1 to 2 per student'],
  [[{ requests: [4, 7], when: 'usually' }], '4 to 7 requests usually.', '4 to 7 usually'],
  [[{ requests: 1 }, { requests: 1, when: 'with group_id' }], '1+ requests.', '1 + 1 with group_id'],
  [
    [
      { requests: 3 },
      { requests: 1, per: 'product' },
      { requests: [0, 2], when: 'for the ends' },
      { requests: 2, when: 'in doubt' },
    ],
    '3+ requests.',
    '3 + 1 per product + up to 2 for the ends + 2 in doubt',
  ],
])('the cost %j in words and in figures', ([cost, words, figures]) => {
  expect(described(cost)).toBe(`Moves it. ${words}`);
  expect(costFigures(cost)).toBe(figures);
});

test('the description of a tool that reads with one request leaves the cost to the instructions', () => {
  expect(described([{ requests: 1 }], 'read')).toBe('Moves it.');
  expect(described([{ requests: 2 }], 'read')).toBe('Moves it. 2 requests.');
  expect(described([{ requests: 1, per: 'page' }], 'read')).toBe('Moves it. 1 request per page.');
  expect(instructionsFor(tools, { sandbox: false, readOnly: false })).toContain('a read costs one unless stated');
});
