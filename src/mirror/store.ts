import type { Logger } from 'pino';
import { AcademyError } from '../shared/errors.ts';
import { type Engine, startEngine } from './engine/engine.ts';
import type { Cell, ImageHeader, QueryLimits, QueryResult, Statement } from './engine/messages.ts';
import { RefusedError } from './engine/refused-error.ts';
import type { MirrorFile } from './file/shared-file.ts';
import { createSchema } from './schema/create.ts';
import { schemaVersion } from './schema/tables.ts';

/** The database of a mirror: in a thread, reopened if the thread ends, and in a file if there is one. */
export interface Store {
  /** Whether this process fills it. Another one does if they share a file. */
  isFiller(): boolean;
  write(statements: readonly Statement[]): Promise<void>;
  /** Whether so much is not saved that it should be, whatever the time. */
  isFull(): boolean;
  /** The same store until its database is replaced: from then on its reads and writes fail, so that no state of the old one reaches the new one. */
  pinned(): Store;
  read(sql: string, values?: readonly Cell[]): Promise<readonly (readonly Cell[])[]>;
  query(sql: string, limits: QueryLimits): Promise<QueryResult>;
  /** Writes the file, if there is one and something has changed since. */
  save(): Promise<void>;
  close(): Promise<void>;
}

/** What a file must be of to be used. */
export type Identity = Pick<ImageHeader, 'baseUrl' | 'timezone'>;

export interface StoreOptions {
  readonly identity: Identity;
  /** Undefined: in memory alone. */
  readonly file: MirrorFile | undefined;
  readonly log: Logger;
  readonly now: () => Date;
  /** The database is empty, although it was not: everything has to be read again. */
  readonly onLost?: () => void;
}

/** The thread is replaced if its engine has reserved more than this, since its memory never shrinks. Bytes. */
const spareMemory = 96 * 1024 * 1024;
/** Changed pages are in memory until they are saved. Bytes. */
const maxUnsaved = 48 * 1024 * 1024;

const isDamaged = (error: unknown) => error instanceof RefusedError && error.kind === 'damaged';

function otherAcademy(): AcademyError {
  const hint = 'Name another file in ACADEMY_MIRROR, or delete this one with academy-mcp mirror purge.';
  return new AcademyError('invalid_settings', 'the file of ACADEMY_MIRROR is of another academy', { hint });
}

/** See `Store.pinned`. */
function pin(store: Store, generation: () => number): Store {
  const pinned = generation();
  const check = () => {
    if (generation() !== pinned) throw new AcademyError('internal', 'the database of the mirror was replaced meanwhile');
  };
  return {
    ...store,
    write: async (statements) => {
      check();
      await store.write(statements);
    },
    read: async (...args) => {
      check();
      const rows = await store.read(...args);
      check();
      return rows;
    },
  };
}

