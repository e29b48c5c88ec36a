import { constants } from 'node:fs';
import { open, readdir, realpath } from 'node:fs/promises';
import { isAbsolute, relative, resolve } from 'node:path';
import { oneLine } from '../shared/clean-text.ts';
import { AcademyError } from '../shared/errors.ts';
import { refuseInput, withCommas } from '../shared/invalid-input.ts';

/** Reads one file of ACADEMY_IMPORT_DIR, of at most `maxBytes`. Throws `invalid_input` for every other path. */
export type ReadImport = (name: string, maxBytes: number) => Promise<Uint8Array>;

/** A pipe would block. Windows has neither flag. */
const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

const shownNames = 10;

function noFolder(problem: string): AcademyError {
  const hint =
    'Ask the person who runs this server to set it to an existing folder and to start it again, or send csv.';
  return new AcademyError('invalid_settings', `ACADEMY_IMPORT_DIR ${problem}, so no file can be read`, { hint });
}

/** The same words for a file that is elsewhere and for one that is missing: nothing is told of other folders. */
async function notThere(name: string, folder: string): Promise<AcademyError> {
  const found = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const files = found.filter((one) => one.isFile() && !one.name.startsWith('.')).map((one) => oneLine(one.name, 80));
  const hint = files.length === 0 ? 'It has no files.' : `It has ${files.sort().slice(0, shownNames).join(', ')}.`;
  return new AcademyError('not_found', `ACADEMY_IMPORT_DIR has no file ${JSON.stringify(oneLine(name, 120))}`, {
    hint,
  });
}

/** `folder`: ACADEMY_IMPORT_DIR. Links may not lead out of it, and only a regular file is read. */
export function createImportFolder(folder: string | undefined): ReadImport {
  return async (name, maxBytes) => {
    if (folder === undefined) throw noFolder('is not set');
    const root = await realpath(folder).catch(() => undefined);
    if (root === undefined) throw noFolder('is no existing folder');
    const path = name.includes('\0') ? undefined : await realpath(resolve(root, name)).catch(() => undefined);
    const inside = path === undefined ? '..' : relative(root, path);
    if (path === undefined || inside === '' || /^\.\.([/\\]|$)/.test(inside) || isAbsolute(inside))
      throw await notThere(name, root);
    const file = await open(path, flags).catch(() => undefined);
    if (file === undefined) throw await notThere(name, root);
    try {
      const { size } = await file.stat().then((stats) => (stats.isFile() ? stats : { size: undefined }));
      if (size === undefined) throw await notThere(name, root);
      if (size > maxBytes)
        throw refuseInput([`file has ${withCommas(size)} bytes, and at most ${withCommas(maxBytes)} are read`]);
      const { buffer, bytesRead } = await file.read(Buffer.alloc(size), 0, size, 0);
      return buffer.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  };
}
