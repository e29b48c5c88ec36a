import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { atEnd } from '../support/at-end.ts';
import { freePort } from '../support/listen.ts';

/** A real redis-server, which keeps nothing on disk and ends with the test. */
export type RedisServer = Awaited<ReturnType<typeof startRedis>>;

async function startServer(port: number): Promise<ChildProcess> {
  const flags = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', '/tmp'];
  const child = spawn('redis-server', flags, { stdio: ['ignore', 'pipe', 'ignore'] });
  for await (const chunk of child.stdout ?? []) if (String(chunk).includes('Ready to accept')) return child;
  throw new Error('redis-server did not start; install it with: apt-get install redis-server');
}

export async function startRedis() {
  const port = await freePort();
  let child = await startServer(port);
  child.stdout?.resume();

  /** Runs a command, as an operator would. */
  async function command(...[name = '', ...parts]: string[]): Promise<unknown> {
    const client = new Redis(port, '127.0.0.1');
    try {
      return await client.call(name, ...parts);
    } finally {
      client.disconnect();
    }
  }

  /** Ends it with SIGKILL. */
  async function kill(): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  atEnd(kill);
  return {
    url: `redis://127.0.0.1:${port}`,
    flush: async () => void (await command('FLUSHALL')),
    kill,
    /** Starts it again at the same port, empty. */
    start: async () => {
      await sleep(50);
      child = await startServer(port);
    },
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    command,
  };
}
