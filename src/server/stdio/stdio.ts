import type { Readable, Writable } from 'node:stream';
import type { Logger } from 'pino';
import type { App } from '../../app.ts';
import { fullPrincipal } from '../../mcp/principal.ts';
import type { Service } from '../../mcp/service.ts';
import { hasModernVersion } from '../../protocol/protocol-version.ts';
import { createStdioTransport, deliver, type MessageTransport } from '../../protocol/stdio-transport.ts';
import { waitForAll } from '../../shared/wait-for-all.ts';

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
function whenOver({ stdin, stdout, signal }: Pick<StdioOptions, 'stdin' | 'stdout' | 'signal'>): Promise<End> {
  return new Promise((resolve) => {
    for (const event of ['end', 'close', 'error']) stdin.once(event, () => resolve('input ended'));
    for (const event of ['close', 'error']) stdout.once(event, () => resolve('output broke'));
    // `once` would let a second error, such as EPIPE, end the process.
    for (const stream of [stdin, stdout]) stream.on('error', () => {});
    signal.addEventListener('abort', () => resolve('asked to end'), { once: true });
    if (signal.aborted) resolve('asked to end');
  });
}

interface Connection {
  close(): Promise<void>;
}

/** The first message tells the era; the SDK of the other is never loaded. What comes meanwhile is kept for it. */
async function openByFirstMessage(
  service: Service,
  transport: MessageTransport,
  onerror: (error: Error) => void,
  over: Promise<unknown>,
): Promise<Connection> {
  const early: unknown[] = [];
  const first = new Promise<unknown>((resolve) => {
    transport.onmessage = (message) => {
      early.push(message);
      resolve(message);
    };
  });
  await transport.start();
  const message = await Promise.race([first, over.then(() => undefined)]);
  if (message === undefined && early.length === 0) return transport;
  const era = hasModernVersion(early[0])
    ? await import('../../protocol/modern/stdio.ts')
    : await import('../../protocol/legacy/stdio.ts');
  // An SDK calls the handler that it finds besides its own.
  transport.onmessage = undefined;
  const connection = await era.openConnection(service, transport, onerror);
  for (const message of early) deliver(transport, message);
  return connection;
}

/**
 * Serves one client on stdin and stdout until it is gone or the process is asked to end. Requests that were read
 * before the input ended still get their answers, so that a script may pipe its requests in.
 */
export async function serveStdio({ app, stdin, stdout, log, signal, graceMs = 5_000 }: StdioOptions): Promise<void> {
  const service = app.serviceFor(fullPrincipal('stdio'), { hasUserContent: false });
  let giveUp = () => {};
  const givenUp = new Promise<End>((resolve) => {
    giveUp = () => resolve('connection closed');
  });
  const over = Promise.race([whenOver({ stdin, stdout, signal }), givenUp]);
  const transport = createStdioTransport({ stdin, stdout, log }, giveUp);
  // The name alone: the message quotes what the client sent, and that may be about a student.
  const onerror = (error: Error) => log.warn({ error: error.name }, 'a message could not be handled');
  const connection = await openByFirstMessage(service, transport, onerror, over);
  const end = await over;
  log.info({ end }, 'ending');
  // Not what runs: a request that was read last may not have begun yet.
  if (end === 'input ended') await waitForAll(new Set([transport.answered()]), graceMs);
  // Ends reads at once; a write that was sent is waited for below, since it may already have been done.
  await connection.close();
  await waitForAll(app.running, graceMs);
}
