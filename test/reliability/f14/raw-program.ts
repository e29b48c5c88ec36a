import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';

/** The output of `npm run build`. */
const program = fileURLToPath(new URL('../../../dist/main.js', import.meta.url));

/** The built program, with every byte that it writes. */
export interface RawProgram {
  readonly written: { stdout: string; stderr: string };
  /** Resolves to the answer: a result or an error. */
  request(method: string, params: object): Promise<unknown>;
  /** Sends a line unchanged. */
  line(text: string): void;
  /** Its command line, as other users of the machine see it; undefined if the system does not show it. */
  commandLine(): Promise<string | undefined>;
  /** Ends its input and waits for its end. */
  end(): Promise<void>;
}

const jsonRpc = z.looseObject({ jsonrpc: z.literal('2.0'), id: z.number().nullable().optional() });

/** The protocol message that a line is; undefined for any other line. */
export function messageIn(line: string): z.infer<typeof jsonRpc> | undefined {
  try {
    return jsonRpc.parse(JSON.parse(line));
  } catch {
    return undefined;
  }
}

export function startRaw(args: readonly string[], environment: Record<string, string>): RawProgram {
  const child = spawn(process.execPath, [program, ...args], { env: { PATH: process.env.PATH, ...environment } });
  const written = { stdout: '', stderr: '' };
  const waiting = new Map<number, (message: unknown) => void>();
  const gone = new Promise<void>((resolve) => child.on('close', () => resolve()));
  let lastId = 0;
  child.stdin.on('error', () => {});
  child.stderr.on('data', (chunk: Buffer) => (written.stderr += chunk));
  createInterface(child.stdout).on('line', (text) => {
    written.stdout += `${text}\n`;
    const message = messageIn(text);
    if (typeof message?.id === 'number') waiting.get(message.id)?.(message);
  });
  const line = (text: string) => void child.stdin.write(`${text}\n`);
  return {
    written,
    line,
    request: (method, params) =>
      new Promise((resolve) => {
        const id = ++lastId;
        waiting.set(id, resolve);
        void gone.then(() => resolve(undefined));
        line(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
      }),
    commandLine: () => readFile(`/proc/${child.pid}/cmdline`, 'utf8').catch(() => undefined),
    end: async () => {
      child.stdin.end();
      await gone;
    },
  };
}

/** The same, after the initial messages of every client. */
export async function startClient(environment: Record<string, string>): Promise<RawProgram> {
  const running = startRaw([], environment);
  const clientInfo = { name: 'reliability', version: '1' };
  await running.request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
  running.line(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }));
  return running;
}
