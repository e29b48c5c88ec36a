import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/index.ts';
import { type Answer, request } from './academy.ts';
import { atEnd } from './at-end.ts';

/** A fresh small sandbox that closes with the test; by default without a rate limit. */
export async function start(options: SandboxOptions = {}): Promise<Sandbox> {
  const sandbox = await startSandbox({ students: 20, orders: 40, rateLimit: 'off', ...options });
  atEnd(() => sandbox.close());
  return sandbox;
}

/** One request with the key of the sandbox's first account. */
export function call({ url, apiKey }: Sandbox, method: string, path: string, body?: unknown): Promise<Answer> {
  return request(`${url}${path}`, method, body, bearer(apiKey));
}

export function bearer(key: string): Record<string, string> {
  return { authorization: `Bearer ${key}` };
}

/** A path in a temporary directory of the test. */
export async function temporaryFile(name: string): Promise<string> {
  return join(temporaryFolder(), name);
}

/** An empty folder, which is removed after the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'academy-'));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A regular Linux file that can be opened for writing and refuses every line, like a full disk. */
export const unwritableFile = '/proc/self/oom_score_adj';
