import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { Pool } from 'undici';
import { atEnd } from '../support/at-end.ts';
import { readAnswer } from '../support/connect.ts';
import { hello, program, type Running, start } from '../support/program.ts';
import { temporaryFolder } from '../support/sandbox.ts';

export type Memory = NonNullable<ReturnType<typeof memoryOf>>;

/** Memory of another process: only on Linux; undefined elsewhere and for a process that has ended. */
export function memoryOf(pid: number | undefined) {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const bytes = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) * 1024;
    return { now: bytes('VmRSS'), peak: bytes('VmHWM') };
  } catch {
    return undefined;
  }
}

/** A server process with a minimal client: the costs of a full client would hide those of the server. */
export type McpProcess = ReturnType<typeof spawnServer>;

/** How to start a server: `node file …args` with exactly this environment. */
export interface Launch {
  readonly file: string;
  readonly args?: readonly string[];
  readonly environment: Record<string, string>;
  readonly isSilent?: boolean;
}

export function spawnServer({ file, args = [], environment, isSilent = false }: Launch) {
  const stderr = isSilent ? 'ignore' : 'inherit';
  const { child, send, answerTo, leave } = start(args, environment, { file, stderr, onLine: () => {} });
  let lastId = 0;

  /** Rejects if the answer is a protocol error or the process ends. */
  async function request(method: string, params: object = {}): Promise<unknown> {
    const id = ++lastId;
    send({ id, method, params });
    const answer = await answerTo(id);
    if (answer === undefined) throw new Error(`${file} ended before it answered`);
    if (answer.error !== undefined) throw new Error(JSON.stringify(answer.error));
    return answer.result;
  }

  return {
    request,
    callTool: async (name: string, args: object) => readAnswer(await request('tools/call', { name, arguments: args })),
    memory: () => memoryOf(child.pid),
    close: async () => void (await leave()),
  };
}

export const initialize = (server: McpProcess) => server.request('initialize', hello[0]?.params);

export async function openServer(launch: Launch): Promise<McpProcess> {
  const server = spawnServer(launch);
  await initialize(server);
  return server;
}

export const academyMcp = (environment: Record<string, string>): Launch => ({ file: program, environment });

export const helloWorld = fileURLToPath(new URL('floor/hello-world.js', import.meta.url));

/** The same SDK over HTTP, as its documentation serves it. */
export const plainHttp = fileURLToPath(new URL('floor/plain-http.ts', import.meta.url));

/** Nothing listens on the discard port. Used for measurements without calls. */
export const nowhere = { ACADEMY_BASE_URL: 'http://127.0.0.1:9', ACADEMY_API_KEY: 'none' };

const apiKey = 'bench-key';

/** The end of the data, fixed so that each run requests the same records. */
const dataEnd = '2026-06-30T12:00:00Z';

export type SandboxProcess = Awaited<ReturnType<typeof openSandbox>>;

export async function openSandbox(flags: readonly string[]) {
  const args = ['sandbox', '--port', '0', '--api-key', apiKey, '--now', dataEnd, ...flags];
  const url = await addressOf(start(args, {}, { stderr: 'inherit' }));
  const pool = new Pool(url);
  atEnd(() => pool.close());
  return {
    environment: { ACADEMY_BASE_URL: url, ACADEMY_API_KEY: apiKey },
    get: (path: string) => getText(pool, path),
  };
}

/** The address that a program prints once it listens. */
export async function addressOf({ child, written, ended }: Running): Promise<string> {
  for (;;) {
    const [, address] = /listening on (\S+).*\n/.exec(written.stdout) ?? [];
    if (address !== undefined) return address;
    const isOver = await Promise.race([once(child.stdout ?? child, 'data').then(() => false), ended.then(() => true)]);
    if (isOver) throw new Error(`the program ended with code ${child.exitCode}`);
  }
}

async function getText(pool: Pool, path: string): Promise<string> {
  const headers = { authorization: `Bearer ${apiKey}` };
  const { statusCode, body } = await pool.request({ method: 'GET', path, headers });
  const text = await body.text();
  if (statusCode !== 200) throw new Error(`GET ${path} answered ${statusCode}: ${text.slice(0, 200)}`);
  return text;
}

/** Bundles a program into one file, as `npm run build` does with ours. Returns its path. */
export async function bundleFloor(entryPoint: string): Promise<string> {
  const outfile = join(await temporaryFolder(), 'floor.mjs');
  const banner =
    "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);";
  await build({
    entryPoints: [entryPoint],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.18',
    banner: { js: banner },
  });
  return outfile;
}
