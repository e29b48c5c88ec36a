import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { program } from '../support/built.ts';
import { sharedValidator } from '../support/validator.ts';
import { startHttpProgram } from './http-program.ts';
import { readToolAnswer, type ToolAnswer } from './tool-answer.ts';

/** Longer than any wait of the program, in milliseconds: a program without an answer by then hangs. */
const maxCall = 120_000;

export type Over = 'stdio' | 'HTTP';

export interface ProgramOptions {
  over?: Over;
  /** Exactly these variables, and PATH. */
  environment: Record<string, string>;
  /** Flags of Node itself, such as --import. */
  nodeFlags?: readonly string[];
  /** The target of standard error: memory, for `lastWords`, or a file. */
  stderr?: 'pipe' | number;
}

export interface BuiltProgram {
  readonly pid: number;
  readonly startMs: number;
  isAlive(): boolean;
  /** Rejects when the program ends or does not answer. */
  call(name: string, args: Record<string, unknown>): Promise<ToolAnswer>;
  lastWords(): string;
  close(): Promise<void>;
}

export async function startProgram(options: ProgramOptions): Promise<BuiltProgram> {
  return await (options.over === 'HTTP' ? startOverHttp : startOverStdio)(options);
}

async function startOverStdio({ environment, nodeFlags = [], stderr = 'pipe' }: ProgramOptions) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [...nodeFlags, program],
    env: { PATH: process.env.PATH ?? '', ...environment },
    stderr,
  });
  let words = '';
  transport.stderr?.on('data', (chunk: Buffer) => {
    words = (words + chunk).slice(-2_000);
  });
  const client = new Client({ name: 'reliability', version: '1' }, { jsonSchemaValidator: sharedValidator });
  let alive = true;
  client.onclose = () => {
    alive = false;
  };
  const started = performance.now();
  await client.connect(transport);
  const startMs = performance.now() - started;
  // From now on the client checks each answer against the output schema of its tool.
  await client.listTools();
  const running: BuiltProgram = {
    pid: transport.pid ?? 0,
    startMs,
    isAlive: () => alive,
    call: async (name, args) =>
      readToolAnswer(await client.callTool({ name, arguments: args }, undefined, { timeout: maxCall })),
    lastWords: () => words,
    close: () => client.close(),
  };
  return running;
}

async function startOverHttp({ environment, nodeFlags = [], stderr = 'pipe' }: ProgramOptions): Promise<BuiltProgram> {
  const started = performance.now();
  const server = await startHttpProgram({ environment, nodeFlags, stderr });
  const client = new Client({ name: 'reliability', version: '1' }, { jsonSchemaValidator: sharedValidator });
  await client.connect(new StreamableHTTPClientTransport(new URL(server.url)) as Transport);
  const startMs = performance.now() - started;
  await client.listTools();
  return {
    pid: server.pid,
    startMs,
    isAlive: server.isAlive,
    call: async (name, args) =>
      readToolAnswer(await client.callTool({ name, arguments: args }, undefined, { timeout: maxCall })),
    lastWords: server.lastWords,
    close: async () => {
      await client.close();
      await server.close();
    },
  };
}
