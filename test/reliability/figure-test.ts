import { expect, test } from 'vitest';
import { type Figure, measured } from './figure.ts';

/** A figure in its short form, as `npm run reliability -- --short` runs all of them. */
export function testFigure(figure: Figure): void {
  test(`${figure.id}: ${figure.title}`, async () => {
    const { failures, reached, result } = await measured(figure, 'short', 1);
    expect(failures).toEqual([]);
    expect(reached, `${result}; target: ${figure.target}`).toBe(true);
  });
}
