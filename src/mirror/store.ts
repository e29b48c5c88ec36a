import type { Logger } from 'pino';
import { AcademyError } from '../shared/errors.ts';
import { isDamaged, startDatabaseThread } from './database-thread.ts';
import type { Engine } from './engine/engine.ts';
import { pageLength } from './engine/image.ts';
import type {
  Cell,
  CsvLimits,
  CsvResult,
  ImageHeader,
  QueryLimits,
  QueryResult,
  Statement,
} from './engine/messages.ts';
import type { MirrorFile } from './file/shared-file.ts';
import { createSchema } from './schema/create.ts';
import { forgetRowCounts } from './schema/row-counts.ts';
import { schemaVersion } from './schema/tables.ts';

/** The database of a mirror: in a thread, reopened if the thread ends, and in a file if there is one. */
export interface Store {
  /** Whether this process fills it. Another one does if they share a file. */
  isFiller(): boolean;
  write(statements: readonly Statement[]): Promise<void>;
  read(sql: string, values?: readonly Cell[]): Promise<readonly (readonly Cell[])[]>;
  /** Several reads of one state of the newest version. */
  together<Result>(ask: (read: Store['read']) => Promise<Result>): Promise<Result>;
  query(sql: string, limits: QueryLimits): Promise<QueryResult>;
  csv(sql: string, limits: CsvLimits): Promise<CsvResult>;
  /** The store until its database is replaced. Then reads and writes fail: what follows from the old one must not reach the new one. */
  pinned(): Store;
  /** The same, with the newest version of the file. */
  newest(): Promise<Store>;
  /** Bytes of the file that was opened; 0 without one. */
  openedBytes(): number;
  /** Whether so many changes are not saved that they should be, whatever the time. */
  isFull(): boolean;
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
  /** The database was replaced by an empty one: everything has to be read again. */
  readonly onLost?: () => void;
  /** The database was opened again as it was last saved. */
  readonly onReopened?: () => void;
  /** How often the lock is kept alive, in milliseconds. Default: 15,000. */
  readonly aliveMs?: number;
}

/** A quarter of the time after which a lock is left over. A step of the filling may wait for its requests for minutes. */
const defaultAliveMs = 15_000;

/** Changes are in memory until they are saved. Bytes. */
const maxUnsaved = 24 * 1024 * 1024;

function otherAcademy(): AcademyError {
  const hint = 'Name another file in ACADEMY_MIRROR, or delete this one with academy-mcp mirror purge.';
  return new AcademyError('invalid_settings', 'the file of ACADEMY_MIRROR is of another academy', { hint });
}

export async function openStore(options: StoreOptions): Promise<Store> {
  const { identity, file, log, now, onLost = () => {}, onReopened = () => {} } = options;
  let isFilling = file?.lock.hold() ?? true;
  const alive = setInterval(() => {
    try {
      if (isFilling) file?.lock.hold();
    } catch {
      // The next save fails for the same reason, and reports it.
    }
  }, options.aliveMs ?? defaultAliveMs).unref();
  /** The version of the file that is open, and one that turned out to be damaged. */
  let version: string | undefined;
  let distrusted: string | undefined;
  /** How often it was written to, and how often of those are on disk. */
  let writes = 0;
  let savedWrites = 0;
  let unsaved = 0;
  let openedBytes = 0;
  let isFirst = true;
  const thread = startDatabaseThread({ open, carryOver, onDamaged, log });

  async function openEmpty(engine: Engine): Promise<void> {
    await engine.request('open', {});
    await engine.request('write', { statements: createSchema });
    if (!isFirst) onLost();
  }

  /** A process that fills the file moves it out of the way. The others wait for the next version. */
  function onDamaged(error: unknown): void {
    const problem = error instanceof Error ? error.message : undefined;
    log.warn({ problem }, 'the mirror file is damaged and is filled again');
    distrusted = version;
    if (isFilling && file?.version() === version) file?.setAside(now());
  }

  /** Opens the file. False if there is nothing in it that can be used. */
  async function openFile(engine: Engine, shared: MirrorFile): Promise<boolean> {
    version = shared.version();
    if (version === undefined || version === distrusted) return false;
    try {
      const header = await engine.request('open', { file: shared.path, isReadOnly: !isFilling });
      openedBytes = (header?.pages ?? 0) * pageLength;
      if (header?.baseUrl !== identity.baseUrl) throw otherAcademy();
      return header.schema === schemaVersion && header.timezone === identity.timezone;
    } catch (error) {
      if (!isDamaged(error)) throw error;
      onDamaged(error);
      return false;
    }
  }

  async function open(engine: Engine): Promise<void> {
    unsaved = 0;
    savedWrites = writes;
    if (file === undefined || !(await openFile(engine, file))) await openEmpty(engine);
    else if (!isFirst) onReopened();
    isFirst = false;
  }

  async function saveChanges(engine: Engine): Promise<void> {
    if (file === undefined || !isFilling || writes === savedWrites) return;
    const included = writes;
    const about = { schema: schemaVersion, ...identity, savedAt: now().toISOString() };
    await engine.request('save', { file: file.newVersion(), about });
    // Another process may have taken over while this one was held up.
    if (!file.lock.hold()) return;
    version = file.replace();
    savedWrites = included;
    unsaved = 0;
  }

  async function carryOver(engine: Engine) {
    await saveChanges(engine);
    if (file !== undefined) return open;
    const exported = await engine.request('export', {});
    return async (next: Engine) => void (await next.request('open', { exported }));
  }

  /** Takes over the filling if nobody fills, and reads what another process has saved. */
  async function refresh(): Promise<void> {
    await thread.opened();
    if (file === undefined) return;
    const was = isFilling;
    isFilling = file.lock.hold();
    if (was === isFilling && (isFilling || file.version() === version)) return;
    await thread.reopen();
  }

  async function close(): Promise<void> {
    clearInterval(alive);
    file?.lock.release();
    await thread.close();
  }

  /** Runs a statement of a stranger. */
  async function asked<Result>(ask: (engine: Engine) => Promise<Result>): Promise<Result> {
    await refresh();
    try {
      return await thread.runAgain(ask);
    } finally {
      await thread.giveMemoryBack().catch(() => {});
    }
  }

  /** `generation`: of the database; undefined for any. */
  function storeOf(generation?: number): Store {
    return {
      isFiller: () => isFilling,
      write: async (statements) => {
        const all = [forgetRowCounts, ...statements];
        unsaved = await thread.run((engine) => engine.request('write', { statements: all }), generation);
        writes += 1;
      },
      read: async (sql, values = []) => {
        return await thread.runAgain((engine) => engine.request('read', { sql, values }), generation);
      },
      together: async (ask) => {
        await refresh();
        return await ask(storeOf(thread.generation()).read);
      },
      query: (sql, limits) => asked((engine) => engine.query(sql, limits)),
      csv: (sql, limits) => asked((engine) => engine.csv(sql, limits)),
      pinned: () => storeOf(thread.generation()),
      newest: async () => {
        await refresh();
        return storeOf(thread.generation());
      },
      openedBytes: () => openedBytes,
      isFull: () => file !== undefined && unsaved > maxUnsaved,
      save: async () => {
        await refresh();
        await thread.run(saveChanges);
      },
      close,
    };
  }

  try {
    await thread.opened();
  } catch (error) {
    await close();
    throw error;
  }
  return storeOf();
}
