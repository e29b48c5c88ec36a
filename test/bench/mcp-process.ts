import { spawn } from 'node:child_process';
import { once } from 'node:events';
import * as z from 'zod';
import type { AtEnd } from './benchmark.ts';
import { readLines } from './lines.ts';
import { type Memory, memoryOf } from './memory.ts';

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

export interface ToolAnswer {
  readonly text: string;
  readonly structured: Record<string, unknown> | undefined;
  readonly isError: boolean;
}

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
  /** Whether its log is left out. */
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

function readAnswer(result: unknown): ToolAnswer {
  const { content, structuredContent, isError = false } = toolAnswer.parse(result);
  return { text: content.map(({ text }) => text).join(''), structured: structuredContent, isError };
}

const clientInfo = { name: 'bench', version: '1' };

/** The first request of every session. */
export function initialize(server: McpProcess): Promise<unknown> {
  return server.request('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
}

/** A server that is ready for calls, until the benchmark ends. */
export async function openServer(launch: Launch, atEnd: AtEnd): Promise<McpProcess> {
  const server = spawnServer(launch);
  atEnd(() => server.close());
  await initialize(server);
  return server;
}
