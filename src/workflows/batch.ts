import { maxConcurrentRequests } from '../api/concurrency.ts';
import { interruptionOf, recordFailureOf } from '../api/partial-failure.ts';

export interface BatchTerms {
  /** Requests that may still be sent; each item costs one. */
  readonly left: () => number;
  readonly progress: (done: number, total: number) => void;
}

export interface EachStep<Item, Result> {
  readonly run: (item: Item) => Promise<Result>;
  /** Hears each result. */
  readonly keep: (item: Item, result: Result) => void;
  /** Hears of an item that the API refuses, and why: the others go on. Left out: the refusal is thrown. */
  readonly refused?: (item: Item, why: string) => void;
}

interface Batch<Item, Result> {
  readonly read: { item: Item; result: Result }[];
  readonly refused: { item: Item; why: string }[];
  /** Of the first item that says something of all others, too. */
  readonly failure: PromiseRejectedResult | undefined;
}

async function batchOf<Item, Result>(
  items: readonly Item[],
  { run, refused }: EachStep<Item, Result>,
): Promise<Batch<Item, Result>> {
  const results = await Promise.allSettled(items.map(run));
  const isAlone = results.some(({ status }) => status === 'fulfilled');
  const batch: Batch<Item, Result> = { read: [], refused: [], failure: undefined };
  let failure: PromiseRejectedResult | undefined;
  for (const [index, item] of items.entries()) {
    const result = results[index];
    if (result?.status === 'fulfilled') batch.read.push({ item, result: result.value });
    if (result?.status !== 'rejected') continue;
    const why = refused === undefined ? undefined : recordFailureOf(result.reason, isAlone);
    if (why === undefined) failure ??= result;
    else batch.refused.push({ item, why });
  }
  return { ...batch, failure };
}

/**
 * Does one thing for each item, a few at a time, in order. Ends early, without an error, where no requests are left or the
 * API cannot be asked for now; `stopped` then says why. `done` is the number of items of which the step has heard.
 */
export async function inBatches<Item, Result>(
  items: readonly Item[],
  step: EachStep<Item, Result>,
  { left, progress }: BatchTerms,
): Promise<{ done: number; stopped?: string }> {
  let done = 0;
  while (done < items.length) {
    const asked = items.slice(done, done + Math.max(0, Math.min(maxConcurrentRequests, left())));
    if (asked.length === 0) return { done };
    const { read, refused, failure } = await batchOf(asked, step);
    // Also beside one that failed: what was read is not asked for again.
    for (const { item, result } of read) step.keep(item, result);
    for (const { item, why } of refused) step.refused?.(item, why);
    done += read.length + refused.length;
    if (failure !== undefined) return { done, stopped: interruptionOf(failure.reason) };
    progress(done, items.length);
  }
  return { done };
}
