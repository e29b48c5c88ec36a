import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { atEnd } from './at-end.ts';

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

type Id = string | number;

const message = z.looseObject({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.number()]).nullish(),
  error: z.unknown().optional(),
  result: z.looseObject({ isError: z.boolean().optional() }).optional(),
});
type Message = z.output<typeof message>;

/** The protocol message that a line is; undefined for any other line. */
export function messageIn(line: string): Message | undefined {
  try {
    return message.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}

interface Options {
  /** The program; default: ours, as it was built. */
  file?: string;
  /** Flags of Node itself, such as --import. */
  nodeFlags?: readonly string[];
  /** The target of standard error; default: memory. */
  stderr?: 'pipe' | 'ignore' | 'inherit' | number;
  /** As the leader of a process group. */
  detached?: boolean;
  /** Receives each line of standard output, which is not kept then. */
  onLine?: (line: string) => void;
}

export type Running = ReturnType<typeof start>;

/** Longer than any wait of the program, in milliseconds. */
const maxWait = 300_000;

/** Starts the built program with exactly this environment and PATH. It ends with the test at the latest. */
export function start(args: readonly string[], environment: Record<string, string> = {}, options: Options = {}) {
  const { file = program, nodeFlags = [], stderr = 'pipe', detached = false, onLine } = options;
  const env = { PATH: process.env.PATH, ...environment };
  const child = spawn(process.execPath, [...nodeFlags, file, ...args], {
    env,
    detached,
    stdio: ['pipe', 'pipe', stderr],
  });
  /** The output so far. */
  const written = { stdout: '', stderr: '' };
  /** Answers that nobody has taken yet. */
  const answers = new Map<Id, Message>();
  const waiting = new Map<Id, () => void>();
  const closed = once(child, 'close');
  let rest = '';
  child.stdin?.on('error', () => {});
  child.stderr?.on('data', (chunk: Buffer) => (written.stderr += chunk));
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    if (onLine === undefined) written.stdout += chunk;
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) take(line);
  });
  atEnd(() => void child.kill('SIGKILL'));

  function take(line: string): void {
    onLine?.(line);
    const heard = messageIn(line);
    if (heard?.id === undefined || heard.id === null) return;
    answers.set(heard.id, heard);
    waiting.get(heard.id)?.();
    waiting.delete(heard.id);
  }

  const isAlive = () => child.exitCode === null && child.signalCode === null;

  async function untilLate(work: Promise<unknown>, longest: number): Promise<void> {
    const timer = new AbortController();
    await Promise.race([work, sleep(longest, undefined, { signal: timer.signal }).catch(() => {})]);
    timer.abort();
  }

  const send = (...messages: object[]) => {
    for (const one of messages) child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...one })}\n`);
  };

  /** Takes the answer to this id; undefined if the program ends before, or after `longest` milliseconds. */
  async function answerTo(id: Id, longest = maxWait): Promise<Message | undefined> {
    if (!answers.has(id)) {
      const arrival = new Promise<void>((resolve) => waiting.set(id, resolve));
      await untilLate(Promise.race([arrival, closed]), longest);
    }
    const found = answers.get(id);
    answers.delete(id);
    return found;
  }

  return {
    child,
    written,
    answers,
    isAlive,
    send,
    answerTo,
    ended: closed.then(([code]): Ended => ({ code, ...written })),
    write: async (bytes: Buffer | string) => {
      if (child.stdin?.write(bytes) !== false || !isAlive()) return;
      // `isAlive` shows its end, not a broken pipe.
      await Promise.race([once(child.stdin, 'drain'), closed]).catch(() => {});
    },
    greet: async () => {
      send(...hello);
      await answerTo(1);
    },
    /** Does what should end it, and waits for that; kills it after `longest` milliseconds. Default: closes its input. */
    leave: async (act: () => unknown = () => child.stdin?.end(), longest = maxWait) => {
      const started = performance.now();
      act();
      await untilLate(closed, longest);
      const milliseconds = performance.now() - started;
      const { exitCode: code, signalCode: signal } = child;
      child.kill('SIGKILL');
      await closed;
      return { code, signal, milliseconds };
    },
  };
}

export interface HttpProgramOptions extends Pick<Options, 'nodeFlags' | 'stderr'> {
  environment: Record<string, string>;
  flags?: readonly string[];
}

export type HttpProgram = Awaited<ReturnType<typeof startHttpProgram>>;

/** The built program over HTTP, on a free port unless the flags name one. */
export async function startHttpProgram({ environment, flags = [], ...options }: HttpProgramOptions) {
  const settings = { ACADEMY_HTTP_RATE_LIMIT: 'off', ...environment };
  const running = start(['http', '--port', '0', ...flags], settings, options);
  const { child, written, isAlive, ended, leave } = running;
  await Promise.race([once(child.stdout ?? child, 'data'), ended]);
  const url = /http:\S+/.exec(written.stdout)?.[0];
  if (url === undefined) throw new Error(`the program did not start: ${written.stderr}`);
  return {
    url,
    pid: child.pid ?? 0,
    isAlive,
    log: () => written.stderr,
    lastWords: () => written.stderr.slice(-2_000),
    /** Samples of GET /metrics, by name. */
    metrics: async (): Promise<ReadonlyMap<string, number>> => {
      const lines = (await (await fetch(url.replace('/mcp', '/metrics'))).text()).split('\n');
      const samples = lines.filter((line) => /^\w+ /.test(line)).map((line) => line.split(' ', 2));
      return new Map(samples.map(([name = '', value]) => [name, Number(value)]));
    },
    /** Asks it to end. */
    end: (longest = 30_000) => leave(() => child.kill('SIGTERM'), longest),
  };
}

/** The first messages of every client. */
export const hello = [
  {
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  },
  { method: 'notifications/initialized' },
] as const;

export function callOf(id: Id, name: string, args: Record<string, unknown> = {}) {
  return { id, method: 'tools/call', params: { name, arguments: args } };
}

export function messagesIn(stdout: string): { id?: number; result?: Record<string, unknown>; error?: unknown }[] {
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

/** The output of `npm run build`, which `bin` names. `npm test` builds it first. */
export const program = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

/** Whether this machine can give a program a terminal (the command `script` of util-linux). */
export const hasTerminal = spawnSync('script', ['--version']).status === 0;

export const ctrlC = '\u0003';

/** Starts the built program on a terminal of its own, with exactly this environment (and PATH). */
export function startOnTerminal(args: readonly string[], environment: Record<string, string> = {}) {
  const command = [process.execPath, program, ...args].map((word) => `'${word}'`).join(' ');
  const env = { PATH: process.env.PATH, TERM: 'dumb', ...environment };
  const child = spawn('script', ['--quiet', '--return', '--command', `exec ${command}`, '/dev/null'], { env });
  let shown = '';
  child.stdout.on('data', (chunk: Buffer) => (shown += chunk));
  child.stdin.on('error', () => {});
  atEnd(() => void child.kill('SIGKILL'));
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  /** What the terminal shows so far. */
  const screen = () => shown.replaceAll('\r', '');
  return { screen, type: (text: string) => void child.stdin.write(text), child, ended };
}
