import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isSecret, settingEntries } from '../../src/config/settings.ts';

export const root = fileURLToPath(new URL('../../', import.meta.url));

export function read(file: string): string {
  return readFileSync(join(root, file), 'utf8');
}

const settings = settingEntries.flatMap(([, setting]) => [
  setting.env,
  ...(isSecret(setting) ? [`${setting.env}_FILE`] : []),
]);

/** Every variable that the program knows, and PORT. */
export const knownVariables: ReadonlySet<string> = new Set([...settings, 'PORT']);

/** The variables of the program that a text mentions. */
export function variablesIn(text: string): string[] {
  return [...new Set(text.match(/\b(ACADEMY_[A-Z_]+|LOG_LEVEL)\b/g) ?? [])];
}

/** Whether this machine has a program, also in the folders of administrators. */
export function has(program: string): boolean {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/sbin'];
  return folders.some((folder) => existsSync(join(folder, program)));
}
