import type { Readable, Writable } from 'node:stream';
import type { Logger } from 'pino';
import { createLineCutter } from './line-splitter.ts';
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

export interface StdioStreams {
  stdin: Readable;
  stdout: Writable;
  log: Logger;
}

/** A connection's two directions, as the SDKs of both eras take it. */
export interface MessageTransport {
  start(): Promise<void>;
  send(message: object): Promise<void>;
  close(): Promise<void>;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: ((message: unknown) => void) | undefined;
}

export interface StdioTransport extends MessageTransport {
  /** Resolves as soon as every request that was read has its answer. */
  answered(): Promise<void>;
}

/** Gives a message to whoever listens. */
export function deliver(transport: MessageTransport, message: unknown): void {
  try {
    transport.onmessage?.(message);
  } catch (error) {
    // The SDK quotes an answer that nobody asked for, which throws where it is nested too deep.
    transport.onerror?.(error instanceof Error ? error : new Error(String(error)));
  }
}

/** Bytes; as many as the SDK's own transport takes. */
const maxLine = 10 * 2 ** 20;
const tooLong = parseError('it is longer than 10 MiB');

/**
 * The stdio transport of MCP. The SDK's own drops a line that it cannot read, so that a client waits until its time-out,
 * and its error quotes the line. This one answers with an error, and logs what is wrong in words of its own.
 * `onGivenUp` is called when it can read no further.
 */
export function createStdioTransport({ stdin, stdout, log }: StdioStreams, onGivenUp: () => void): StdioTransport {
  const write = (message: object) => stdout.write(`${JSON.stringify(message)}\n`);

  function refuse({ problem, reply }: InvalidMessage): void {
    log.warn({ problem }, 'a message could not be read');
    if (reply !== undefined) write(reply);
  }

  const waiting = createPendingRequests();

  const cut = createLineCutter((line) => {
    if (line.trim() === '') return;
    const message = parseMessage(line);
    if ('problem' in message) return refuse(message);
    if (isRequest(message) && !waiting.begin(message.id, Buffer.byteLength(line))) {
      return refuse(tooManyPending(message.id));
    }
    deliver(transport, message);
    const cancelled = cancelledBy(message);
    if (cancelled !== undefined) waiting.end(cancelled);
  });

  function read(chunk: Buffer): void {
    if (cut(chunk) <= maxLine) return;
    refuse(tooLong);
    void transport.close();
    onGivenUp();
  }

  let draining: Promise<void> | undefined;
  /** Many answers may wait at once: they share one listener, since Node warns of eleven. */
  function drained(): Promise<void> {
    draining ??= new Promise<void>((resolve) => stdout.once('drain', resolve)).then(() => {
      draining = undefined;
    });
    return draining;
  }

  const transport: StdioTransport = {
    // An SDK starts what has been started to see the first message.
    start: async () => void stdin.off('data', read).on('data', read),
    send: async (message) => {
      if (isAnswer(message)) waiting.end(message.id);
      if (!write(message)) await drained();
    },
    close: async () => {
      stdin.off('data', read).pause();
      transport.onclose?.();
    },
    answered: waiting.empty,
  };
  return transport;
}
