import { setTimeout } from 'node:timers/promises';
import type { Api, ApiClient } from '../../api/api.ts';

/** How often it looks whether a request may be sent. Milliseconds. */
const pollMs = 250;

/** Calls of people that are under way. The filling sends nothing meanwhile. */
export interface Activity {
  begin(): () => void;
  isIdle(): boolean;
}

export function createActivity(): Activity {
  let running = 0;
  return {
    begin: () => {
      running += 1;
      return () => {
        running -= 1;
      };
    },
    isIdle: () => running === 0,
  };
}

export interface PaceOptions {
  readonly api: Pick<ApiClient, 'call' | 'budget'>;
  /** The part of the account's budget that the filling can use, above 0 up to 1. */
  readonly share: number;
  readonly activity: Activity;
  /** Refreshes that run. They may wait for the current step, so it ignores its share. */
  readonly waiting: Activity;
  /** Aborted when the program ends. */
  readonly signal: AbortSignal;
}

/**
 * The API for the filling. It sends a request only while all requests of the last minute, with those of people, take no more than
 * its share of the budget. So the rest is always free for people, and the filling pauses while they use it.
 */
export function createPacedApi({ api, share, activity, waiting, signal }: PaceOptions): Api {
  let last: Promise<void> = Promise.resolve();

  function isFree(): boolean {
    if (!activity.isIdle()) return false;
    const { limit, remaining, queued } = api.budget();
    if (limit === undefined || remaining === undefined) return true;
    // At least one: a tiny share of a tiny budget must not stop the filling for ever.
    const used = limit - remaining + 1;
    return queued === 0 && remaining > 0 && used <= Math.max(1, Math.floor(limit * share));
  }

  async function turn(): Promise<void> {
    while (waiting.isIdle() && !isFree()) await setTimeout(pollMs, undefined, { signal, ref: false });
  }

  return {
    call: async (operation, input, options = {}) => {
      // One after the other: each has to see what the one before it took.
      const mine = last.then(turn);
      last = mine.catch(() => {}).then(() => setTimeout(0));
      await mine;
      return await api.call(operation, input, { ...options, signal, priority: 'background' });
    },
  };
}
