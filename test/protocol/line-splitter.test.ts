import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createLineSplitter } from '../../src/protocol/stdio-transport.ts';

const line = fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\n', ''));

/** Splits bytes into chunks of these lengths, repeated. */
function piecesOf(bytes: Buffer, lengths: readonly number[]): Buffer[] {
  const pieces: Buffer[] = [];
  for (let from = 0, index = 0; from < bytes.length; index += 1) {
    const length = lengths[index % lengths.length] ?? 1;
    pieces.push(bytes.subarray(from, from + length));
    from += length;
  }
  return pieces;
}

test('lines are complete and in order, however their bytes arrive', () => {
  const lengths = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 });
  fc.assert(
    fc.property(fc.array(line), line, lengths, (lines, rest, cuts) => {
      const seen: string[] = [];
      const cut = createLineSplitter((text) => seen.push(text));
      const bytes = Buffer.from([...lines, rest].join('\n'));
      const unfinished = piecesOf(bytes, cuts).reduce((_before, piece) => cut(piece), 0);
      expect(seen).toEqual(lines);
      expect(unfinished).toBe(Buffer.byteLength(rest));
    }),
    { seed: 1 },
  );
});
