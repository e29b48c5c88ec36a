import { expect, test } from 'vitest';
import type { Figure } from '../figure.ts';

const seed = 1;
/** Of the slowest, on a machine that is busy with other things: alone it takes a quarter of a minute. */
const longest = 300_000;

/** A figure in its short form; `npm run reliability` runs them whole and writes docs/reliability.md. */
export function testFigure({ id, title, target, run }: Figure): void {
  test(`${id}: ${title}`, { timeout: longest }, async () => {
    const { failures, reached, result } = await run('short', seed);
    expect(failures).toEqual([]);
    expect(reached, `${result}; target: ${target}`).toBe(true);
  });
}
