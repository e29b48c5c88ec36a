import type { Logger } from 'pino';
import { AcademyError } from '../shared/errors.ts';
import { stopping } from '../shared/shutdown.ts';
import { type Cell, type ImageHeader, RefusedError, type Statement } from './engine/messages.ts';
import { startThread, type Thread } from './engine/thread.ts';
import type { MirrorFile } from './file/mirror-file.ts';
import { createSchema, schemaVersion } from './schema/create.ts';

export type Read = (sql: string, values?: readonly Cell[]) => Promise<readonly (readonly Cell[])[]>;

/** The database of a mirror, in the thread that fills it, and in a file if there is one. Only our own statements run here. */
export interface Store {
  /** Whether this process fills it. Another one does if they share a file. */
  isFiller(): boolean;
  /** Runs statements in one transaction. */
  write(statements: readonly Statement[]): Promise<void>;
  readonly read: Read;
  /** Several reads of one state, the newest. Writes wait until `ask` has ended, so it uses nothing of the store but its `read`. */
  together<Result>(ask: (read: Read) => Promise<Result>): Promise<Result>;
  /** The next statement of a caller sees everything that was written until now. */
  renew(): void;
  /**
   * How often the database has changed, and the changes that a statement of a caller has to see. `digest`: that of the file, if it
   * was opened and has not changed since.
   */
  changes(): { readonly now: number; readonly needed: number; readonly digest: string | undefined };
  /** Copies the database into another thread. Returns the changes that it has seen. */
  copyTo(other: Thread): Promise<number>;
  /** Ends the use of the database: it is damaged. Throws. */
  distrust(error: RefusedError): Promise<never>;
  /** Takes over the filling if nobody fills, and reads what another process has saved. */
  refresh(): Promise<void>;
  /** Bytes of the file that was opened; 0 without one. */
  openedBytes(): number;
  /** Writes the file, if there is one and something has changed since. */
  save(): Promise<void>;
  /** Resolves when the database is lost, or closed. Then nothing can be read or written. */
  readonly lost: Promise<void>;
  close(): Promise<void>;
}

export interface StoreOptions {
  /** What a file must be of to be used. */
  readonly identity: Pick<ImageHeader, 'baseUrl' | 'timezone'>;
  /** Undefined: in memory alone. */
  readonly file: MirrorFile | undefined;
  readonly log: Logger;
  readonly now: () => Date;
  /** How often the lock is kept alive, in milliseconds. Default: 15,000. */
  readonly aliveMs?: number;
}

/** A quarter of the time after which a lock is left over. A step of the filling may wait for its requests for minutes. */
const defaultAliveMs = 15_000;

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

export async function openStore({ identity, file, log, now, aliveMs = defaultAliveMs }: StoreOptions): Promise<Store> {
  const thread = startThread();
  const turns = createTurns();
  let isFilling = file?.hold() ?? true;
  /** The version of the file that was read or written last, whether it could be used or not. */
  let version: string | undefined;
  let openedBytes = 0;
  let digest: string | undefined;
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

  /** A request after which the database is lost, if it is damaged. */
  async function guarded<Answer>(request: Promise<Answer>): Promise<Answer> {
    return await request.catch((error: unknown) => {
      const isLost = error instanceof RefusedError && (error.kind === 'damaged' || error.kind === 'ended');
      if (isLost) return distrust(error);
      throw error;
    });
  }

  /** Opens the file. False if there is nothing in it that can be used. */
  async function openFile({ path }: MirrorFile): Promise<boolean> {
    const header = await thread.request('open', { file: path }).catch((error: unknown) => {
      if (!(error instanceof RefusedError) || error.kind !== 'damaged') throw error;
      setAside(error);
      return undefined;
    });
    if (header === undefined) return false;
    if (header.baseUrl !== identity.baseUrl) {
      const hint = 'Name another file in ACADEMY_MIRROR, or delete this one with academy-mcp mirror purge.';
      throw new AcademyError('invalid_settings', 'the file of ACADEMY_MIRROR is of another academy', { hint });
    }
    if (header.schema !== schemaVersion || header.timezone !== identity.timezone) return false;
    openedBytes = header.bytes;
    digest = header.sha256;
    return true;
  }

  async function open(): Promise<void> {
    digest = undefined;
    version = file?.version();
    if (file === undefined || version === undefined || !(await openFile(file))) {
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

  const read: Read = (sql, values = []) => guarded(thread.request('read', { sql, values }));

  async function close(): Promise<void> {
    isClosed = true;
    clearInterval(alive);
    file?.release();
    await thread.end();
  }

  try {
    await open();
  } catch (error) {
    await close();
    throw error;
  }

  return {
    isFiller: () => isFilling,
    write: async (statements) => {
      if (!isFilling) throw new AcademyError('internal', 'another process fills this mirror');
      await turns.write(async () => {
        await guarded(thread.request('write', { statements }));
        changes += 1;
        digest = undefined;
      });
    },
    read,
    together: async (ask) => {
      await refresh();
      return await turns.read(() => ask(read));
    },
    renew: () => {
      needed = changes;
    },
    changes: () => ({ now: changes, needed, digest }),
    copyTo: (other) =>
      turns.read(async () => {
        let loaded = other.request('open', {}).then(() => {});
        for (let from = 0; ; ) {
          const bytes = await guarded(thread.request('export', { from }));
          await loaded;
          if (bytes.length === 0) return changes;
          from += bytes.length;
          loaded = other.request('load', { bytes });
        }
      }),
    distrust,
    refresh,
    openedBytes: () => openedBytes,
    save: async () => {
      await refresh();
      if (file === undefined || !isFilling || changes === saved) return;
      const included = changes;
      const about = { schema: schemaVersion, ...identity, savedAt: now().toISOString() };
      await guarded(thread.request('save', { file: file.newVersion(), about }));
      // Another process may have taken over while this one was held up.
      if (!file.hold()) return;
      version = file.replace();
      saved = included;
    },
    lost,
    close,
  };
}
