import type { Logger } from 'pino';
import { AcademyError } from '../shared/errors.ts';
import { stopping } from '../shared/shutdown.ts';
import { createTurns } from '../shared/turns.ts';
import { type Cell, createMemories, type Memories, RefusedError, type Statement } from './engine/messages.ts';
import { startThread, type Thread } from './engine/thread.ts';
import { type AboutImage, checkMirrorFile, removeLeftOvers, setAside, versionOf } from './file/mirror-file.ts';
import { createSchema, schemaVersion } from './rows/tables.ts';

export type Read = (sql: string, values?: readonly Cell[]) => Promise<readonly (readonly Cell[])[]>;

interface StoreOptions {
  /** What a file must be of to be used. */
  readonly identity: Pick<AboutImage, 'baseUrl' | 'timezone'>;
  /** The path of a file. Undefined: in memory alone. */
  readonly file: string | undefined;
  readonly log: Logger;
  readonly now: () => Date;
  /** Where the thread of callers finds snapshots. Default: memory that nothing else uses. */
  readonly memories?: Memories;
}

/** The database of a mirror, in a thread of its own, and its file. Throws `SettingsError` for a file that cannot be used. */
export async function openStore({ identity, file, log, now, memories = createMemories() }: StoreOptions) {
  if (file !== undefined) {
    checkMirrorFile(file);
    removeLeftOvers(file);
  }
  const thread = startThread(memories);
  /** Of what reads several times, and of what writes. */
  const turn = createTurns();
  /** The version of the file that was opened or saved last; undefined if there was none. */
  let version = file === undefined ? undefined : versionOf(file);
  /** How often the database has changed: at all, and when it was saved or opened. */
  let [changes, saved] = [1, 1];
  let isDeleted = false;
  let isClosed = false;
  const lost = thread.ended.then(() => {
    if (!isClosed) log.warn('the database of the mirror is lost and is opened again');
  });

  /** Moves a damaged file out of the way, unless another process has saved a newer one. */
  function replaceFile(error: RefusedError): void {
    log.warn({ problem: error.message }, 'the mirror file is damaged and is filled again');
    if (file !== undefined && version !== undefined && versionOf(file) === version) setAside(file, now());
    version = undefined;
  }

  async function distrust(error: RefusedError): Promise<never> {
    if (isClosed) throw stopping();
    if (error.kind === 'damaged') replaceFile(error);
    await thread.end();
    throw new AcademyError('internal', 'the copy of the academy was lost and is opened again', { hint: 'Call again.' });
  }

  /** After this the database is lost, if it is damaged. */
  const request: Thread['request'] = (name, args) =>
    thread.request(name, args).catch((error: unknown) => {
      if (error instanceof RefusedError && ['damaged', 'ended'].includes(error.kind)) return distrust(error);
      throw error;
    });

  async function open(): Promise<void> {
    const header = await thread.request('open', { file: version && file }).catch((error: unknown) => {
      if (!(error instanceof RefusedError) || error.kind !== 'damaged') throw error;
      replaceFile(error);
      return undefined;
    });
    if (header !== undefined && header.baseUrl !== identity.baseUrl) {
      const hint = 'Name another file in ACADEMY_MIRROR, or delete this one with academy-mcp mirror purge.';
      throw new AcademyError('invalid_settings', 'the file of ACADEMY_MIRROR is of another academy', { hint });
    }
    if (header?.schema === schemaVersion && header.timezone === identity.timezone) return;
    await thread.request('open', { file: undefined });
    await thread.request('write', { statements: createSchema });
  }

  async function close(): Promise<void> {
    isClosed = true;
    await thread.end();
  }

  await open().catch(async (error: unknown) => {
    await close();
    throw error;
  });

  const read: Read = (sql, values = []) => request('read', { sql, values });

  return {
    write: (statements: readonly Statement[]): Promise<void> =>
      turn(async () => {
        await request('write', { statements });
        changes += 1;
      }),
    read,
    /** Several reads of one state, the newest. Writes wait until `ask` has ended, so it uses nothing of the store but its `read`. */
    together: <Result>(ask: (read: Read) => Promise<Result>): Promise<Result> => turn(() => ask(read)),
    changes: () => changes,
    memories,
    /** Makes a snapshot, and says which changes it has seen. Nothing may read the one before it now. */
    share: async () => ({ snapshot: await request('share', {}), changes }),
    /** Ends the use of the database: it is damaged. Throws. */
    distrust,
    /** Writes the file, if there is one and something has changed since. Not if somebody has deleted it: then it stays deleted. */
    save: async (): Promise<void> => {
      if (file === undefined || isDeleted || changes === saved) return;
      const included = changes;
      const about = { schema: schemaVersion, ...identity, savedAt: now().toISOString() };
      const written = await request('save', { file, about, isFirst: version === undefined });
      isDeleted = written === undefined;
      if (isDeleted) log.warn('the mirror file was deleted; the copy stays in memory alone');
      version = written;
      saved = included;
    },
    /** Resolves when the database is lost, or closed. Then nothing can be read or written. */
    lost,
    close,
  };
}

export type Store = Awaited<ReturnType<typeof openStore>>;
