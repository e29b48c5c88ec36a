import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { JSONRPCMessageSchema } from '@modelcontextprotocol/sdk/types.js';
import * as z from 'zod';

const program = fileURLToPath(new URL('../../../dist/main.js', import.meta.url));
const projectFolder = fileURLToPath(new URL('../../..', import.meta.url));

const answer = z.looseObject({
  id: z.union([z.string(), z.number(), z.null()]).optional(),
  error: z.unknown().optional(),
  result: z.looseObject({ isError: z.boolean().optional() }).optional(),
});
export type Answer = z.output<typeof answer>;

/** JSON-RPC answers a request without a readable id like this; the SDK's message schema has no such case. */
const withoutId = z.strictObject({
  jsonrpc: z.literal('2.0'),
  id: z.undefined().optional(),
  error: z.strictObject({ code: z.int(), message: z.string() }),
});

/** The problem of a line on standard output, if it has one. */
function wrongLine(line: string): string | undefined {
  if (line.includes(projectFolder) || /\\n\s+at .+:\d+/.test(line)) return 'shows internals';
  try {
    const value: unknown = JSON.parse(line);
    const isMessage = JSONRPCMessageSchema.safeParse(value).success || withoutId.safeParse(value).success;
    return isMessage ? undefined : 'is not a message of the protocol';
  } catch {
    return 'is no JSON';
  }
}

/** The built program, with raw bytes as its input. */
export interface Talk {
  /** Undefined until it has ended; then its exit code, or the signal that ended it. */
  ended(): number | string | undefined;
  write(bytes: Buffer | string): Promise<void>;
  /** The answer to this id; undefined without one after `longest` milliseconds. */
  answerTo(id: string, longest: number): Promise<Answer | undefined>;
  /** Problems of standard output since the last call. */
  wrongOutput(): string[];
  stderr(): string;
  close(): Promise<void>;
}

export function startTalk(environment: Record<string, string>): Talk {
  const child = spawn(process.execPath, [program], { env: { PATH: process.env.PATH ?? '', ...environment } });
  const answers = new Map<string, Answer>();
  let wrong: string[] = [];
  let stderr = '';
  let rest = '';
  let wake = () => {};
  child.stdin.on('error', () => {});
  child.stderr.on('data', (chunk: Buffer) => {
    stderr = (stderr + chunk).slice(-4_000);
  });
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) take(line);
    wake();
  });
  const closed = once(child, 'close').then(() => wake());

  function take(line: string): void {
    const problem = wrongLine(line);
    if (problem !== undefined) {
      wrong.push(`a line on standard output ${problem}: ${line.slice(0, 200)}`);
      return;
    }
    const message = answer.parse(JSON.parse(line));
    if (typeof message.id === 'string') answers.set(message.id, message);
  }

  const ended = () => child.exitCode ?? child.signalCode ?? undefined;

  async function answerTo(id: string, longest: number): Promise<Answer | undefined> {
    const until = performance.now() + longest;
    while (!answers.has(id) && ended() === undefined && performance.now() < until) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, until - performance.now());
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    const found = answers.get(id);
    answers.delete(id);
    return found;
  }

  return {
    ended,
    answerTo,
    write: async (bytes) => {
      if (child.stdin.write(bytes) || ended() !== undefined) return;
      // `ended` shows its end, not a broken pipe.
      await Promise.race([once(child.stdin, 'drain'), closed]).catch(() => {});
    },
    wrongOutput: () => {
      const told = wrong;
      wrong = [];
      return told;
    },
    stderr: () => stderr,
    close: () => end(child),
  };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, 'close');
  child.kill('SIGKILL');
  await closed;
}
