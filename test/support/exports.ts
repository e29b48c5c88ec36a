import { readFile } from 'node:fs/promises';
import { expect } from 'vitest';
import { startMirror } from '../mirror/start-mirror.ts';
import { type Row, words } from './academy.ts';
import type { Connection } from './connect.ts';
import { readCsv } from './csv.ts';
import { temporaryFolder } from './sandbox.ts';

/** A mirror whose exports are files of a folder. */
export async function startExports(settings: Record<string, string> = {}) {
  const folder = temporaryFolder();
  const academy = await startMirror({}, { ACADEMY_EXPORT_DIR: folder, ...settings });
  return { folder, ...academy };
}

/** An export that must succeed, with the file that it made. */
export async function exported({ call }: Pick<Connection, 'call'>, args: Row) {
  const { isError, text, structured = {} } = await call('export_data', args);
  expect(isError, text).toBe(false);
  const file = words(structured.file);
  const csv = readCsv(await readFile(file, 'utf8'));
  const records = csv.rows.map((cells) => Object.fromEntries(csv.header.map((name, index) => [name, cells[index]])));
  return { text, structured, file, ...csv, records };
}

export const sorted = (texts: readonly unknown[]) => texts.map(String).sort();
