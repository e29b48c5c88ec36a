import { AcademyError } from '../shared/errors.ts';

/** As many as a small account's limiter lets pass. */
const atOnce = 4;

/** Errors after which what has been read is still worth an answer. */
const passing: ReadonlySet<string> = new Set(['rate_limited', 'timeout', 'api_unavailable']);

/** What ended a long job before its end, in words; rethrows what no answer could be given after. */
export function stoppedBy(reason: unknown): string {
  if (reason instanceof AcademyError && passing.has(reason.code)) return `${reason.code}: ${reason.message}`;
  throw reason;
}

export interface BatchTerms {
  /** Requests that may still be sent; each item costs one. */
  readonly left: () => number;
  readonly progress: (done: number, total: number) => void;
}

/**
 * Does one thing for each item, a few at a time, in order. Ends early, without an error, where no requests are left or the
 * API cannot be asked for now; `stopped` then says why. `keep` hears each result, `done` is their number.
 */
export async function inBatches<Item, Result>(
  items: readonly Item[],
  run: (item: Item) => Promise<Result>,
  keep: (item: Item, result: Result) => void,
  { left, progress }: BatchTerms,
): Promise<{ done: number; stopped?: string }> {
  let done = 0;
  while (done < items.length) {
    const batch = items.slice(done, done + Math.max(0, Math.min(atOnce, left())));
    if (batch.length === 0) return { done };
    const results = await Promise.allSettled(batch.map(async (item) => ({ item, result: await run(item) })));
    const read = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    // Also beside one that failed: what was read is not asked for again.
    for (const { item, result } of read) keep(item, result);
    done += read.length;
    const failure = results.find((result) => result.status === 'rejected');
    if (failure !== undefined) return { done, stopped: stoppedBy(failure.reason) };
    progress(done, items.length);
  }
  return { done };
}
