import type { Logger } from 'pino';
import { AcademyError } from '../shared/errors.ts';
import { type Engine, startEngine } from './engine/engine.ts';
import { RefusedError } from './engine/refused-error.ts';

/** The database in its thread. Requests wait while it is opened, and the thread is started again if it ends. */
export interface DatabaseThread {
  /** How often another database took its place. */
  generation(): number;
  /** Sends a request. Fails if the database is not `pinned`, a generation. A damaged page makes it fail and reopens the database. */
  run<Answer>(request: (engine: Engine) => Promise<Answer>, pinned?: number): Promise<Answer>;
  /** The same for a request that reads: it is sent again after a damaged page. */
  runAgain<Answer>(request: (engine: Engine) => Promise<Answer>, pinned?: number): Promise<Answer>;
  /** Resolves when the database is open. */
  opened(): Promise<void>;
  reopen(): Promise<void>;
  /** Replaces the thread if its engine has reserved much memory, which never shrinks. */
  giveMemoryBack(): Promise<void>;
  close(): Promise<void>;
}

type Open = (engine: Engine) => Promise<void>;

export interface DatabaseThreadOptions {
  readonly open: Open;
  /** Brings the database into safety before its thread is replaced. Returns how the next thread opens it. */
  readonly carryOver: (engine: Engine) => Promise<Open>;
  readonly onDamaged: (error: unknown) => void;
  readonly log: Logger;
}

/** The most that an engine can reserve before its thread is replaced. Bytes. */
const spareMemory = 96 * 1024 * 1024;

export const isDamaged = (error: unknown): boolean => error instanceof RefusedError && error.kind === 'damaged';

export function startDatabaseThread({ open, carryOver, onDamaged, log }: DatabaseThreadOptions): DatabaseThread {
  let engine = startEngine();
  let generation = 0;
  let isClosed = false;
  /** A thread that is being replaced. */
  let leaving: Engine | undefined;
  let opening: Promise<void> = open(engine);
  watch(engine);

  function reopen(): Promise<void> {
    generation += 1;
    opening = open(engine);
    // Whoever waits gets the error; without a waiter it must not end the process.
    opening.catch(() => {});
    return opening;
  }

  function startNext(): void {
    engine = startEngine();
    watch(engine);
  }

  function watch(watched: Engine): void {
    void watched.ended.then(() => {
      if (isClosed || watched !== engine || watched === leaving) return;
      log.warn('the database thread of the mirror was ended and is started again');
      startNext();
      void reopen();
    });
  }

  async function run<Answer>(request: (on: Engine) => Promise<Answer>, pinned?: number): Promise<Answer> {
    await opening;
    const used = generation;
    if (pinned !== undefined && pinned !== used)
      throw new AcademyError('internal', 'the database of the mirror was replaced meanwhile');
    try {
      return await request(engine);
    } catch (error) {
      if (!isDamaged(error)) throw error;
      if (used === generation) {
        onDamaged(error);
        void reopen();
      }
      await opening;
      throw error;
    }
  }

  async function replace(): Promise<void> {
    const openNext = await carryOver(engine);
    // Ended first: two databases at a time would take more memory than this gives back.
    leaving = engine;
    await engine.close();
    startNext();
    await openNext(engine);
  }

  return {
    generation: () => generation,
    run,
    runAgain: async (request, pinned) => {
      return await run(request, pinned).catch((error: unknown) => {
        if (!isDamaged(error)) throw error;
        return run(request, pinned);
      });
    },
    opened: () => opening,
    reopen,
    giveMemoryBack: async () => {
      if ((await engine.request('memory', {})) <= spareMemory) return;
      opening = replace();
      await opening;
    },
    close: async () => {
      isClosed = true;
      await engine.close();
    },
  };
}
