import fc from 'fast-check';
import { expect, test } from 'vitest';
import { wrap } from '../../../src/cli/demo/connection.ts';

test('no line is longer than the limit, and no word is lost', () => {
  const words = fc.array(fc.string({ minLength: 1, maxLength: 40, unit: fc.constantFrom('a', 'b', 'é') }));
  fc.assert(
    fc.property(words, fc.integer({ min: 10, max: 50 }), (given, width) => {
      const lines = wrap(given.join(' '), width);
      for (const line of lines) expect(line.length).toBeLessThanOrEqual(width);
      expect(lines.join('').replaceAll(' ', '')).toBe(given.join(''));
    }),
  );
});

test('a line breaks at the last space that fits, and keeps its indentation', () => {
  expect(wrap('  one two three', 9)).toEqual(['  one two', 'three']);
  expect(wrap('', 9)).toEqual(['']);
});
