import { randomBytes } from 'node:crypto';
import { lstat, open, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { splitCsv } from '../shared/csv.ts';
import { hourMs } from '../shared/durations.ts';
import { AcademyError } from '../shared/errors.ts';
import type { SharedStore } from '../shared/shared-store.ts';
import { type CallerTurns, createCallerTurns } from '../shared/turns.ts';
import type { Redact } from './output/redact.ts';

/** A whole result as CSV, to be saved. `name`: letters, digits, underscores and hyphens. */
interface ExportFile {
  readonly name: string;
  readonly csv: Uint8Array;
}

/** A path over stdio. Over HTTP the addresses of resources, which hold the first `rows` rows: all, if `why` is undefined. */
export type SavedExport =
  | { readonly file: string }
  | { readonly links: readonly string[]; readonly expires_at: string; readonly rows: number; readonly why?: string };

export interface ExportSink {
  readonly maxBytes: number;
  /** Throws `invalid_settings` if nothing can be saved. It comes before the data are read. */
  check(): Promise<void>;
  /** Runs what makes a large export, one after the other in this process. */
  readonly inTurn: CallerTurns;
  /** `account`: what the call names, if the caller has several. */
  save(
    file: ExportFile,
    owner: { readonly caller: string; readonly account?: string | undefined },
  ): Promise<SavedExport>;
  /** The text of an export that this caller made; undefined for any other. */
  read(id: string, caller: string): Promise<string | undefined>;
}

interface ExportFolderOptions {
  /** ACADEMY_EXPORT_DIR. */
  readonly folder: string | undefined;
  readonly redact: Redact;
  readonly now: () => Date;
}

const textOf = (csv: Uint8Array) => Buffer.from(csv.buffer, csv.byteOffset, csv.byteLength).toString();

/** "2026-11-22T10:40:22Z". */
const secondOf = (time: Date) => time.toISOString().replace(/\.\d+/, '');

/** Only the owner may read an export: it holds names and emails. */
const ownerOnly = 0o600;

/** How many names are tried: exports of the same second get a number. */
const mostNames = 100;

const maxFileBytes = 100 * 2 ** 20;

const hint =
  'Ask the person who runs this server to set ACADEMY_EXPORT_DIR to an existing folder, and to start it again.';

const refuse = (problem: string, cause?: unknown) => new AcademyError('invalid_settings', problem, { hint, cause });

/** False if the file exists: it is never opened, be it a link or not. Nothing is left of one that could not be written whole. */
async function writeNew(path: string, text: string): Promise<boolean> {
  const file = await open(path, 'wx', ownerOnly).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw refuse('no file can be made in ACADEMY_EXPORT_DIR', error);
  });
  if (file === undefined) return false;
  try {
    await file.writeFile(text);
    await file.sync();
    await file.close();
    return true;
  } catch (cause) {
    await file.close().catch(() => {});
    await rm(path, { force: true });
    throw refuse('the export could not be written: the disk may be full', cause);
  }
}

/** Exports as files of the folder, for a client on the same machine. */
export function createExportFolder({ folder, redact, now }: ExportFolderOptions): ExportSink {
  async function checked(): Promise<string> {
    if (folder === undefined) throw refuse('ACADEMY_EXPORT_DIR is not set, so there is no place for the file');
    const path = resolve(folder);
    const stats = await lstat(path).catch(() => undefined);
    if (stats?.isSymbolicLink()) throw refuse('ACADEMY_EXPORT_DIR is a symbolic link; name the folder itself');
    if (!stats?.isDirectory()) throw refuse('ACADEMY_EXPORT_DIR is not an existing folder');
    return path;
  }

  async function save({ name, csv }: ExportFile) {
    const path = await checked();
    const text = redact(textOf(csv));
    // A colon is not allowed in names of Windows. The name of an account is part of `name`.
    const start = `${name.replace(/[^\w-]/g, '_')}-${secondOf(now()).replaceAll(':', '-')}`;
    for (let number = 1; number <= mostNames; number += 1) {
      const file = join(path, `${start}${number === 1 ? '' : `-${number}`}.csv`);
      if (await writeNew(file, text)) return { file };
    }
    throw refuse('ACADEMY_EXPORT_DIR has too many exports of this second');
  }

  return {
    maxBytes: maxFileBytes,
    check: async () => void (await checked()),
    inTurn: createCallerTurns('exports'),
    save,
    read: async () => undefined,
  };
}

