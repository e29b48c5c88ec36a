import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Api } from '../../api/api.ts';
import type { ApiClient } from '../../api/client.ts';
import { recordFailureOf } from '../../api/partial-failure.ts';
import type { Refreshable, RefreshQuestion, RefreshTerms } from '../../mcp/data-mirror.ts';
import { deadline } from '../../shared/deadline.ts';
import { AcademyError, RateLimitedError } from '../../shared/errors.ts';
import type { Turns } from '../../shared/turns.ts';
import type { Statement } from '../engine/messages.ts';
import type { Calendar } from '../rows/rows.ts';
import type { Store } from '../store.ts';

/** How often it looks whether a request may be sent. Milliseconds. */
const pollMs = 250;

/** The number of calls that are under way. */
export interface Activity {
  running: number;
}

interface PaceOptions {
  readonly api: Pick<ApiClient, 'call' | 'budget'>;
  /** The part of the account's budget that the filling can use, above 0 up to 1. */
  readonly share: number;
  /** Calls of people. The filling sends nothing meanwhile. */
  readonly activity: Activity;
  /** Refreshes that run. They may wait for the current step, so it ignores its share. */
  readonly waiting: Activity;
  readonly signal: AbortSignal;
}

/** The API for the filling. Sends only while all requests of the last minute are within its share: the rest is for people. */
export function createPacedApi({ api, share, activity, waiting, signal }: PaceOptions): Api {
  let last: Promise<void> = Promise.resolve();

  function isFree(): boolean {
    if (activity.running > 0) return false;
    const { limit, remaining, queued } = api.budget();
    if (limit === undefined || remaining === undefined) return true;
    // At least one: a tiny share of a tiny budget must not stop the filling for ever.
    const used = limit - remaining + 1;
    return queued === 0 && remaining > 0 && used <= Math.max(1, Math.floor(limit * share));
  }

  async function turn(): Promise<void> {
    while (waiting.running === 0 && !isFree()) await setTimeout(pollMs, undefined, { signal, ref: false });
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

export interface FillContext {
  readonly api: Api;
  readonly store: Store;
  readonly now: () => Date;
  readonly calendar: Calendar;
  readonly log: Logger;
  /** Somebody waits: readings again for their age alone come later. */
  readonly isAsked?: boolean;
}

export interface Filling {
  /** A call and the background take turns: each step sees what the one before it has stored. */
  readonly turn: Turns;
  /** Reads and stores a part. False if there is nothing to read now. Throws an `AcademyError` if the API cannot be reached. */
  step(context: FillContext): Promise<boolean>;
  /** Makes it due: something has changed. */
  invalidate(): void;
  /** Makes all of it due, before the steps of a refresh. `since`: orders since this moment are to be read again. */
  prepare(context: FillContext, since: number | undefined): Promise<void>;
}

/** Keeps a value between two starts. */
export function writeState(key: string, value: string | number | undefined): Statement {
  if (value === undefined) return { sql: 'DELETE FROM fill_state WHERE key = ?', values: [key] };
  return { sql: 'INSERT OR REPLACE INTO fill_state (key, value) VALUES (?, ?)', values: [key, String(value)] };
}

/** Why a record could not be read, without words that the API may quote from somebody. Undefined for an error that ends the step. */
export function failureToStore(error: unknown, what: string): string | undefined {
  const isOfRecord = error instanceof AcademyError && recordFailureOf(error, true) !== undefined;
  return isOfRecord ? `${what} could not be read (${error.code})` : undefined;
}

interface FillParts {
  readonly context: FillContext;
  readonly fillings: Readonly<Record<Refreshable, Filling>>;
  /** Refreshes that run: the background hurries its current step, and begins no other. */
  readonly waiting: Activity;
  /** The longest time of a refresh, in milliseconds. */
  readonly refreshMs: number;
}

/** Pauses: without anything to do, after an error of the API, and at the start, when the first question comes first. Milliseconds. */
const idleMs = 2_000;
const errorMs = 30_000;
const startMs = 300;
/** The file is written while the filling goes on: after at least this, and this many times as long as writing it took. */
const leastSaveMs = 1_000;
const saveFactor = 40;

/** Fills in the background, except during a refresh. Orders go at every other step, so that the newest never wait for the rest. */
export async function runFiller({ context, fillings, waiting }: FillParts, signal: AbortSignal): Promise<void> {
  const { store, log } = context;
  const { orders, ...others } = fillings;
  const turns = Object.values(others).flatMap((other) => [orders, other]);
  let index = 0;
  let nextSave = performance.now() + leastSaveMs;

  async function save(): Promise<void> {
    const start = performance.now();
    if (start < nextSave) return;
    await store.save();
    const end = performance.now();
    nextSave = end + Math.max(leastSaveMs, saveFactor * (end - start));
  }

  /** Whether something was due. */
  async function step(): Promise<boolean> {
    for (const _ of turns) {
      const next = turns[index % turns.length];
      index += 1;
      if (await next?.turn(() => next.step(context))) return true;
    }
    return false;
  }

  function pauseAfter(error: unknown): number {
    if (error instanceof RateLimitedError) return error.retryAfterSeconds * 1_000;
    // Only the name or the code: a message may quote data.
    const reason = error instanceof AcademyError ? error.code : error instanceof Error ? error.name : 'unknown';
    if (!signal.aborted) log.warn({ reason }, 'filling the mirror failed; it is tried again');
    return errorMs;
  }

  for (let pauseMs = startMs; ; ) {
    await setTimeout(pauseMs, undefined, { signal, ref: false }).catch(() => {});
    if (signal.aborted) return;
    try {
      const isBusy = waiting.running === 0 && (await step());
      await save();
      pauseMs = isBusy ? 0 : idleMs;
    } catch (error) {
      pauseMs = pauseAfter(error);
    }
  }
}

/** Clients end a call after a minute. Milliseconds. */
const longestMs = 45_000;

/** Reads a list until nothing of it is due, with the requests of one call, or its deadline. Returns why it stopped early. */
export async function refresh(
  { what, since }: RefreshQuestion,
  { api, signal, progress }: RefreshTerms,
  { context, fillings, waiting, refreshMs }: FillParts,
): Promise<string | undefined> {
  const limit = deadline(Math.min(refreshMs, longestMs), signal);
  const call: Api['call'] = (operation, input, options = {}) =>
    api.call(operation, input, { ...options, signal: limit.signal, priority: 'bulk' });
  const own: FillContext = { ...context, isAsked: true, api: { call } };
  const filling = fillings[what];
  waiting.running += 1;
  try {
    await filling.turn(() => filling.prepare(own, since));
    for (let done = 1; await filling.turn(() => filling.step(own)); done += 1) {
      limit.signal.throwIfAborted();
      progress(done, undefined, `read ${done} parts of the ${what}`);
    }
    return undefined;
  } catch (error) {
    signal.throwIfAborted();
    if (limit.timedOut()) return 'the time of this call was over; call again to go on';
    if (error instanceof AcademyError) return `${error.code}: ${error.message}`;
    throw error;
  } finally {
    limit.end();
    waiting.running -= 1;
  }
}
