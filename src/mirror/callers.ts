import type { Asking } from '../mcp/data-mirror.ts';
import { AcademyError, RateLimitedError } from '../shared/errors.ts';
import { stopping } from '../shared/shutdown.ts';
import { RefusedError, type RequestName, type Requests } from './engine/messages.ts';
import { startThread, type Thread } from './engine/thread.ts';
import type { Read, Store } from './store.ts';

type Statement = 'query' | 'csv';

/** Runs statements of callers on a snapshot, in a thread that they can do no harm to. */
export interface Callers<About> {
  /** `about` is of the same snapshot. Throws `RefusedError`, or an `AcademyError` for a statement that was ended. */
  run<Name extends Statement>(
    name: Name,
    args: Requests[Name]['args'],
    asking: Asking,
  ): Promise<Requests[Name]['answer'] & { readonly about: About }>;
  /** Ends the statement that runs, and refuses those that wait. */
  close(): Promise<void>;
}

export interface CallersOptions<About> {
  readonly store: Pick<Store, 'changes' | 'distrust' | 'refresh' | 'snapshot'>;
  /** Comes before each new snapshot. */
  readonly prepare: () => Promise<void>;
  /** What the answers say about each snapshot. */
  readonly describe: (read: Read) => Promise<About>;
  /** See below. In milliseconds. */
  readonly silenceMs?: number;
  readonly exportMs?: number;
}

/** While rows change, a snapshot is renewed no more often. Milliseconds. */
const renewMs = 5_000;
/** The longest time of an export while others wait. Milliseconds. */
const sharedExportMs = 5_000;
/** Statements of one caller that can wait. */
const mostWaiting = 2;
const retrySeconds = 5;
/**
 * A statement that has to end, and shows no sign of life for so long, is stuck in a single step. Its thread is ended with it. A
 * busy machine is slow, but shows signs. Milliseconds.
 */
const defaultSilenceMs = 1_000;
const lookMs = 50;
/** What the engine of the thread can reserve beyond the snapshot. Its memory never shrinks, so a thread with more is ended. MB. */
const spareMegabytes = 80;

interface Waiting {
  readonly caller: string;
  start(): void;
  refuse(error: Error): void;
}

/** One statement runs at a time, and callers take turns. */
function createQueue() {
  let running: string | undefined;
  let turn = 0;
  /** When each caller had the last turn, while anybody waits. */
  const turns = new Map<string, number>();
  let waiting: Waiting[] = [];

  function next(): void {
    const last = ({ caller }: Waiting) => turns.get(caller) ?? 0;
    // A stable sort: of one caller, the first comes first.
    const [first, ...others] = waiting.toSorted((one, other) => last(one) - last(other));
    running = first?.caller;
    waiting = waiting.filter((one) => others.includes(one));
    turn += 1;
    if (first === undefined) turns.clear();
    else turns.set(first.caller, turn);
    first?.start();
  }

  /** Resolves when it is the turn of this call. It ends with `next`. */
  function enter({ caller, signal }: Asking): Promise<void> {
    if (signal.aborted) return Promise.reject(cancelled());
    if (running === undefined) {
      running = caller;
      turn += 1;
      turns.set(caller, turn);
      return Promise.resolve();
    }
    if (waiting.filter((one) => one.caller === caller).length >= mostWaiting) {
      const hint = `Wait until one of them has ended, about ${retrySeconds} s.`;
      const why = `${mostWaiting} of your statements wait already`;
      return Promise.reject(new RateLimitedError(why, retrySeconds, { hint }));
    }
    return new Promise((resolve, reject) => {
      const refuse = (error: Error) => {
        waiting = waiting.filter((other) => other !== one);
        signal.removeEventListener('abort', onAbort);
        reject(error);
      };
      const onAbort = () => refuse(cancelled());
      const start = () => {
        signal.removeEventListener('abort', onAbort);
        resolve();
      };
      const one = { caller, start, refuse };
      signal.addEventListener('abort', onAbort);
      waiting.push(one);
    });
  }

  return {
    enter,
    next,
    hasOthers: (caller: string) => waiting.some((one) => one.caller !== caller),
    refuseAll: (error: Error) => {
      for (const { refuse } of waiting) refuse(error);
    },
  };
}

const cancelled = () => new AcademyError('cancelled', 'the call was cancelled');

