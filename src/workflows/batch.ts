import { setTimeout } from 'node:timers/promises';
import type { Api } from '../api/api.ts';
import { maxConcurrentRequests } from '../api/pages.ts';
import { interruptionOf, recordFailureOf } from '../api/partial-failure.ts';
import type { ToolContext } from '../mcp/tool.ts';
import { RateLimitedError } from '../shared/errors.ts';

export interface BatchTerms {
  /** Requests that may still be sent; each item costs one. */
  readonly left: () => number;
  readonly progress: (done: number, total: number) => void;
}

interface BatchStep<Item, Result> {
  readonly run: (item: Item) => Promise<Result>;
  readonly keep: (item: Item, result: Result) => void;
  /** Receives each item that the API refuses, with the reason; the others continue. If absent, the refusal is thrown. */
  readonly refused?: (item: Item, why: string) => void;
}

interface BatchResult<Item, Result> {
  readonly read: { item: Item; result: Result }[];
  readonly refused: { item: Item; why: string }[];
  /** The first failure that concerns all items. */
  readonly failure: PromiseRejectedResult | undefined;
}

async function runBatch<Item, Result>(
  items: readonly Item[],
  { run, refused }: BatchStep<Item, Result>,
): Promise<BatchResult<Item, Result>> {
  const results = await Promise.allSettled(items.map(run));
  const isAlone = results.some(({ status }) => status === 'fulfilled');
  const batch: BatchResult<Item, Result> = { read: [], refused: [], failure: undefined };
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
 * Runs a step for each item, a few at a time, in order. Ends early without an error if no requests are left, or if the API is
 * unavailable: `stopped` then gives the reason. `done` counts the items that remainingPages `keep` or `refused`.
 */
export async function inBatches<Item, Result>(
  items: readonly Item[],
  step: BatchStep<Item, Result>,
  { left, progress }: BatchTerms,
): Promise<{ done: number; stopped?: string }> {
  let done = 0;
  while (done < items.length) {
    const batch = items.slice(done, done + Math.max(0, Math.min(maxConcurrentRequests, left())));
    if (batch.length === 0) return { done };
    const { read, refused, failure } = await runBatch(batch, step);
    // Even if another item failed, so that no result is read twice.
    for (const { item, result } of read) step.keep(item, result);
    for (const { item, why } of refused) step.refused?.(item, why);
    done += read.length + refused.length;
    if (failure !== undefined) return { done, stopped: interruptionOf(failure.reason) };
    progress(done, items.length);
  }
  return { done };
}

/** After this many refusals others use up the account's limit, and waiting would never end. */
const maxTries = 10;

/**
 * Retries after the wait that `rate_limited` names, when nothing was sent. Reports each wait as progress of a job of `total`
 * steps, and counts it. Rejects with the reason of an aborted signal.
 */
export async function retryWhenLimited<T>(
  run: () => Promise<T>,
  { progress, signal, waiting }: Pick<ToolContext, 'progress' | 'signal' | 'waiting'>,
  total: number,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof RateLimitedError) || tries >= maxTries) throw error;
      const seconds = error.retryAfterSeconds;
      progress(0, total, `waiting ${seconds} s for the request limit`);
      await setTimeout(seconds * 1000, undefined, { signal }).finally(waiting());
    }
  }
}

/** A context whose requests wait for the rate limit, behind those of short calls: a person asked for a long job. */
export function patient(context: ToolContext, total = 1): ToolContext {
  const api: Api = {
    call: (operation, input, options) =>
      retryWhenLimited(() => context.api.call(operation, input, { priority: 'bulk', ...options }), context, total),
  };
  return { ...context, api };
}
