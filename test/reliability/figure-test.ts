import { monitorEventLoopDelay } from 'node:perf_hooks';
import { expect, test } from 'vitest';
import { type Figure, type Judged, measured } from './figure.ts';

const seed = 1;
/** Enough for the slowest figure on a busy machine; on a quiet one it takes 15 s. */
const longest = 300_000;
const attempts = 4;

async function withStall<Result>(work: () => Promise<Result>): Promise<{ result: Result; stallMs: number }> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  try {
    const result = await work();
    return { result, stallMs: delay.max / 1e6 };
  } finally {
    delay.disable();
  }
}

/**
 * A figure with scaled times says nothing about the program if the machine stalled for longer than those times allow:
 * a miss in such a run is retried. Every other miss counts at once.
 */
async function judgedRun(figure: Figure): Promise<Judged> {
  const { maxStallMs = Number.POSITIVE_INFINITY } = figure;
  for (let attempt = 1; ; attempt += 1) {
    const { result, stallMs } = await withStall(() => measured(figure, 'short', seed));
    if (result.reached || stallMs <= maxStallMs || attempt === attempts) return result;
  }
}

/** A figure in its short form; `npm run reliability` runs all figures whole and writes docs/internals/reliability.md. */
export function testFigure(figure: Figure): void {
  test(`${figure.id}: ${figure.title}`, { timeout: longest }, async () => {
    const { failures, reached, result } = await judgedRun(figure);
    expect(failures).toEqual([]);
    expect(reached, `${result}; target: ${figure.target}`).toBe(true);
  });
}