const tooSlow = (milliseconds: number, more = '') =>
  new RefusedError('slow', `the statement ran longer than ${milliseconds / 1000} s${more}`);

interface Shown<About> {
  readonly thread: Thread;
  readonly about: About;
  readonly changes: number;
  readonly at: number;
  /** MB. */
  readonly size: number;
}

export function createCallers<About>(options: CallersOptions<About>): Callers<About> {
  const { store, prepare, describe, silenceMs = defaultSilenceMs, exportMs = sharedExportMs } = options;
  const queue = createQueue();
  const closing = new AbortController();
  let shown: Shown<About> | undefined;

  async function end(thread: Thread): Promise<void> {
    if (shown?.thread === thread) shown = undefined;
    await thread.end();
  }

  /** The snapshot that a statement runs on now. */
  async function show(): Promise<Shown<About>> {
    await store.refresh();
    const { now, needed } = store.changes();
    const isRecent = shown !== undefined && performance.now() - shown.at < renewMs;
    if (shown !== undefined && (shown.changes === now || (isRecent && shown.changes >= needed))) return shown;
    const thread = shown?.thread ?? startThread();
    shown = undefined;
    try {
      // The thread has started, and has freed the snapshot before, when the next one is made.
      await Promise.all([prepare(), thread.request('open', {})]);
      const at = performance.now();
      const { bytes, changes } = await store.snapshot();
      const size = bytes.length / 2 ** 20;
      await thread.request('show', { bytes });
      const about = await describe((sql, values = []) => thread.request('read', { sql, values }));
      if (closing.signal.aborted) throw stopping();
      shown = { thread, about, changes, at, size };
      void thread.ended.then(() => end(thread));
      return shown;
    } catch (error) {
      await thread.end();
      throw error;
    }
  }

  /** Ends the statement if its call ends or its time is over, and its thread if it is stuck. */
  async function watched<Name extends RequestName & Statement>(
    thread: Thread,
    name: Name,
    args: Requests[Name]['args'],
    { caller, signal, othersWait = () => false }: Asking,
  ): Promise<Requests[Name]['answer']> {
    const start = performance.now();
    let last = { beats: thread.beats(), at: start };
    let why: Error | undefined;
    const stop = (reason: Error) => {
      why ??= reason;
      last = { ...last, at: performance.now() };
      thread.interrupt();
    };
    const onAbort = () => stop(cancelled());
    const onClosing = () => stop(stopping());
    const look = () => {
      const now = performance.now();
      if (thread.beats() !== last.beats) last = { beats: thread.beats(), at: now };
      if (why !== undefined) {
        if (now - last.at > silenceMs) void end(thread);
      } else if (now - start > args.timeMs) stop(tooSlow(args.timeMs));
      else if (name === 'csv' && now - start > exportMs && (queue.hasOthers(caller) || othersWait()))
        stop(tooSlow(exportMs, ' while others wait'));
    };
    const answering = thread.request(name, args);
    const watch = setInterval(look, lookMs);
    signal.addEventListener('abort', onAbort);
    closing.signal.addEventListener('abort', onClosing);
    try {
      return await answering;
    } catch (error) {
      const hasEnded = error instanceof RefusedError && (error.kind === 'stopped' || error.kind === 'ended');
      // Without a reason, the thread had no memory left.
      throw hasEnded ? (why ?? new RefusedError('large', 'the statement needs too much memory')) : error;
    } finally {
      clearInterval(watch);
      signal.removeEventListener('abort', onAbort);
      closing.signal.removeEventListener('abort', onClosing);
    }
  }

  return {
    run: async (name, args, asking) => {
      if (closing.signal.aborted) throw stopping();
      await queue.enter(asking);
      try {
        const { thread, about, size } = await show();
        if (asking.signal.aborted) throw cancelled();
        const answer = await watched(thread, name, args, asking).finally(() => {
          if (thread.megabytes() > size + spareMegabytes) void end(thread);
        });
        return { ...answer, about };
      } catch (error) {
        if (error instanceof RefusedError && error.kind === 'damaged') return await store.distrust(error);
        throw error;
      } finally {
        queue.next();
      }
    },
    close: async () => {
      closing.abort();
      queue.refuseAll(stopping());
      if (shown !== undefined) await end(shown.thread);
    },
  };
}
