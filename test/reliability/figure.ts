/** `short` runs with every `npm test`; `whole` is what docs/reliability.md tells of. */
export type Size = 'short' | 'whole';

export interface FigureResult {
  /** What was tried, and how often: "2,000 calls over stdio". */
  readonly tried: string;
  /** What came out, beside the target. */
  readonly result: string;
  readonly reached: boolean;
  /** Misses that have an explanation, distributions, what could not be tried. */
  readonly details?: readonly string[];
  /** The first 20, each with what is needed to see it again: seed, case. */
  readonly failures: readonly string[];
  /** What was never seen, and in how many tries, for the rule of three. */
  readonly zeros?: readonly Zero[];
}

/** "duplicated writes", never once in `of` tries. */
export interface Zero {
  readonly what: string;
  readonly of: number;
}

/** One number by which the program is judged. Randomness comes from the seed alone. */
export interface Figure {
  readonly id: string;
  readonly title: string;
  readonly target: string;
  run(size: Size, seed: number): Promise<FigureResult>;
}

const maxFailures = 20;

/** The first failures, and how many more there were. */
export function firstFailures(failures: readonly string[]): string[] {
  const more = failures.length - maxFailures;
  return more > 0 ? [...failures.slice(0, maxFailures), `and ${more} more`] : [...failures];
}

/** What 0 of n says: at 95% confidence the rate is below 3/n. */
export function ruleOfThree(tries: number): string {
  return `below ${Number(((3 / tries) * 100).toPrecision(2))}%`;
}
