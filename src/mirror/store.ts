import type { Logger } from 'pino';
import { AcademyError } from '../shared/errors.ts';
import { stopping } from '../shared/shutdown.ts';
import {
  type Cell,
  createMemories,
  type ImageHeader,
  type Memories,
  RefusedError,
  type Statement,
} from './engine/messages.ts';
import { startThread, type Thread } from './engine/thread.ts';
import type { MirrorFile } from './file/mirror-file.ts';
import { createSchema, schemaVersion } from './schema/tables.ts';

export type Read = (sql: string, values?: readonly Cell[]) => Promise<readonly (readonly Cell[])[]>;

export interface StoreOptions {
  /** What a file must be of to be used. */
  readonly identity: Pick<ImageHeader, 'baseUrl' | 'timezone'>;
  /** Undefined: in memory alone. */
  readonly file: MirrorFile | undefined;
  readonly log: Logger;
  readonly now: () => Date;
  /** Where the thread of callers finds snapshots. Default: memory that nothing else uses. */
  readonly memories?: Memories;
  /**
   * How often the lock is kept alive, in milliseconds, since a step of the filling may wait for its requests for minutes. Default:
   * 15,000, a quarter of the time after which a lock is left over.
   */
  readonly aliveMs?: number;
}

/** Lets several reads run while nothing is written. Whoever waits longest is next. */
function createTurns() {
  const reading = new Set<Promise<unknown>>();
  let written: Promise<unknown> = Promise.resolve();
  return {
    read: async <Result>(ask: () => Promise<Result>): Promise<Result> => {
      await written;
      const asked = ask();
      reading.add(asked);
      return await asked.finally(() => reading.delete(asked));
    },
    write: <Result>(change: () => Promise<Result>): Promise<Result> => {
      const mine = written.then(() => Promise.allSettled(reading)).then(change);
      written = mine.catch(() => {});
      return mine;
    },
  };
}

/** The database of a mirror, in the thread that fills it, and in a file if there is one. Only our own statements run here. */
export async function openStore(options: StoreOptions) {
  const { identity, file, log, now, aliveMs = 15_000, memories = createMemories() } = options;
  const thread = startThread(memories);
  const turns = createTurns();
  let isFilling = file?.hold() ?? true;
  /** The version of the file that was read or written last, whether it could be used or not. */
  let version: string | undefined;
  /** How often the database has changed: at all, for the next statement of a caller, and when it was saved or opened. */
  let changes = 0;
  let needed = 0;
  let saved = 0;
  let isClosed = false;
  const lost = thread.ended.then(() => {
    if (!isClosed) log.warn('the database of the mirror is lost and is opened again');
  });
  const alive = setInterval(() => {
    try {
      if (isFilling) file?.hold();
    } catch {
      // The next save fails for the same reason, and reports it.
    }
  }, aliveMs).unref();

  /** A process that fills the file moves it out of the way. The others wait for the next version. */
  function setAside(error: RefusedError): void {
    log.warn({ problem: error.message }, 'the mirror file is damaged and is filled again');
    if (isFilling && version !== undefined && file?.version() === version) file.setAside(now());
  }

  async function distrust(error: RefusedError): Promise<never> {
    if (isClosed) throw stopping();
    if (error.kind === 'damaged') setAside(error);
    await thread.end();
    throw new AcademyError('internal', 'the copy of the academy was lost and is opened again', { hint: 'Call again.' });
  }

  /** After this the database is lost, if it is damaged. */
  const guarded = <Answer>(asked: Promise<Answer>): Promise<Answer> =>
    asked.catch((error: unknown) => {
      if (error instanceof RefusedError && ['damaged', 'ended'].includes(error.kind)) return distrust(error);
      throw error;
    });

  const request: Thread['request'] = (name, args) => guarded(thread.request(name, args));

  /** Opens the file. Undefined if there is nothing in it that can be used. */
  async function openFile({ path }: MirrorFile): Promise<ImageHeader | undefined> {
    const header = await thread.request('open', { file: path }).catch((error: unknown) => {
      if (!(error instanceof RefusedError) || error.kind !== 'damaged') throw error;
      setAside(error);
      return undefined;
    });
    if (header !== undefined && header.baseUrl !== identity.baseUrl) {
      const hint = 'Name another file in ACADEMY_MIRROR, or delete this one with academy-mcp mirror purge.';
      throw new AcademyError('invalid_settings', 'the file of ACADEMY_MIRROR is of another academy', { hint });
    }
    return header?.schema === schemaVersion && header.timezone === identity.timezone ? header : undefined;
  }

  async function open(): Promise<void> {
    version = file?.version();
    const header = file === undefined || version === undefined ? undefined : await openFile(file);
    if (header === undefined) {
      await thread.request('open', {});
      await thread.request('write', { statements: createSchema });
    }
    changes += 1;
    needed = changes;
    saved = changes;
  }

  async function refresh(): Promise<void> {
    if (file === undefined) return;
    const was = isFilling;
    isFilling = file.hold();
    if (was && isFilling) return;
    // What this process has stored since its last save is not in the file of the other one.
    if (was) return await distrust(new RefusedError('ended', 'another process fills the file'));
    if (file.version() === version) return;
    await turns.write(async () => {
      if (file.version() !== version) await guarded(open());
    });
  }

  const read: Read = (sql, values = []) => request('read', { sql, values });

  async function close(): Promise<void> {
    isClosed = true;
    clearInterval(alive);
    file?.release();
    await thread.end();
  }

  await open().catch(async (error: unknown) => {
    await close();
    throw error;
  });

  return {
    /** Whether this process fills it. Another one does if they share a file. */
    isFiller: () => isFilling,
    /** Runs statements in one transaction. */
    write: async (statements: readonly Statement[]): Promise<void> => {
      if (!isFilling) throw new AcademyError('internal', 'another process fills this mirror');
      await turns.write(async () => {
        await request('write', { statements });
        changes += 1;
      });
    },
    read,
    /** Several reads of one state, the newest. Writes wait until `ask` has ended, so it uses nothing of the store but its `read`. */
    together: async <Result>(ask: (read: Read) => Promise<Result>): Promise<Result> => {
      await refresh();
      return await turns.read(() => ask(read));
    },
    /** The next statement of a caller sees everything that was written until now. */
    renew: () => {
      needed = changes;
    },
    changes: () => ({ now: changes, needed }),
    memories,
    /** Makes a snapshot, and says which changes it has seen. Nothing may read the one before it now. */
    share: () => turns.read(async () => ({ snapshot: await request('share', {}), changes })),
    /** Ends the use of the database: it is damaged. Throws. */
    distrust,
    /** Takes over the filling if nobody fills, and reads what another process has saved. */
    refresh,
    /** Writes the file, if there is one and something has changed since. */
    save: async (): Promise<void> => {
      await refresh();
      if (file === undefined || !isFilling || changes === saved) return;
      const included = changes;
      const about = { schema: schemaVersion, ...identity, savedAt: now().toISOString() };
      await request('save', { file: file.newVersion(), about });
      // Another process may have taken over while this one was held up.
      if (!file.hold()) return;
      version = file.replace();
      saved = included;
    },
    /** Resolves when the database is lost, or closed. Then nothing can be read or written. */
    lost,
    close,
  };
}

export type Store = Awaited<ReturnType<typeof openStore>>;
