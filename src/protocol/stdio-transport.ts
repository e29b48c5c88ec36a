import type { Readable, Writable } from 'node:stream';
import type { Logger } from 'pino';
import { createLineSplitter } from './line-splitter.ts';
import {
  cancelledBy,
  type InvalidMessage,
  isAnswer,
  isRequest,
  parseError,
  parseMessage,
  tooManyPending,
} from './message.ts';
import { createPendingRequests } from './pending-requests.ts';

interface StdioStreams {
  stdin: Readable;
  stdout: Writable;
  log: Logger;
}

/** A two-way connection, in the form that the SDKs of both eras accept. */
export interface MessageTransport {
  start(): Promise<void>;
  send(message: object): Promise<void>;
  close(): Promise<void>;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: ((message: unknown) => void) | undefined;
}

interface StdioTransport extends MessageTransport {
  /** Resolves once every request that was read has its answer. */
  answered(): Promise<void>;
}

/** Passes a message to the SDK. */
export function deliver(transport: MessageTransport, message: unknown): void {
  try {
    transport.onmessage?.(message);
  } catch (error) {
    // The SDK quotes an unexpected response in an error, which throws if the response is nested too deeply.
    transport.onerror?.(error instanceof Error ? error : new Error(String(error)));
  }
}

/** Bytes; the same limit as in the SDK's own transport. */
const maxLineBytes = 10 * 2 ** 20;
const tooLong = parseError('it is longer than 10 MiB');

/**
 * The stdio transport of MCP. The SDK's own transport drops an invalid line, so the client waits until its time-out, and
 * its error quotes the line. This one answers with an error, and logs the problem without quoting the line. Calls
 * `onClosed` when it cannot read any further.
 */
export function createStdioTransport({ stdin, stdout, log }: StdioStreams, onClosed: () => void): StdioTransport {
  const write = (message: object) => stdout.write(`${JSON.stringify(message)}\n`);

  function refuse({ problem, reply }: InvalidMessage): void {
    log.warn({ problem }, 'received an invalid message');
    if (reply !== undefined) write(reply);
  }

  const pending = createPendingRequests();

  const split = createLineSplitter((line) => {
    if (line.trim() === '') return;
    const message = parseMessage(line);
    if ('problem' in message) return refuse(message);
    if (isRequest(message) && !pending.add(message.id, Buffer.byteLength(line))) {
      return refuse(tooManyPending(message.id));
    }
    deliver(transport, message);
    const cancelled = cancelledBy(message);
    if (cancelled !== undefined) pending.remove(cancelled);
  });

  function read(chunk: Buffer): void {
    if (split(chunk) <= maxLineBytes) return;
    refuse(tooLong);
    void transport.close();
    onClosed();
  }

  let draining: Promise<void> | undefined;
  /** Waiting answers share one listener: Node warns of a leak from the eleventh on. */
  function drained(): Promise<void> {
    draining ??= new Promise<void>((resolve) => stdout.once('drain', resolve)).then(() => {
      draining = undefined;
    });
    return draining;
  }

  const transport: StdioTransport = {
    // Called twice: once to read the first message, and again by the SDK.
    start: async () => void stdin.off('data', read).on('data', read),
    send: async (message) => {
      if (isAnswer(message)) pending.remove(message.id);
      if (!write(message)) await drained();
    },
    close: async () => {
      stdin.off('data', read).pause();
      transport.onclose?.();
    },
    answered: pending.whenEmpty,
  };
  return transport;
}
