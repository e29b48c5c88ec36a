import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Api } from '../../api/api.ts';
import type { Refreshable, RefreshQuestion, RefreshResult, RefreshTerms } from '../../mcp/data-mirror.ts';
import { AcademyError, RateLimitedError } from '../../shared/errors.ts';
import type { Calendar } from '../rows/rows.ts';
import type { Store } from '../store.ts';
import type { Activity } from './pace.ts';

/** What a part of the filling works with. */
export interface FillContext {
  readonly api: Api;
  readonly store: Store;
  /** The server's clock. */
  readonly now: () => Date;
  readonly calendar: Calendar;
  readonly log: Logger;
  /** Somebody waits: readings again for their age alone come later. */
  readonly isAsked?: boolean;
  /** Called when a step begins, after it has waited for the one before. */
  readonly onTurn?: () => void;
}

/** Fills one list, a few requests at a time. */
export interface Filling {
  /** Whether there is something to read now. */
  isDue(context: FillContext): Promise<boolean>;
  /** Reads and stores a part. Throws an `AcademyError` if the API cannot be reached. */
  step(context: FillContext): Promise<void>;
  /** Makes it due: something has changed. `isAsked`: somebody wants all of it compared now. */
  invalidate(isAsked?: boolean): void;
  /** Comes before the steps of a refresh. `since`: orders since this moment are to be read again. */
  prepare?(context: FillContext, since: number | undefined): Promise<void>;
}

/** Lets a call and the background take turns with a filling: each step sees what the one before it has stored. */
export function inTurns(filling: Filling): Required<Filling> {
  let last: Promise<unknown> = Promise.resolve();
  function turn({ onTurn }: FillContext, work: () => Promise<void>): Promise<void> {
    const mine = last.then(async () => {
      onTurn?.();
      await work();
    });
    last = mine.catch(() => {});
    return mine;
  }
  return {
    ...filling,
    step: (context) =>
      turn(context, async () => {
        // The step before may have done what this one was for.
        if (await filling.isDue(context)) await filling.step(context);
      }),
    prepare: (context, since) => turn(context, async () => await filling.prepare?.(context, since)),
  };
}

/** When a list is to be read again: after an interval, and at once if it has changed since its reading began. */
export function createSchedule() {
  let dueAt = Number.NEGATIVE_INFINITY;
  let changes = 0;
  return {
    isDue: ({ now }: Pick<FillContext, 'now'>) => now().getTime() >= dueAt,
    /** Begins a reading. Call the result at its end, with the time until the next one in milliseconds. */
    begin: () => {
      const known = changes;
      return ({ now }: Pick<FillContext, 'now'>, intervalMs: number) => {
        dueAt = changes === known ? now().getTime() + intervalMs : Number.NEGATIVE_INFINITY;
      };
    },
    invalidate: () => {
      changes += 1;
      dueAt = Number.NEGATIVE_INFINITY;
    },
  };
}

/** Pauses: without anything to do, and after an error of the API. Milliseconds. */
const idleMs = 2_000;
const errorMs = 30_000;
/** Before filling goes on with a file that was opened: the first question comes first. Milliseconds. */
const openedMs = 300;
/** About how much of a file is written in a millisecond. Bytes. */
const writtenPerMs = 500_000;
/** The file is written while the filling goes on: after at least this, and this many times as long as writing it took. */
const leastSaveMs = 1_000;
const saveFactor = 40;

/**
 * Fills the mirror in the background until the signal aborts, in the process that has the lock. The first filling goes at every
 * other step, so that the newest orders never wait for the rest; the others take turns.
 */
export async function runFiller(
  context: FillContext,
  [first, ...others]: readonly Filling[],
  signal: AbortSignal,
): Promise<void> {
  const { store, log } = context;
  let turn = 0;
  const opened = store.openedBytes();
  let nextSave = performance.now() + Math.max(leastSaveMs, (saveFactor * opened) / writtenPerMs);

  async function next(): Promise<Filling | undefined> {
    turn += 1;
    const start = Math.floor(turn / 2) % others.length;
    const rotated = [...others.slice(start), ...others.slice(0, start)];
    for (const one of turn % 2 === 0 ? [first, ...rotated] : [...rotated, first]) {
      if (await one?.isDue(context)) return one;
    }
    return undefined;
  }

  async function save(): Promise<void> {
    const start = performance.now();
    if (start < nextSave) return;
    await store.save();
    const end = performance.now();
    nextSave = end + Math.max(leastSaveMs, saveFactor * (end - start));
  }

  /** Returns the pause after it, in milliseconds. */
  async function step(): Promise<number> {
    const filling = store.isFiller() ? await next() : undefined;
    await filling?.step(context);
    await save();
    return filling === undefined ? idleMs : 0;
  }

  function pauseAfter(error: unknown): number {
    if (error instanceof RateLimitedError) return error.retryAfterSeconds * 1_000;
    // Only the name or the code: a message may quote data.
    const reason = error instanceof AcademyError ? error.code : error instanceof Error ? error.name : 'unknown';
    log.warn({ reason }, 'filling the mirror failed; it is tried again');
    return errorMs;
  }

  const pauseFor = (milliseconds: number) =>
    setTimeout(milliseconds, undefined, { signal, ref: false }).catch(() => {});
  if (opened > 0) await pauseFor(openedMs);
  while (!signal.aborted) {
    await pauseFor(await step().catch((error: unknown) => (signal.aborted ? 0 : pauseAfter(error))));
  }
}

/** Clients end a call after a minute. Milliseconds. */
const longestMs = 45_000;

export interface RefreshParts {
  readonly context: FillContext;
  readonly fillings: Readonly<Record<Refreshable, Required<Filling>>>;
  /** A step that waits for one of the background hurries that one. */
  readonly waiting: Activity;
  /** The longest time, in milliseconds. */
  readonly refreshMs: number;
}

/** Reads a list until nothing of it is due, with the requests of one call. Returns at its deadline with what it has. */
export async function refresh(
  { what = 'orders', since }: RefreshQuestion,
  { api, signal, progress }: RefreshTerms,
  { context, fillings, waiting, refreshMs }: RefreshParts,
): Promise<RefreshResult> {
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(Math.min(refreshMs, longestMs))]);
  const call: Api['call'] = (operation, input, options = {}) =>
    api.call(operation, input, { ...options, signal: deadline, priority: 'bulk' });
  const own: FillContext = { ...context, isAsked: true, api: { call } };
  const filling = fillings[what];
  const inTurn = () => ({ ...own, onTurn: waiting.begin() });
  try {
    await filling.prepare(inTurn(), since);
    filling.invalidate(true);
    for (let done = 1; await filling.isDue(own); done += 1) {
      deadline.throwIfAborted();
      await filling.step(inTurn());
      progress(done, undefined, `read ${done} parts of the ${what}`);
    }
    return { stopped: undefined };
  } catch (error) {
    signal.throwIfAborted();
    if (deadline.aborted) return { stopped: 'the time of this call was over; call again to go on' };
    if (error instanceof AcademyError) return { stopped: `${error.code}: ${error.message}` };
    throw error;
  }
}
