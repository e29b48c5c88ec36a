import type { Asking } from '../mcp/data-mirror.ts';
import { AcademyError, RateLimitedError } from '../shared/errors.ts';
import { createShutdownSignal, stopping } from '../shared/shutdown.ts';
import { RefusedError } from './engine/messages.ts';
import { startThread, type Thread } from './engine/thread.ts';
import type { AnswerOf, ArgsOf } from './engine/worker.ts';
import type { Read, Store } from './store.ts';

export interface CallersOptions<About> {
  readonly store: Pick<Store, 'changes' | 'distrust' | 'refresh' | 'memories' | 'share'>;
  /** A thread with the memories of the store. Default: one that starts now. */
  readonly thread?: Thread;
  /** Comes before each new snapshot. */
  readonly prepare: () => Promise<void>;
  /** What the answers say about each snapshot. */
  readonly describe: (read: Read) => Promise<About>;
  /** A statement that has to end, and has not after this time, is stuck in a single step: its thread is ended. Default: 1,000. */
  readonly graceMs?: number;
  /** The longest time of an export while others wait, in milliseconds. Default: 5,000. */
  readonly exportMs?: number;
}

/** While rows change, a snapshot is renewed no more often. Milliseconds. */
const renewMs = 5_000;
/** Statements of one caller that can wait. */
const mostWaiting = 2;
const retrySeconds = 5;
/** How often it is looked whether a statement has to end. Milliseconds. */
const lookMs = 50;
/** What the engine of the thread can reserve. Its memory never shrinks, so a thread with more is ended. MB. */
const mostMegabytes = 100;

/** One statement runs at a time. The next one is of the caller whose last turn was the longest ago. */
function createQueue() {
  let waiting: { readonly caller: string; start(): void }[] = [];
  /** The callers who had a turn since somebody waits, the last one at the end. */
  let served: string[] = [];
  let isBusy = false;

  function next(): void {
    // A stable sort: of one caller, the first comes first.
    const [first] = waiting.toSorted((one, other) => served.indexOf(one.caller) - served.indexOf(other.caller));
    isBusy = first !== undefined;
    served = first === undefined ? [] : [...served.filter((caller) => caller !== first.caller), first.caller];
    waiting = waiting.filter((one) => one !== first);
    first?.start();
  }

  /** Resolves when it is the turn of this call, which ends with `next`. Rejects with `why` if the signal aborts before. */
  async function enter(caller: string, signal: AbortSignal, why: () => Error): Promise<void> {
    if (signal.aborted) throw why();
    if (waiting.filter((one) => one.caller === caller).length >= mostWaiting) {
      const hint = `Wait until one of them has ended, about ${retrySeconds} s.`;
      throw new RateLimitedError(`${mostWaiting} of your statements wait already`, retrySeconds, { hint });
    }
    await new Promise<void>((resolve, reject) => {
      const onAbort = () => {
        waiting = waiting.filter((other) => other !== one);
        reject(why());
      };
      const start = () => {
        signal.removeEventListener('abort', onAbort);
        resolve();
      };
      const one = { caller, start };
      signal.addEventListener('abort', onAbort);
      waiting.push(one);
      if (!isBusy) next();
    });
  }

  return { enter, next, hasOthers: (caller: string) => waiting.some((one) => one.caller !== caller) };
}

const tooSlow = (milliseconds: number, more = '') =>
  new RefusedError('slow', `the statement ran longer than ${milliseconds / 1000} s${more}`);

/** Runs statements of callers on a snapshot, in a thread that they can do no harm to. */
export function createCallers<About>(options: CallersOptions<About>) {
  const { store, prepare, describe, graceMs = 1_000, exportMs = 5_000 } = options;
  const queue = createQueue();
  const closing = createShutdownSignal();
  let { thread = startThread(store.memories) } = options;
  /** The snapshot in the thread: what it has seen, what is said of it, and its time. */
  let shown: { readonly changes: number; readonly about: About; readonly at: number } | undefined;

  const whyAborted = () =>
    closing.signal.aborted ? stopping() : new AcademyError('cancelled', 'the call was cancelled');

  /** The snapshot that a statement runs on now. */
  async function show() {
    await store.refresh();
    if (closing.signal.aborted) throw stopping();
    if (thread.hasEnded()) {
      thread = startThread(store.memories);
      shown = undefined;
    }
    const { now, needed } = store.changes();
    const isRecent = shown !== undefined && performance.now() - shown.at < renewMs;
    if (shown !== undefined && (shown.changes === now || (isRecent && shown.changes >= needed))) return shown;
    shown = undefined;
    try {
      const at = performance.now();
      await prepare();
      const { changes, snapshot } = await store.share();
      await thread.request('show', snapshot);
      const about = await describe((sql, values = []) => thread.request('read', { sql, values }));
      shown = { changes, about, at };
      return shown;
    } catch (error) {
      await thread.end();
      throw error;
    }
  }

  /** Ends the statement if its call ends or its time is over, and its thread if it is stuck. */
  async function watched<Name extends 'query' | 'csv'>(
    name: Name,
    args: ArgsOf<Name>,
    { caller, signal, othersWait = () => false }: Asking,
  ): Promise<AnswerOf<Name>> {
    const start = performance.now();
    let stopped: { readonly why: Error; readonly at: number } | undefined;
    function whyNow(ms: number): Error | undefined {
      if (signal.aborted) return whyAborted();
      if (ms > args.timeMs) return tooSlow(args.timeMs);
      const isInTheWay = name === 'csv' && ms > exportMs && (queue.hasOthers(caller) || othersWait());
      return isInTheWay ? tooSlow(exportMs, ' while others wait') : undefined;
    }
    const watch = setInterval(() => {
      const at = performance.now();
      const why = stopped?.why ?? whyNow(at - start);
      if (why === undefined) return;
      stopped ??= { why, at };
      thread.interrupt();
      if (at - stopped.at > graceMs) void thread.end();
    }, lookMs);
    try {
      return await thread.request(name, args);
    } catch (error) {
      const isEnded = error instanceof RefusedError && (error.kind === 'stopped' || error.kind === 'ended');
      if (!isEnded) throw error;
      if (signal.aborted) throw whyAborted();
      // Without a reason, the thread had no memory left.
      throw stopped?.why ?? new RefusedError('large', 'the statement needs too much memory');
    } finally {
      clearInterval(watch);
    }
  }

  /** `about` is of the same snapshot. Throws `RefusedError`, or an `AcademyError` for a statement that was ended. */
  async function run<Name extends 'query' | 'csv'>(name: Name, args: ArgsOf<Name>, asking: Asking) {
    const signal = AbortSignal.any([asking.signal, closing.signal]);
    await queue.enter(asking.caller, signal, whyAborted);
    try {
      const { about } = await show();
      if (signal.aborted) throw whyAborted();
      const answer = await watched(name, args, { ...asking, signal }).finally(() => {
        if (thread.megabytes() > mostMegabytes) void thread.end();
      });
      return { ...answer, about };
    } catch (error) {
      if (closing.signal.aborted) throw stopping();
      if (error instanceof RefusedError && error.kind === 'damaged') return await store.distrust(error);
      throw error;
    } finally {
      queue.next();
    }
  }

  return {
    run,
    /** Ends the statement that runs, and refuses those that wait. */
    close: async () => {
      closing.abort();
      await thread.end();
    },
  };
}

export type Callers<About> = ReturnType<typeof createCallers<About>>;
