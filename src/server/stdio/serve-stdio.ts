import type { Readable, Writable } from 'node:stream';
import type { Logger } from 'pino';
import type { ServedApp } from '../../lazy-app.ts';
import { fullPrincipal } from '../../mcp/principal.ts';
import type { Service } from '../../mcp/service.ts';
import { hasModernVersion } from '../../protocol/message.ts';
import { createStdioTransport, deliver, type MessageTransport } from '../../protocol/stdio-transport.ts';
import { waitForAll } from '../../shared/shutdown.ts';

interface StdioOptions {
  app: ServedApp;
  stdin: Readable;
  stdout: Writable;
  log: Logger;
  signal: AbortSignal;
  /** Milliseconds that running calls get to finish after the input ends. */
  graceMs?: number;
}

type EndReason = 'input ended' | 'output closed' | 'signal received' | 'connection closed';

/** Resolves when the client is gone (its input ended or its output closed) or a signal arrives. */
function whenOver({ stdin, stdout, signal }: Pick<StdioOptions, 'stdin' | 'stdout' | 'signal'>): Promise<EndReason> {
  return new Promise((resolve) => {
    for (const event of ['end', 'close', 'error']) stdin.once(event, () => resolve('input ended'));
    for (const event of ['close', 'error']) stdout.once(event, () => resolve('output closed'));
    // With `once`, a second error such as EPIPE would end the process.
    for (const stream of [stdin, stdout]) stream.on('error', () => {});
    signal.addEventListener('abort', () => resolve('signal received'), { once: true });
    if (signal.aborted) resolve('signal received');
  });
}

/** The first message decides the era; the SDK of the other era is never loaded. Messages that arrive meanwhile are delivered later. */
async function openByFirstMessage(
  service: Service,
  transport: MessageTransport,
  onerror: (error: Error) => void,
  over: Promise<unknown>,
): Promise<Pick<MessageTransport, 'close'>> {
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
    ? await import('../../protocol/modern/server.ts')
    : await import('../../protocol/legacy/server.ts');
  // If a handler is set, an SDK calls it as well as its own.
  transport.onmessage = undefined;
  const connection = await era.openConnection(service, transport, onerror, early[0]);
  for (const message of early) deliver(transport, message);
  return connection;
}

/** Requests that were read before the input ended still get their answers, so that a script can pipe them in. */
export async function serveStdio({ app, stdin, stdout, log, signal, graceMs = 5_000 }: StdioOptions): Promise<void> {
  const service = app.serviceFor(fullPrincipal('stdio'), { hasUserContent: false });
  let onClosed = () => {};
  const closed = new Promise<EndReason>((resolve) => {
    onClosed = () => resolve('connection closed');
  });
  const over = Promise.race([whenOver({ stdin, stdout, signal }), closed]);
  const transport = createStdioTransport({ stdin, stdout, log }, onClosed);
  // Only the name: the message quotes what the client sent, which may be data of a student.
  const onerror = (error: Error) => log.warn({ error: error.name }, 'failed to handle a message');
  const connection = await openByFirstMessage(service, transport, onerror, over);
  const end = await over;
  log.info({ end }, 'shutting down');
  // Waits for answers instead of app.running: the last request read may not be running yet.
  if (end === 'input ended') await waitForAll(new Set([transport.answered()]), graceMs);
  // Ends reads at once. A write that was sent may be applied already, so it is awaited below.
  await connection.close();
  await waitForAll(app.running, graceMs);
}
