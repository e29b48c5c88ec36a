import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { SandboxOptions } from '../../src/sandbox/index.ts';
import { atEnd } from '../support/at-end.ts';
import { readAnswer } from '../support/connect.ts';
import { program, startHttpProgram } from '../support/program.ts';
import { start } from '../support/sandbox.ts';
import { sharedValidator } from '../support/validator.ts';
import { type FaultServer, startFaultServer } from './fault-server.ts';

/** Longer than any wait of the program, in milliseconds: a program without an answer by then hangs. */
const maxCall = 120_000;

export type Over = 'stdio' | 'HTTP';

interface ProgramOptions {
  over?: Over;
  /** Exactly these variables, and PATH. */
  environment: Record<string, string>;
  /** Flags of Node itself, such as --import. */
  nodeFlags?: readonly string[];
  /** The target of standard error: memory, for `lastWords`, or a file. */
  stderr?: 'pipe' | number;
}

function overStdio({ environment, nodeFlags = [], stderr = 'pipe' }: ProgramOptions) {
  const env = { PATH: process.env.PATH ?? '', ...environment };
  const transport = new StdioClientTransport({ command: process.execPath, args: [...nodeFlags, program], env, stderr });
  let words = '';
  transport.stderr?.on('data', (chunk: Buffer) => {
    words = (words + chunk).slice(-2_000);
  });
  return { transport, lastWords: () => words, isAlive: () => transport.pid !== null, pid: () => transport.pid ?? 0 };
}

async function overHttp(options: ProgramOptions) {
  const { url, pid, lastWords, isAlive } = await startHttpProgram(options);
  const transport = new StreamableHTTPClientTransport(new URL(url)) as Transport;
  return { transport, lastWords, isAlive, pid: () => pid };
}

export type BuiltProgram = Awaited<ReturnType<typeof startProgram>>;

/** The built program with a real client, which checks each answer against the output schema of its tool. */
export async function startProgram(options: ProgramOptions) {
  const started = performance.now();
  const { transport, lastWords, isAlive, pid } = await (options.over === 'HTTP' ? overHttp : overStdio)(options);
  const client = new Client({ name: 'reliability', version: '1' }, { jsonSchemaValidator: sharedValidator });
  await client.connect(transport);
  const startMs = performance.now() - started;
  atEnd(() => client.close());
  await client.listTools();
  return {
    pid: pid(),
    startMs,
    isAlive,
    lastWords,
    /** Rejects when the program ends or does not answer. */
    call: async (name: string, args: Record<string, unknown>) =>
      readAnswer(await client.callTool({ name, arguments: args }, undefined, { timeout: maxCall })),
    close: () => client.close(),
  };
}

/** The address that the program uses for the academy, and its connection to the fault server. */
export interface Way {
  readonly url: string;
  readonly environment?: Record<string, string>;
  /** Makes a fault of this name, until the returned function is called. */
  disturb?(name: string): Promise<() => void>;
}

export interface HarnessOptions extends Omit<ProgramOptions, 'environment'> {
  sandbox?: SandboxOptions;
  settings?: Record<string, string>;
  /** Default: straight. */
  way?: (faults: FaultServer) => Promise<Way>;
}

export type Harness = Awaited<ReturnType<typeof startHarness>>;

/** The built program, an academy, and a server between them that can fail. */
export async function startHarness({ sandbox: size, settings, way: open, ...options }: HarnessOptions) {
  const sandbox = await start({ students: 120, orders: 300, ...size });
  const faults = await startFaultServer(sandbox.url);
  const way: Way = (await open?.(faults)) ?? { url: faults.url };
  const address = { ACADEMY_BASE_URL: way.url, ACADEMY_API_KEY: sandbox.apiKey };
  const program = await startProgram({ ...options, environment: { ...address, ...way.environment, ...settings } });
  return { sandbox, faults, way, program };
}
