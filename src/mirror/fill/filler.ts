import { setTimeout } from 'node:timers/promises';
import { AcademyError, RateLimitedError } from '../../shared/errors.ts';
import type { FillContext, Filling } from './list-filling.ts';

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

export interface FillerOptions {
  readonly context: FillContext;
  /** The first goes at every other step, the others take turns. */
  readonly fillings: readonly Filling[];
  readonly signal: AbortSignal;
}

/** Fills the mirror in the background until the signal aborts, in the process that has the lock. */
export async function runFiller({ context, fillings, signal }: FillerOptions): Promise<void> {
  const { store, log } = context;
  const [first, ...others] = fillings;
  let turn = 0;
  const opened = store.openedBytes();
  let nextSave = performance.now() + Math.max(leastSaveMs, (saveFactor * opened) / writtenPerMs);

  /** What to do next: the first filling at every other step, so that the newest orders never wait for the rest. */
  async function next(): Promise<Filling | undefined> {
    turn += 1;
    if (turn % 2 === 0 && (await first?.isDue(context))) return first;
    for (let index = 0; index < others.length; index += 1) {
      const one = others[(Math.floor(turn / 2) + index) % others.length];
      if (await one?.isDue(context)) return one;
    }
    return (await first?.isDue(context)) ? first : undefined;
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
    if (filling === undefined) {
      await save();
      return idleMs;
    }
    await filling.step(context);
    await save();
    return 0;
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
    const pause = await step().catch((error: unknown) => (signal.aborted ? 0 : pauseAfter(error)));
    await pauseFor(pause);
  }
}