/** What all accounts of a process share: their exports use the same memory, so they are made one after the other. */
export const createExportPlace = (store: SharedStore) => ({ store, inTurn: createCallerTurns('exports') });
export type ExportPlace = ReturnType<typeof createExportPlace>;

interface ExportLinksOptions extends Omit<ExportFolderOptions, 'folder'> {
  readonly place: ExportPlace;
  /** What no other academy of this place has. */
  readonly academy: string;
  readonly quota?: typeof exportQuota;
}

const maxBytes = 32 * 2 ** 20;

/** Bytes of the exports of an hour, compressed and as text. */
export const exportQuota = { ofOwner: 32 * 2 ** 20, ofAll: 64 * 2 ** 20 };

/** Small exports cost more memory than their bytes. */
export const leastCounted = 16 * 1024;

/** Per link: a client gets it in one message, and the server needs a dozen copies of that. */
export const maxLinkBytes = 2 * 2 ** 20;

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/** 128 bits, so that the address of an export cannot be guessed. */
const idBytes = 16;

const academyUri = 'academy://';

const mebibytes = (bytes: number) => `${bytes / 2 ** 20} MiB`;
const quotaText = `exports of one hour may have ${mebibytes(exportQuota.ofOwner)} for each caller and ${mebibytes(exportQuota.ofAll)} for all, compressed`;

const full = () =>
  new AcademyError('rate_limited', `there is no room for this export: ${quotaText}`, {
    hint: 'Export less: fewer columns, or add up with GROUP BY. Otherwise wait until older exports have expired.',
  });

/** Exports as resources, each for an hour and for the caller who made it. A long one has several, each with the names of the columns. */
export function createExportLinks({
  place: { store, inTurn },
  academy,
  redact,
  now,
  quota = exportQuota,
}: ExportLinksOptions): ExportSink {
  /** JSON, since the name of a caller may hold anything. */
  const keyOf = (id: string, caller: string) => JSON.stringify([academy, id, caller]);

  /** Counts `bytes` more of the hour, unless that exceeds the quota of the caller or of all. */
  async function hasRoom(bytes: number, caller: string): Promise<boolean> {
    const counts = [
      ['all', quota.ofAll],
      [`of ${caller}`, quota.ofOwner],
    ] as const;
    const used = await Promise.all(counts.map(([key]) => store.increment(key, hourMs, bytes)));
    if (counts.every(([, most], index) => (used[index]?.count ?? 0) <= most)) return true;
    await Promise.all(counts.map(([key]) => store.increment(key, hourMs, -bytes)));
    return false;
  }

  async function savePart(part: Uint8Array, caller: string): Promise<string | undefined> {
    const id = randomBytes(idBytes).toString('base64url');
    const packed = (await compress(redact(textOf(part)))).toString('base64');
    if (!(await hasRoom(Math.max(packed.length, leastCounted), caller))) return undefined;
    await store.set(keyOf(id, caller), packed, hourMs);
    return id;
  }

  return {
    maxBytes,
    check: async () => {},
    inTurn,
    save: async ({ csv }, { caller, account }) => {
      const links: string[] = [];
      let rows = 0;
      let why: string | undefined;
      for (const part of splitCsv(csv, maxLinkBytes)) {
        const id = part && (await savePart(part.csv, caller));
        if (part === undefined || id === undefined) {
          why = part === undefined ? `a row is longer than ${mebibytes(maxLinkBytes)}` : quotaText;
          break;
        }
        links.push(`${academyUri}${account === undefined ? '' : `${account}/`}exports/${id}`);
        rows += part.rows;
      }
      if (links.length === 0 && why === quotaText) throw full();
      const expires_at = secondOf(new Date(now().getTime() + hourMs));
      return { links, expires_at, rows, ...(why === undefined ? {} : { why }) };
    },
    // At most two at a time: see src/server/http/mcp-endpoint.ts.
    read: async (id, caller) => {
      const found = await store.get(keyOf(id, caller));
      return found && (await decompress(Buffer.from(found.value, 'base64'))).toString();
    },
  };
}
