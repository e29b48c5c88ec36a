import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { Pool } from 'undici';
import * as z from 'zod';
import type { AtEnd } from './benchmark.ts';

/** Calls `onLine` for each complete line. A long line arrives in many pieces, which are joined once. */
export function readLines(stream: Readable, onLine: (line: string) => void): void {
  let pieces: string[] = [];
  stream.setEncoding('utf8');
  stream.on('data', (piece: string) => {
    const [head = '', ...rest] = piece.split('\n');
    pieces.push(head);
    for (const next of rest) {
      onLine(pieces.join(''));
      pieces = [next];
    }
  });
}

export interface Memory {
  readonly now: number;
  readonly peak: number;
}

/** Memory of another process: only on Linux; undefined elsewhere and for a process that has ended. */
export function memoryOf(pid: number | undefined): Memory | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const bytes = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) * 1024;
    return { now: bytes('VmRSS'), peak: bytes('VmHWM') };
  } catch {
    return undefined;
  }
}

const response = z.looseObject({
  id: z.number().optional(),
  result: z.unknown().optional(),
  error: z.unknown().optional(),
});

const toolAnswer = z.object({
  content: z.array(z.object({ text: z.string() })),
  structuredContent: z.record(z.string(), z.unknown()).optional(),
  isError: z.boolean().optional(),
});

type ToolAnswer = ReturnType<typeof readAnswer>;

/** A server process with a minimal client: the costs of a full client would hide those of the server. */
export interface McpProcess {
  /** Rejects if the answer is a protocol error or the process ends. */
  request(method: string, params?: object): Promise<unknown>;
  callTool(name: string, args: object): Promise<ToolAnswer>;
  memory(): Memory | undefined;
  close(): Promise<void>;
}

interface Waiting {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/** How to start a server: `node file …args` with exactly this environment. */
export interface Launch {
  readonly file: string;
  readonly args?: readonly string[];
  readonly environment: Record<string, string>;
  readonly isSilent?: boolean;
  /** Receives each line of its log instead. */
  readonly onLog?: (line: string) => void;
}

const passOn = (text: string | Uint8Array) => void process.stderr.write(text);

export function spawnServer({ file, args = [], environment, isSilent = false, onLog }: Launch): McpProcess {
  const child = spawn(process.execPath, [file, ...args], { env: environment, stdio: 'pipe' });
  if (onLog !== undefined) readLines(child.stderr, onLog);
  else child.stderr.on('data', isSilent ? () => {} : passOn);
  const waiting = new Map<number, Waiting>();
  let lastId = 0;
  const ended = once(child, 'exit').then(() => {
    for (const { reject } of waiting.values()) reject(new Error(`${file} ended before it answered`));
  });
  child.stdin.on('error', () => {});
  readLines(child.stdout, (line) => {
    const { id = 0, result, error } = response.parse(JSON.parse(line));
    if (error === undefined) waiting.get(id)?.resolve(result);
    else waiting.get(id)?.reject(new Error(JSON.stringify(error)));
    waiting.delete(id);
  });

  function request(method: string, params: object = {}): Promise<unknown> {
    const id = ++lastId;
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
  }

  return {
    request,
    callTool: async (name, args) => readAnswer(await request('tools/call', { name, arguments: args })),
    memory: () => memoryOf(child.pid),
    close: async () => {
      child.stdin.end();
      await ended;
    },
  };
}

function readAnswer(result: unknown) {
  const { content, structuredContent, isError = false } = toolAnswer.parse(result);
  return { text: content.map(({ text }) => text).join(''), structured: structuredContent, isError };
}

const clientInfo = { name: 'bench', version: '1' };

export function initialize(server: McpProcess): Promise<unknown> {
  return server.request('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
}

export async function openServer(launch: Launch, atEnd: AtEnd): Promise<McpProcess> {
  const server = spawnServer(launch);
  atEnd(() => server.close());
  await initialize(server);
  return server;
}

/** The output of `npm run build`. */
export const program = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

export const academyMcp = (environment: Record<string, string>): Launch => ({ file: program, environment });

export const helloWorld = fileURLToPath(new URL('floor/hello-world.js', import.meta.url));

/** The same SDK over HTTP, as its documentation serves it. */
export const plainHttp = fileURLToPath(new URL('floor/plain-http.ts', import.meta.url));

/** Nothing listens on the discard port. Used for measurements without calls. */
export const nowhere = { ACADEMY_BASE_URL: 'http://127.0.0.1:9', ACADEMY_API_KEY: 'none' };

const apiKey = 'bench-key';

/** The end of the data, fixed so that each run requests the same records. */
export const dataEnd = '2026-06-30T12:00:00Z';

export interface SandboxProcess {
  readonly environment: Record<string, string>;
  /** From its start until it listens, in milliseconds. */
  readonly readyMs: number;
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

/** Bundles a program into one file, as `npm run build` does with ours. Returns its path. */
export async function bundleFloor(entryPoint: string, atEnd: AtEnd): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'academy-bench-'));
  atEnd(() => rm(directory, { recursive: true, force: true }));
  const outfile = join(directory, 'floor.mjs');
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
