import type { Asking } from '../mcp/data-mirror.ts';
import { AcademyError } from '../shared/errors.ts';
import { createShutdownSignal, stopping } from '../shared/shutdown.ts';
import { createCallerTurns } from '../shared/turns.ts';
import { RefusedError } from './engine/messages.ts';
import { startThread, type Thread } from './engine/thread.ts';
import type { ArgsOf } from './engine/worker.ts';
import type { Read, Store } from './store.ts';

export interface CallersOptions<Coverage> {
  readonly store: Pick<Store, 'changes' | 'distrust' | 'memories' | 'share'>;
  /** A thread with the memories of the store. Default: one that starts now. */
  readonly thread?: Thread;
  /** What the answers say about each snapshot. */
  readonly describe: (read: Read) => Promise<Coverage>;
  /** The time that a statement has to end once it has to, in milliseconds. Default: 1,000. */
  readonly graceMs?: number;
  /** The longest time of an export while others wait, in milliseconds. Default: 5,000. */
  readonly exportMs?: number;
}

/** While rows change, a snapshot is renewed no more often. Milliseconds. */
const renewMs = 5_000;
/** How often it is looked whether a statement has to end. Milliseconds. */
const lookMs = 50;

const tooSlow = (milliseconds: number, more = '') =>
  new RefusedError('slow', `the statement ran longer than ${milliseconds / 1000} s${more}`);

export type StatementArgs<Name extends 'query' | 'csv'> = ArgsOf<Name> & { readonly timeMs: number };

/** Runs statements of callers on a snapshot, in a thread that they can do no harm to. */
export function createCallers<Coverage>(options: CallersOptions<Coverage>) {
  const { store, describe, graceMs = 1_000, exportMs = 5_000 } = options;
  const inTurn = createCallerTurns('statements');
  const closing = createShutdownSignal();
  let { thread = startThread(store.memories) } = options;
  /** The snapshot in the thread: what it has seen, what is said of it, and its time. */
  let shown: { readonly changes: number; readonly coverage: Coverage; readonly at: number } | undefined;
  let isRenewed = false;

  /** The snapshot that a statement runs on now. */
  async function show() {
    if (thread.hasEnded()) {
      thread = startThread(store.memories);
      shown = undefined;
    }
    const isRecent = shown !== undefined && !isRenewed && performance.now() - shown.at < renewMs;
    if (shown !== undefined && (isRecent || shown.changes === store.changes())) return shown;
    shown = undefined;
    isRenewed = false;
    try {
      const at = performance.now();
      const { changes, snapshot } = await store.share();
      await thread.request('show', snapshot);
      const coverage = await describe((sql, values = []) => thread.request('read', { sql, values }));
      shown = { changes, coverage, at };
      return shown;
    } catch (error) {
      await thread.end();
      throw error;
    }
  }

  /** Runs a statement for at most `timeMs`. Throws `RefusedError`, or an `AcademyError` for one that was ended. */
  async function run<Name extends 'query' | 'csv'>(name: Name, args: StatementArgs<Name>, asking: Asking) {
    const signal = AbortSignal.any([asking.signal, closing.signal]);
    const cancelled = () => new AcademyError('cancelled', 'the call was cancelled');
    const answered = inTurn({ caller: asking.caller, signal }, async (othersWait) => {
      const { coverage } = await show();
      if (signal.aborted) throw cancelled();
      const start = performance.now();
      /** Why the statement has to end, and when its thread is ended if it has not: then it is stuck in a single step. */
      let why: Error | undefined;
      let endAt = Number.POSITIVE_INFINITY;
      const watch = setInterval(() => {
        const ms = performance.now() - start;
        if (signal.aborted) why ??= cancelled();
        else if (ms > args.timeMs) why ??= tooSlow(args.timeMs);
        else if (name === 'csv' && ms > exportMs && (othersWait() || asking.othersWait?.()))
          why ??= tooSlow(exportMs, ' while others wait');
        if (why === undefined) return;
        thread.interrupt();
        endAt = Math.min(endAt, ms + graceMs);
        if (ms > endAt) void thread.end();
      }, lookMs);
      try {
        return { ...(await thread.request(name, args)), coverage };
      } catch (error) {
        const isEnded = error instanceof RefusedError && (error.kind === 'stopped' || error.kind === 'ended');
        if (!isEnded) throw error;
        // Without a reason, the thread had no memory left.
        throw why ?? new RefusedError('large', 'the statement needs too much memory');
      } finally {
        clearInterval(watch);
      }
    });
    return await answered.catch((error: unknown) => {
      if (closing.signal.aborted) throw stopping();
      if (error instanceof RefusedError && error.kind === 'damaged') return store.distrust(error);
      throw error;
    });
  }

  return {
    run,
    /** The next statement sees everything that was written until now. */
    renew: () => {
      isRenewed = true;
    },
    /** Ends the statement that runs, and refuses those that wait. */
    close: async () => {
      closing.abort();
      await thread.end();
    },
  };
}

export type Callers<Coverage> = ReturnType<typeof createCallers<Coverage>>;
