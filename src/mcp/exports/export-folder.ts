import { constants } from 'node:fs';
import { lstat, open, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { AcademyError } from '../../shared/errors.ts';
import { createCallerTurns } from '../../shared/turns.ts';
import type { Redact } from '../output/redact.ts';
import { type ExportFile, type ExportSink, timeInName } from './export-sink.ts';

interface ExportFolderOptions {
  /** ACADEMY_EXPORT_DIR. */
  readonly folder: string | undefined;
  readonly redact: Redact;
  readonly now: () => Date;
}

/** Only the owner may read an export: it holds names and emails. */
const ownerOnly = 0o600;

/** A file that exists is never opened, be it a link or not. Windows has no O_NOFOLLOW. */
const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);

/** How many names are tried: exports of the same second get a number. */
const mostNames = 100;

const maxBytes = 100 * 2 ** 20;

const hint =
  'Ask the person who runs this server to set ACADEMY_EXPORT_DIR to an existing folder, and to start it again.';

const refuse = (problem: string, cause?: unknown) => new AcademyError('invalid_settings', problem, { hint, cause });

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

/** Nothing is left of a file that could not be written whole. */
async function writeNew(path: string, text: string): Promise<void> {
  const file = await open(path, flags, ownerOnly);
  try {
    await file.writeFile(text);
    await file.sync();
    await file.close();
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
    const text = redact(Buffer.from(csv.buffer, csv.byteOffset, csv.byteLength).toString());
    // The name of an account is part of it.
    const start = `${name.replace(/[^\w-]/g, '_')}-${timeInName(now())}`;
    for (let number = 1; number <= mostNames; number += 1) {
      const file = join(path, `${start}${number === 1 ? '' : `-${number}`}.csv`);
      try {
        await writeNew(file, text);
        return { file };
      } catch (error) {
        if (error instanceof AcademyError) throw error;
        if (codeOf(error) !== 'EEXIST') throw refuse('no file can be made in ACADEMY_EXPORT_DIR', error);
      }
    }
    throw refuse('ACADEMY_EXPORT_DIR has too many exports of this second');
  }

  return {
    maxBytes,
    check: async () => void (await checked()),
    inTurn: createCallerTurns('exports'),
    save,
    read: async () => undefined,
  };
}
