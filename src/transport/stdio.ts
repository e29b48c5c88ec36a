import type { Readable, Writable } from 'node:stream';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { Logger } from 'pino';
import type { App } from '../app.ts';

export interface StdioOptions {
  app: App;
  stdin: Readable;
  stdout: Writable;
  log: Logger;
  /** Aborted when the process is asked to end. */
  signal: AbortSignal;
  /** Longest wait for answers to calls that are under way when the input ends, in milliseconds. */
  graceMs?: number;
}

type End = 'input ended' | 'output broke' | 'asked to end';

/** The SDK's transport notices neither the end of its input nor a broken output: both mean that the client is gone. */
function whenOver({ stdin, stdout, signal }: Pick<StdioOptions, 'stdin' | 'stdout' | 'signal'>): Promise<End> {
  return new Promise((resolve) => {
    for (const event of ['end', 'close', 'error']) stdin.once(event, () => resolve('input ended'));
    for (const event of ['close', 'error']) stdout.once(event, () => resolve('output broke'));
    // `once` would let a second EPIPE end the process.
    stdout.on('error', () => {});
    signal.addEventListener('abort', () => resolve('asked to end'), { once: true });
    if (signal.aborted) resolve('asked to end');
  });
}

async function settle(running: ReadonlySet<Promise<unknown>>, milliseconds: number): Promise<void> {
  const timer = new AbortController();
  const expired = sleep(milliseconds, undefined, { signal: timer.signal }).catch(() => {});
  await Promise.race([Promise.allSettled(running), expired]);
  timer.abort();
  // A call that has just settled has its answer written a few promises later.
  await setImmediate();
}

/**
 * Serves one client on stdin and stdout until it is gone or the process is asked to end. Requests that were read
 * before the input ended still get their answers, so that a script may pipe its requests in.
 */
export async function serveStdio({ app, stdin, stdout, log, signal, graceMs = 5_000 }: StdioOptions): Promise<void> {
  const server = app.createServer('stdio');
  const over = whenOver({ stdin, stdout, signal });
  server.onerror = (error) => log.warn({ err: error.message }, 'a message could not be read');
  await server.connect(new StdioServerTransport(stdin, stdout));
  const end = await over;
  log.info({ end }, 'ending');
  if (end === 'input ended') await settle(app.running, graceMs);
  // Ends reads at once; a write that was sent is waited for below, since it may already have been done.
  await server.close();
  await settle(app.running, graceMs);
}
