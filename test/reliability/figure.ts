import { inScope } from '../support/at-end.ts';

/** `short` tries a sample, to see after a change that a figure works; docs/internals/reliability.md shows the results of `whole`. */
export type Size = 'short' | 'whole';

export interface FigureResult {
  readonly tried: string;
  readonly result: string;
  /** What else the target asks for, besides no failures. */
  readonly reached?: boolean;
  /** Explained misses, distributions, and what could not be tried. */
  readonly details?: readonly string[];
  /** Each with the case that reproduces it. */
  readonly failures: readonly string[];
  /** Events that never happened if nothing failed, with the number of tries, for the rule of three. */
  readonly zeros?: readonly { readonly what: string; readonly of: number }[];
}

/** One measure of the program's reliability. All randomness comes from the seed. */
export interface Figure {
  readonly id: string;
  readonly title: string;
  readonly target: string;
  run(size: Size, seed: number): Promise<FigureResult>;
}

const maxFailures = 20;

/** Runs a figure, and judges it: the first failures, each with the seed, and what may be claimed. */
export async function measured({ run }: Figure, size: Size, seed: number) {
  const { reached = true, failures, zeros = [], ...said } = await inScope(() => run(size, seed));
  const isClean = failures.length === 0;
  const shown = failures.slice(0, maxFailures).map((failure) => `seed ${seed}, ${failure}`);
  const more = failures.length - shown.length;
  return {
    ...said,
    reached: isClean && reached,
    failures: more > 0 ? [...shown, `and ${more} more`] : shown,
    zeros: isClean ? zeros : [],
  };
}

export type Judged = Awaited<ReturnType<typeof measured>>;

/** The rule of three: after 0 of n, the rate is below 3/n at 95% confidence. */
export function ruleOfThree(tries: number): string {
  return `below ${Number(((3 / tries) * 100).toPrecision(2))}%`;
}

/** Cases that share a world; a new one now and then, since orders only grow. Returns the failures, with the name of their case. */
export async function inWorlds<World>(
  { count, each, name }: { count: number; each: number; name: (index: number) => string },
  open: (first: number) => Promise<World>,
  run: (world: World, index: number) => Promise<readonly string[]>,
): Promise<string[]> {
  const failures: string[] = [];
  for (let first = 0; first < count; first += each) {
    await inScope(async () => {
      const world = await open(first);
      for (let index = first; index < Math.min(first + each, count); index += 1) {
        failures.push(...(await run(world, index)).map((failure) => `${name(index)}: ${failure}`));
      }
    });
  }
  return failures;
}
