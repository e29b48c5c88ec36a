/** `short` runs with every `npm test`; docs/internals/reliability.md shows the results of `whole`. */
export type Size = 'short' | 'whole';

export interface FigureResult {
  /** The trials and their number: "2,000 calls over stdio". */
  readonly tried: string;
  /** The result, shown beside the target. */
  readonly result: string;
  readonly reached: boolean;
  /** Explained misses, distributions, and what could not be tried. */
  readonly details?: readonly string[];
  /** The first 20 failures, each with the seed and the case that reproduce it. */
  readonly failures: readonly string[];
  /** Events that never happened, with the number of tries, for the rule of three. */
  readonly zeros?: readonly Zero[];
}

/** For example "duplicated writes", 0 in `of` tries. */
export interface Zero {
  readonly what: string;
  readonly of: number;
}

/** One measure of the program's reliability. All randomness comes from the seed. */
export interface Figure {
  readonly id: string;
  readonly title: string;
  readonly target: string;
  /**
   * The longest stall of the machine, in milliseconds, that the scaled times of the short form allow for. Without it, stalls
   * do not matter.
   */
  readonly maxStallMs?: number;
  run(size: Size, seed: number): Promise<FigureResult>;
}

const maxFailures = 20;

/** The first failures, and how many more there were. */
export function firstFailures(failures: readonly string[]): string[] {
  const more = failures.length - maxFailures;
  return more > 0 ? [...failures.slice(0, maxFailures), `and ${more} more`] : [...failures];
}

/** The rule of three: after 0 of n, the rate is below 3/n at 95% confidence. */
export function ruleOfThree(tries: number): string {
  return `below ${Number(((3 / tries) * 100).toPrecision(2))}%`;
}
