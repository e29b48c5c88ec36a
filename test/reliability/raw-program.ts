import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { program } from '../support/built.ts';

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

/** The built program over stdio with every byte that it writes, and no client. */
export interface RawProgram {
  readonly child: ChildProcessWithoutNullStreams;
  readonly written: { stdout: string; stderr: string };
  /** Answers that nobody has taken yet. */
  readonly answers: ReadonlyMap<Id, Message>;
  /** Undefined until it has ended; then its exit code, or the signal that ended it. */
  ended(): number | string | undefined;
  write(bytes: Buffer | string): Promise<void>;
  send(more: object): void;
  /** Takes the answer to this id; undefined if the program ends before, or after `longest` milliseconds. */
  answerTo(id: Id, longest?: number): Promise<Message | undefined>;
  greet(): Promise<void>;
  end(): Promise<void>;
  kill(): Promise<void>;
}

interface Options {
  readonly args?: readonly string[];
  /** As the leader of a process group. */
  readonly detached?: boolean;
  readonly onLine?: (line: string) => void;
}

/** Longer than any wait of the program, in milliseconds. */
const maxWait = 300_000;

export function startRaw(
  environment: Record<string, string>,
  { args = [], detached, onLine }: Options = {},
): RawProgram {
  const env = { PATH: process.env.PATH ?? '', ...environment };
  const child = spawn(process.execPath, [program, ...args], { env, detached });
  const written = { stdout: '', stderr: '' };
  const answers = new Map<Id, Message>();
  const waiting = new Map<Id, () => void>();
  const closed = once(child, 'close');
  let rest = '';
  child.stdin.on('error', () => {});
  child.stderr.on('data', (chunk: Buffer) => (written.stderr += chunk));
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    written.stdout += chunk;
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) take(line);
  });

  function take(line: string): void {
    onLine?.(line);
    const heard = messageIn(line);
    if (heard === undefined || heard.id === undefined || heard.id === null) return;
    answers.set(heard.id, heard);
    waiting.get(heard.id)?.();
  }

  const ended = () => child.exitCode ?? child.signalCode ?? undefined;
  const send = (more: object) => void child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...more })}\n`);

  async function answerTo(id: Id, longest = maxWait): Promise<Message | undefined> {
    if (!answers.has(id)) {
      const timer = new AbortController();
      const arrival = new Promise<void>((resolve) => waiting.set(id, resolve));
      await Promise.race([arrival, closed, sleep(longest, undefined, { signal: timer.signal }).catch(() => {})]);
      timer.abort();
    }
    const found = answers.get(id);
    answers.delete(id);
    return found;
  }

  return {
    child,
    written,
    answers,
    ended,
    send,
    answerTo,
    write: async (bytes) => {
      if (child.stdin.write(bytes) || ended() !== undefined) return;
      // `ended` shows its end, not a broken pipe.
      await Promise.race([once(child.stdin, 'drain'), closed]).catch(() => {});
    },
    greet: async () => {
      const clientInfo = { name: 'reliability', version: '1' };
      const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
      send({ id: 'hello', method: 'initialize', params });
      send({ method: 'notifications/initialized' });
      await answerTo('hello');
    },
    end: async () => {
      child.stdin.end();
      await closed;
    },
    kill: async () => {
      child.kill('SIGKILL');
      await closed;
    },
  };
}
