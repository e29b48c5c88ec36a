import { expect, test } from 'vitest';
import { type Cost, costFigures, withCost } from '../../src/mcp/request-cost.ts';
import { tools } from '../../tools/index.ts';
import { instructionsFor } from '../../tools/instructions.ts';

const described = (cost: Cost, effect: 'read' | 'update' = 'update') =>
  withCost({ description: 'Moves it.', effect, cost });

test.for<[cost: Cost, words: string, figures: string]>([
  [{ once: 1 }, '1 request.', '1'],
  [{ once: 12 }, '12 requests.', '12'],
  [{ 'per page': 1 }, '1 request per page.', '1 per page'],
  [{ 'per student': [1, 2] }, '1 to 2 requests per student.', '1 to 2 per student'],
  [{ usually: [4, 7] }, '4 to 7 requests usually.', '4 to 7 usually'],
  [{ once: 1, 'with group_id': 1 }, '1+ requests.', '1 + 1 with group_id'],
  [
    { once: 3, 'per product': 1, 'for the ends': [0, 2], 'in doubt': 2 },
    '3+ requests.',
    '3 + 1 per product + up to 2 for the ends + 2 in doubt',
  ],
])('the cost %j in words and in figures', ([cost, words, figures]) => {
  expect(described(cost)).toBe(`Moves it. ${words}`);
  expect(costFigures(cost)).toBe(figures);
});

test('the description of a tool that reads with one request leaves the cost to the instructions', () => {
  expect(described({ once: 1 }, 'read')).toBe('Moves it.');
  expect(described({ once: 2 }, 'read')).toBe('Moves it. 2 requests.');
  expect(described({ 'per page': 1 }, 'read')).toBe('Moves it. 1 request per page.');
  expect(instructionsFor(tools, { sandbox: false, readOnly: false })).toContain('a read costs one unless stated');
});
