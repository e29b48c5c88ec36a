import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { program } from '../support/built.ts';

interface HttpProgramOptions {
  environment: Record<string, string>;
  flags?: readonly string[];
  nodeFlags?: readonly string[];
  /** The target of standard error: memory, for `lastWords`, or a file. */
  stderr?: 'pipe' | number;
}

interface HttpEnd {
  readonly code: number | null;
  readonly milliseconds: number;
}

export interface HttpProgram {
  readonly url: string;
  readonly pid: number;
  isAlive(): boolean;
  /** The last 2,000 characters of its standard error. */
  lastWords(): string;
  /** Samples of GET /metrics, by name. */
  metrics(): Promise<ReadonlyMap<string, number>>;
  /** Asks it to end and waits for that; kills it after `longest` milliseconds. */
  end(longest?: number): Promise<HttpEnd>;
  close(): Promise<void>;
}

function samplesIn(text: string): ReadonlyMap<string, number> {
  const lines = text.split('\n').filter((line) => /^\w+ /.test(line));
  return new Map(lines.map((line) => line.split(' ', 2)).map(([name = '', value]) => [name, Number(value)]));
}

export async function startHttpProgram(options: HttpProgramOptions): Promise<HttpProgram> {
  const { environment, flags = [], nodeFlags = [], stderr = 'pipe' } = options;
  const env = { PATH: process.env.PATH ?? '', ACADEMY_HTTP_RATE_LIMIT: 'off', ...environment };
  const args = [...nodeFlags, program, 'http', '--port', '0', ...flags];
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', stderr] });
  let words = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    words = (words + chunk).slice(-2_000);
  });
  const exit = once(child, 'exit');
  const first = await Promise.race([once(child.stdout ?? child, 'data'), exit.then(() => [])]);
  const url = /http:\S+/.exec(String(first[0]))?.[0];
  if (url === undefined) throw new Error(`the program did not start: ${words}`);
  const isAlive = () => child.exitCode === null && child.signalCode === null;

  async function end(longest = 30_000): Promise<HttpEnd> {
    const started = performance.now();
    child.kill('SIGTERM');
    const timer = new AbortController();
    await Promise.race([exit, sleep(longest, undefined, { signal: timer.signal }).catch(() => {})]);
    timer.abort();
    const milliseconds = performance.now() - started;
    const { exitCode: code } = child;
    if (isAlive()) child.kill('SIGKILL');
    await exit;
    return { code, milliseconds };
  }

  return {
    url,
    pid: child.pid ?? 0,
    isAlive,
    lastWords: () => words,
    metrics: async () => samplesIn(await (await fetch(url.replace('/mcp', '/metrics'))).text()),
    end,
    close: async () => {
      if (isAlive()) await end();
    },
  };
}
