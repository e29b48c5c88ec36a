import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Pool } from 'undici';
import type { AtEnd } from './benchmark.ts';
import { readLines } from './lines.ts';
import { type Memory, memoryOf } from './memory.ts';
import { program } from './programs.ts';

const apiKey = 'bench-key';

/** The end of the data, fixed so that each run requests the same records. */
export const dataEnd = '2026-06-30T12:00:00Z';

/** The embedded academy as a separate process, with plain HTTP to it. */
export interface SandboxProcess {
  /** Settings that connect academy-mcp to it. */
  readonly environment: Record<string, string>;
  /** From its start until it listens, in milliseconds. */
  readonly readyMs: number;
  /** The body of a 200 answer. */
  get(path: string): Promise<string>;
  memory(): Memory | undefined;
}

export async function openSandbox(flags: readonly string[], atEnd: AtEnd): Promise<SandboxProcess> {
  const args = ['sandbox', '--port', '0', '--api-key', apiKey, '--now', dataEnd, ...flags];
  const started = performance.now();
  const child = spawn(process.execPath, [program, ...args], { env: {}, stdio: ['ignore', 'pipe', 'inherit'] });
  atEnd(async () => {
    child.kill();
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  });
  const url = await new Promise<string>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the sandbox ended with code ${code}`)));
    readLines(child.stdout, (line) => {
      const [, address] = /listening on (\S+)/.exec(line) ?? [];
      if (address !== undefined) resolve(address);
    });
  });
  const readyMs = performance.now() - started;
  const pool = new Pool(url);
  atEnd(() => pool.close());
  return {
    environment: { ACADEMY_BASE_URL: url, ACADEMY_API_KEY: apiKey },
    readyMs,
    get: (path) => getText(pool, path),
    memory: () => memoryOf(child.pid),
  };
}

async function getText(pool: Pool, path: string): Promise<string> {
  const headers = { authorization: `Bearer ${apiKey}` };
  const { statusCode, body } = await pool.request({ method: 'GET', path, headers });
  const text = await body.text();
  if (statusCode !== 200) throw new Error(`GET ${path} answered ${statusCode}: ${text.slice(0, 200)}`);
  return text;
}
