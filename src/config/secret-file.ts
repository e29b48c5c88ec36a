import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { SettingsError } from '../shared/errors.ts';
import { isPlaceholder, placeholderProblem } from './placeholders.ts';

/** Bytes. A key or a list of tokens is far smaller; a larger file is the wrong one. */
const maxBytes = 64 * 1024;

const reasons: Record<string, string> = {
  ENOENT: 'there is no such file',
  EACCES: 'this user has no right to read it',
  ENOTDIR: 'there is no such file',
};

/** The path is not repeated: it may be the secret itself, set in the wrong variable. */
function refuse(variable: string, problem: string): never {
  throw new SettingsError(`${variable} names a file that cannot be used: ${problem}`);
}

function readFailure(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
  return reasons[code] ?? code;
}

/** Without O_NONBLOCK, opening a pipe waits for a writer. Windows has no such flag. */
function open(file: string, variable: string): number {
  try {
    return openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    return refuse(variable, readFailure(error));
  }
}

function readBytes(descriptor: number, variable: string): Buffer {
  if (!fstatSync(descriptor).isFile()) refuse(variable, 'it is not a regular file');
  const buffer = Buffer.alloc(maxBytes + 1);
  const length = readSync(descriptor, buffer, 0, buffer.length, 0);
  if (length > maxBytes) refuse(variable, `it has more than ${maxBytes / 1024} KiB`);
  return buffer.subarray(0, length);
}

/**
 * Reads a secret from the file that `variable` names, without the line break at its end. Any mode is accepted: container
 * runtimes mount secrets with mode 0444. Throws `SettingsError`.
 */
export function readSecretFile(file: string, variable: string): string {
  if (isPlaceholder(file)) {
    throw new SettingsError(`${variable} ${placeholderProblem}`, 'Set it to the full path of your own file.');
  }
  const descriptor = open(file, variable);
  try {
    const text = readBytes(descriptor, variable).toString('utf8');
    // Some Windows editors put a byte order mark first.
    const secret = text.replace(/^\uFEFF/, '').replace(/\r?\n$/, '');
    return secret === '' ? refuse(variable, 'it is empty') : secret;
  } finally {
    closeSync(descriptor);
  }
}
