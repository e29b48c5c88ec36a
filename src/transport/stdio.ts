import type { Readable, Writable } from 'node:stream';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { Logger } from 'pino';
import type { App } from '../app.ts';
import { createStdioTransport } from './stdio-transport.ts';

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

type End = 'input ended' | 'output broke' | 'asked to end' | 'connection closed';

/** The end of the input and a broken output both mean that the client is gone. */
function whenOver(
  { stdin, stdout, signal }: Pick<StdioOptions, 'stdin' | 'stdout' | 'signal'>,
  server: Server,
): Promise<End> {
  return new Promise((resolve) => {
    for (const event of ['end', 'close', 'error']) stdin.once(event, () => resolve('input ended'));
    for (const event of ['close', 'error']) stdout.once(event, () => resolve('output broke'));
    // `once` would let a second error, such as EPIPE, end the process.
    for (const stream of [stdin, stdout]) stream.on('error', () => {});
    // The transport gives up a line that is too long.
    server.onclose = () => resolve('connection closed');
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
  const over = whenOver({ stdin, stdout, signal }, server);
  // The name alone: the message quotes what the client sent, and that may be about a student.
  server.onerror = (error) => log.warn({ error: error.name }, 'a message could not be handled');
  await server.connect(createStdioTransport({ stdin, stdout, log }));
  const end = await over;
  log.info({ end }, 'ending');
  if (end === 'input ended') await settle(app.running, graceMs);
  // Ends reads at once; a write that was sent is waited for below, since it may already have been done.
  await server.close();
  await settle(app.running, graceMs);
}
