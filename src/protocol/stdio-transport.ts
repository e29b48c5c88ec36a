import type { Readable, Writable } from 'node:stream';
import type { Logger } from 'pino';
import {
  cancelledBy,
  type Id,
  type InvalidMessage,
  isAnswer,
  isRequest,
  limitErrorSize,
  maxPendingBytes,
  parseError,
  parseMessage,
  tooManyPending,
} from './message.ts';

const lineFeed = 10;

/** Passes each line to `onLine`. The returned function takes a chunk and returns the bytes in the unfinished line. */
export function createLineSplitter(onLine: (line: string) => void): (chunk: Buffer) => number {
  let parts: Buffer[] = [];
  let unfinished = 0;
  return (chunk) => {
    let start = 0;
    for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, start)) {
      const line = Buffer.concat([...parts, chunk.subarray(start, end)]);
      parts = [];
      unfinished = 0;
      start = end + 1;
      onLine(line.toString('utf8'));
    }
    parts.push(chunk.subarray(start));
    unfinished += chunk.length - start;
    return unfinished;
  };
}

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

/** The SDK's own transport drops an invalid line and quotes it in its error. This one answers with an error. */
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
    if (isRequest(message) && !pending.add(message.id, Buffer.byteLength(line)))
      return refuse(tooManyPending(message.id));
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

  const transport: StdioTransport = {
    // Called twice: once to read the first message, and again by the SDK.
    start: async () => void stdin.off('data', read).on('data', read),
    send: async (message) => {
      if (isAnswer(message)) pending.remove(message.id);
      write(limitErrorSize(message));
    },
    close: async () => {
      stdin.off('data', read).pause();
      transport.onclose?.();
    },
    answered: pending.whenEmpty,
  };
  return transport;
}

/** The unanswered requests of one client and their size. Requests with the same id are removed together. */
function createPendingRequests() {
  const bytesOf = new Map<Id, number>();
  const waiters: (() => void)[] = [];
  let total = 0;
  return {
    /** False, without adding, if the total would exceed the limit. */
    add: (id: Id, bytes: number): boolean => {
      if (total + bytes > maxPendingBytes) return false;
      total += bytes;
      bytesOf.set(id, (bytesOf.get(id) ?? 0) + bytes);
      return true;
    },
    remove: (id: Id): void => {
      total -= bytesOf.get(id) ?? 0;
      bytesOf.delete(id);
      if (bytesOf.size === 0) for (const resolve of waiters.splice(0)) resolve();
    },
    whenEmpty: () => new Promise<void>((resolve) => (bytesOf.size === 0 ? resolve() : waiters.push(resolve))),
  };
}
