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
  read(sql: string, values?: readonly Cell[]): Promise<readonly (readonly Cell[])[]>;
  /** Runs reading statements on the newest version, with no change between them. */
  readTogether(statements: readonly Statement[]): Promise<readonly (readonly (readonly Cell[])[])[]>;
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
}

/** Beyond twice its database and this, the thread is replaced, since its memory never shrinks. Bytes. */
const spareMemory = 96 * 1024 * 1024;

function otherAcademy(): AcademyError {
  const hint = 'Name another file in ACADEMY_MIRROR, or delete this one with academy-mcp mirror purge.';
  return new AcademyError('invalid_settings', 'the file of ACADEMY_MIRROR is of another academy', { hint });
}

export async function openStore({ identity, file, log, now }: StoreOptions): Promise<Store> {
  let engine = startEngine();
  let isFilling = file?.lock.hold() ?? true;
  /** The version of the file that is open. */
  let version: string | undefined;
  /** How often it was written to, and how often of those are on disk. */
  let writes = 0;
  let savedWrites = 0;
  let isClosed = false;
  /** A thread that is being replaced. */
  let leaving: Engine | undefined;
  /** Requests wait for this: the database is being opened. */
  let opening: Promise<void> = open();

  async function openEmpty(): Promise<void> {
    await engine.request('open', {});
    await engine.request('write', { statements: createSchema });
  }

  /** Opens the file. False if there is nothing in it that can be used. */
  async function openFile(shared: MirrorFile): Promise<boolean> {
    version = shared.version();
    if (version === undefined) return false;
    try {
      const header = await engine.request('open', { file: shared.path, isReadOnly: !isFilling });
      if (header?.baseUrl !== identity.baseUrl) throw otherAcademy();
      return header.schema === schemaVersion && header.timezone === identity.timezone;
    } catch (error) {
      if (!(error instanceof RefusedError) || error.kind !== 'damaged') throw error;
      log.warn({ problem: error.message }, 'the mirror file is damaged and is filled again');
      if (isFilling) shared.setAside(now());
      return false;
    }
  }

  async function open(): Promise<void> {
    if (file !== undefined && (await openFile(file))) return;
    await openEmpty();
  }

  function reopen(): void {
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

  /** A new thread with the same database gives back the memory that a large statement took. */
  async function recycle(): Promise<void> {
    const image = await engine.request('export', {});
    // Ended first: two databases at a time would take more memory than this gives back.
    leaving = engine;
    await engine.close();
    engine = startEngine();
    watch(engine);
    await engine.request('open', { image, isReadOnly: !isFilling });
  }

  async function giveMemoryBack(): Promise<void> {
    const [[pages = 0] = []] = await engine.request('read', {
      sql: 'SELECT page_count * page_size FROM pragma_page_count, pragma_page_size',
    });
    if ((await engine.request('memory', {})) <= 2 * Number(pages) + spareMemory) return;
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

  return {
    isFiller: () => isFilling,
    write: async (statements) => {
      await opening;
      await engine.request('write', { statements });
      writes += 1;
    },
    read: async (sql, values = []) => {
      await opening;
      return await engine.request('read', { sql, values });
    },
    readTogether: async (statements) => {
      await refresh();
      // Sent one right after the other, to the same database.
      return await Promise.all(statements.map((statement) => engine.request('read', statement)));
    },
    query: async (sql, limits) => {
      await refresh();
      try {
        return await engine.query(sql, limits);
      } finally {
        await giveMemoryBack().catch(() => {});
      }
    },
    save: async () => {
      await refresh();
      if (file === undefined || !isFilling || writes === savedWrites) return;
      const included = writes;
      const about = { schema: schemaVersion, ...identity, savedAt: now().toISOString() };
      await engine.request('save', { file: file.newVersion(), about });
      // Another process may have taken over while this one was held up.
      if (!file.lock.hold()) return;
      version = file.replace();
      savedWrites = included;
    },
    close,
  };
}
