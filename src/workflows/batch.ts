import { setTimeout } from 'node:timers/promises';
import type { Api } from '../api/api.ts';
import { maxConcurrentRequests } from '../api/pages.ts';
import { interruptionOf, recordFailureOf } from '../api/partial-failure.ts';
import { nothingSentError } from '../api/writes/write.ts';
import type { ToolContext } from '../mcp/tool.ts';
import { AcademyError, RateLimitedError } from '../shared/errors.ts';

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

/**
 * Runs a step for each item, a few at a time, in order. Ends early without an error if no requests are left, or if the API is
 * unavailable: `stopped` then gives the reason. `done` counts the items that were kept or refused.
 */
export async function inBatches<Item, Result>(
  items: readonly Item[],
  { run, keep, refused }: BatchStep<Item, Result>,
  { left, progress }: BatchTerms,
): Promise<{ done: number; stopped?: string }> {
  let done = 0;
  while (done < items.length) {
    const batch = items.slice(done, done + Math.max(0, Math.min(maxConcurrentRequests, left())));
    if (batch.length === 0) return { done };
    const results = await Promise.allSettled(batch.map(run));
    const isAlone = results.some(({ status }) => status === 'fulfilled');
    /** The first failure that concerns all items. */
    let failure: PromiseRejectedResult | undefined;
    // The others are kept even if one failed, so that no result is read twice.
    for (const [index, item] of batch.entries()) {
      const result = results[index];
      const why = refused && result?.status === 'rejected' ? recordFailureOf(result.reason, isAlone) : undefined;
      if (result?.status === 'fulfilled') keep(item, result.value);
      else if (why === undefined) failure ??= result;
      else refused?.(item, why);
      if (result?.status === 'fulfilled' || why !== undefined) done += 1;
    }
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

/** Reads before a write: an error says that nothing was sent. */
export async function readFirst<T>(reading: Promise<T>): Promise<T> {
  return await reading.catch((error: unknown) => {
    throw error instanceof AcademyError ? nothingSentError(error) : error;
  });
}