export async function openStore({ identity, file, log, now, onLost = () => {} }: StoreOptions): Promise<Store> {
  let engine = startEngine();
  let isFilling = file?.lock.hold() ?? true;
  /** The version of the file that is open, and one that turned out to be damaged. */
  let version: string | undefined;
  let distrusted: string | undefined;
  /** How often it was written to, and how often of those are on disk. */
  let writes = 0;
  let savedWrites = 0;
  let unsaved = 0;
  let isClosed = false;
  /** How often the database was replaced by another one. */
  let generation = 0;
  /** A thread that is being replaced. */
  let leaving: Engine | undefined;
  /** Requests wait for this: the database is being opened. */
  let opening: Promise<void> = open();

  async function openEmpty(): Promise<void> {
    await engine.request('open', {});
    await engine.request('write', { statements: createSchema });
    if (generation > 0) onLost();
  }

  /** Says that the file is damaged, and moves it out of the way if this process fills it. */
  function distrust(shared: MirrorFile, problem: unknown): void {
    log.warn({ problem: problem instanceof Error && problem.message }, 'the mirror file is damaged and is filled again');
    distrusted = version;
    if (isFilling && shared.version() === version) shared.setAside(now());
  }

  /** Opens the file. False if there is nothing in it that can be used. */
  async function openFile(shared: MirrorFile): Promise<boolean> {
    version = shared.version();
    if (version === undefined || version === distrusted) return false;
    try {
      const header = await engine.request('open', { file: shared.path, isReadOnly: !isFilling });
      if (header?.baseUrl !== identity.baseUrl) throw otherAcademy();
      return header.schema === schemaVersion && header.timezone === identity.timezone;
    } catch (error) {
      if (!isDamaged(error)) throw error;
      distrust(shared, error);
      return false;
    }
  }

  async function open(): Promise<void> {
    if (file !== undefined && (await openFile(file))) return;
    await openEmpty();
  }

  function reopen(): void {
    generation += 1;
    unsaved = 0;
    savedWrites = writes;
    opening = open();
    // Whoever waits gets the error; without a waiter it must not end the process.
    opening.catch(() => {});
  }

  /** Replaces a thread that has ended. What was not saved is read from the academy again. */
  function watch(watched: Engine): void {
    void watched.ended.then(() => {
      if (isClosed || watched !== engine || watched === leaving) return;
      log.warn('the database thread of the mirror was ended and is started again');
      engine = startEngine();
      watch(engine);
      reopen();
    });
  }

  /** Runs a request. A damaged page makes it fail, and replaces the database by an empty one. */
  async function run<Answer>(request: () => Promise<Answer>): Promise<Answer> {
    await opening;
    const used = generation;
    try {
      return await request();
    } catch (error) {
      if (file === undefined || !isDamaged(error)) throw error;
      if (used === generation) {
        distrust(file, error);
        reopen();
      }
      await opening;
      throw error;
    }
  }

  /** A reading request, which can be repeated. */
  async function runAgain<Answer>(request: () => Promise<Answer>): Promise<Answer> {
    return await run(request).catch((error: unknown) => {
      if (!isDamaged(error)) throw error;
      return run(request);
    });
  }

  async function saveChanges(shared: MirrorFile): Promise<void> {
    if (!isFilling || writes === savedWrites) return;
    const included = writes;
    const about = { schema: schemaVersion, ...identity, savedAt: now().toISOString() };
    await engine.request('save', { file: shared.newVersion(), about });
    // Another process may have taken over while this one was held up.
    if (!shared.lock.hold()) return;
    version = shared.replace();
    savedWrites = included;
    unsaved = 0;
  }

  /** A new thread with the same database gives back the memory that a large statement took. */
  async function recycle(): Promise<void> {
    const exported = file === undefined ? await engine.request('export', {}) : undefined;
    if (file !== undefined) await saveChanges(file);
    // Ended first: two databases at a time would take more memory than this gives back.
    leaving = engine;
    await engine.close();
    engine = startEngine();
    watch(engine);
    if (exported === undefined) await open();
    else await engine.request('open', { exported });
  }

  async function giveMemoryBack(): Promise<void> {
    if ((await engine.request('memory', {})) <= spareMemory) return;
    opening = recycle();
    await opening;
  }

  /** Takes over the filling if nobody fills, and reads what another process has saved. */
  async function refresh(): Promise<void> {
    await opening;
    if (file === undefined) return;
    const was = isFilling;
    isFilling = file.lock.hold();
    if (was === isFilling && (isFilling || file.version() === version)) return;
    reopen();
    await opening;
  }

  async function close(): Promise<void> {
    isClosed = true;
    file?.lock.release();
    await engine.close();
  }

  watch(engine);
  try {
    await opening;
  } catch (error) {
    await close();
    throw error;
  }

  const store: Store = {
    isFiller: () => isFilling,
    isFull: () => file !== undefined && unsaved > maxUnsaved,
    write: async (statements) => {
      unsaved = await run(() => engine.request('write', { statements }));
      writes += 1;
    },
    pinned: () => pin(store, () => generation),
    read: async (sql, values = []) => await runAgain(() => engine.request('read', { sql, values })),
    query: async (sql, limits) => {
      await refresh();
      try {
        return await runAgain(() => engine.query(sql, limits));
      } finally {
        await giveMemoryBack().catch(() => {});
      }
    },
    save: async () => {
      await refresh();
      if (file !== undefined) await run(() => saveChanges(file));
    },
    close,
  };
  return store;
}
