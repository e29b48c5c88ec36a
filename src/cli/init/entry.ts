import { isObject } from '../../shared/json.ts';
import type { Client } from './clients.ts';

/** A server in the settings of a client. */
export interface ServerEntry {
  readonly type?: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** A secret that VS Code asks for and keeps. */
export const keyInput = {
  type: 'promptString',
  id: 'academy-api-key',
  description: "API key of the academy (Account Settings, the user's api_key)",
  password: true,
} as const;

/** What VS Code replaces with the secret. */
export const keyReference = `\${input:${keyInput.id}}`;

export function serverEntry({ hasType }: Client, { command, args, env }: Omit<ServerEntry, 'type'>): ServerEntry {
  return hasType ? { type: 'stdio', command, args, env } : { command, args, env };
}

/** With --sandbox the entry has a name of its own, so that made-up and real data can be side by side. */
export function entryName(isSandbox: boolean): string {
  return isSandbox ? 'academy-sandbox' : 'academy';
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

/** Whether an entry starts this program, however it was written: by init, by a button or by hand. */
export function startsAcademy(entry: unknown): boolean {
  if (!isObject(entry)) return false;
  const { command, args, env } = entry;
  const isNamed = [command, ...texts(args)].some((text) => typeof text === 'string' && text.includes('academy-mcp'));
  return isNamed || (isObject(env) && Object.keys(env).some((name) => name.startsWith('ACADEMY_')));
}

export function usesKeyInput(entry: unknown): boolean {
  return isObject(entry) && isObject(entry.env) && Object.values(entry.env).includes(keyReference);
}
