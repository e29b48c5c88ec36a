import type { Asking } from '../mcp/data-mirror.ts';
import { AcademyError, RateLimitedError } from '../shared/errors.ts';
import { createShutdownSignal, stopping } from '../shared/shutdown.ts';
import { type AnswerOf, type ArgsOf, type ImageHeader, RefusedError } from './engine/messages.ts';
import { startThread, type Thread } from './engine/thread.ts';
import type { Read, Store } from './store.ts';

type Statement = 'query' | 'csv';

/** Runs statements of callers on a snapshot, in a thread that they can do no harm to. */
export interface Callers<About> {
  /** `about` is of the same snapshot. Throws `RefusedError`, or an `AcademyError` for a statement that was ended. */
  run<Name extends Statement>(
    name: Name,
    args: ArgsOf<Name>,
    asking: Asking,
  ): Promise<AnswerOf<Name> & { readonly about: About }>;
  /** Ends the statement that runs, and refuses those that wait. */
  close(): Promise<void>;
}

interface Reading {
  readonly thread: Thread;
  readonly header: Promise<ImageHeader | undefined>;
}

/** Starts the thread of callers, which reads the file while the store opens it: the first statement waits for no copy. */
export function startReading(path: string | undefined): Reading {
  const thread = startThread();
  // The store says whether the file can be used.
  return { thread, header: thread.request('open', path === undefined ? {} : { file: path }).catch(() => undefined) };
}

export interface CallersOptions<About> {
  readonly store: Pick<Store, 'changes' | 'copyTo' | 'distrust' | 'refresh'>;
  /** Comes before each new snapshot. */
  readonly prepare: () => Promise<void>;
  /** What the answers say about each snapshot. */
  readonly describe: (read: Read) => Promise<About>;
  /** Default: a thread without a file. */
  readonly reading?: Reading;
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

interface Shown<About> {
  readonly about: About;
  readonly changes: number;
  readonly at: number;
  /** MB. */
  readonly size: number;
}

export function createCallers<About>(options: CallersOptions<About>): Callers<About> {
  const { store, prepare, describe, reading = startReading(undefined) } = options;
  const { silenceMs = defaultSilenceMs, exportMs = sharedExportMs } = options;
  const queue = createQueue();
  const closing = createShutdownSignal();
  let { thread, header } = reading;
  let shown: Shown<About> | undefined;

  const whyAborted = () =>
    closing.signal.aborted ? stopping() : new AcademyError('cancelled', 'the call was cancelled');

  /** Loads the newest state into the thread. Returns the changes that it has seen. */
  async function load(): Promise<number> {
    const read = await header;
    header = Promise.resolve(undefined);
    const { now, digest } = store.changes();
    return read !== undefined && read.sha256 === digest ? now : await store.copyTo(thread);
  }

  /** The snapshot that a statement runs on now. */
  async function show(): Promise<Shown<About>> {
    await store.refresh();
    if (closing.signal.aborted) throw stopping();
    if (thread.hasEnded()) {
      ({ thread, header } = startReading(undefined));
      shown = undefined;
    }
    const { now, needed } = store.changes();
    const isRecent = shown !== undefined && performance.now() - shown.at < renewMs;
    if (shown !== undefined && (shown.changes === now || (isRecent && shown.changes >= needed))) return shown;
    shown = undefined;
    try {
      await prepare();
      const at = performance.now();
      const changes = await load();
      await thread.request('seal', {});
      const size = thread.megabytes();
      const about = await describe((sql, values = []) => thread.request('read', { sql, values }));
      shown = { about, changes, at, size };
      return shown;
    } catch (error) {
      await thread.end();
      throw closing.signal.aborted ? stopping() : error;
    }
  }

  /** Ends the statement if its call ends or its time is over, and its thread if it is stuck. */
  async function watched<Name extends Statement>(
    name: Name,
    args: ArgsOf<Name>,
    { caller, signal, othersWait = () => false }: Asking,
  ): Promise<AnswerOf<Name>> {
    const start = performance.now();
    let last = { beats: thread.beats(), at: start };
    let why: Error | undefined;
    function whyNow(ms: number): Error | undefined {
      if (signal.aborted) return whyAborted();
      if (ms > args.timeMs) return tooSlow(args.timeMs);
      const isInTheWay = name === 'csv' && ms > exportMs && (queue.hasOthers(caller) || othersWait());
      return isInTheWay ? tooSlow(exportMs, ' while others wait') : undefined;
    }
    const watch = setInterval(() => {
      const at = performance.now();
      if (why === undefined || thread.beats() !== last.beats) last = { beats: thread.beats(), at };
      why ??= whyNow(at - start);
      if (why !== undefined) thread.interrupt();
      if (at - last.at > silenceMs) void thread.end();
    }, lookMs);
    try {
      return await thread.request(name, args);
    } catch (error) {
      const isEnded = error instanceof RefusedError && (error.kind === 'stopped' || error.kind === 'ended');
      if (!isEnded) throw error;
      // Without a reason, the thread had no memory left.
      throw why ?? (signal.aborted ? whyAborted() : new RefusedError('large', 'the statement needs too much memory'));
    } finally {
      clearInterval(watch);
    }
  }

  return {
    run: async (name, args, asking) => {
      const signal = AbortSignal.any([asking.signal, closing.signal]);
      await queue.enter(asking.caller, signal, whyAborted);
      try {
        const { about, size } = await show();
        if (signal.aborted) throw whyAborted();
        const answer = await watched(name, args, { ...asking, signal }).finally(() => {
          if (thread.megabytes() > size + spareMegabytes) void thread.end();
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
      await thread.end();
    },
  };
}
