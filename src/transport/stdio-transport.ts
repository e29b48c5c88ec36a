import type { Readable, Writable } from 'node:stream';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import type { Logger } from 'pino';
import { createLineCutter } from './lines.ts';
import { readMessage, type Unreadable, unreadable } from './message.ts';

export interface StdioStreams {
  stdin: Readable;
  stdout: Writable;
  log: Logger;
}

/** Bytes; as many as the SDK's own transport takes. */
const longestLine = 10 * 2 ** 20;
const tooLong = unreadable('it is longer than 10 MiB');

/**
 * The stdio transport of MCP. The SDK's own drops a line that it cannot read, so that a client waits until its time-out,
 * and its error quotes the line. This one answers with an error, and logs what is wrong in words of its own.
 */
export function createStdioTransport({ stdin, stdout, log }: StdioStreams): Transport {
  const write = (message: object) => stdout.write(`${JSON.stringify(message)}\n`);

  function refuse({ problem, reply }: Unreadable): void {
    log.warn({ problem }, 'a message could not be read');
    if (reply !== undefined) write(reply);
  }

  function handOn(message: JSONRPCMessage): void {
    try {
      transport.onmessage?.(message);
    } catch (error) {
      // The SDK quotes an answer that nobody asked for, which throws where it is nested too deep.
      transport.onerror?.(error instanceof Error ? error : new Error(String(error)));
    }
  }

  const cut = createLineCutter((line) => {
    if (line.trim() === '') return;
    const message = readMessage(line);
    if ('problem' in message) refuse(message);
    else handOn(message);
  });

  function read(chunk: Buffer): void {
    if (cut(chunk) <= longestLine) return;
    refuse(tooLong);
    void transport.close();
  }

  const transport: Transport = {
    start: async () => void stdin.on('data', read),
    send: async (message) => {
      if (!write(message)) await new Promise<void>((resolve) => stdout.once('drain', resolve));
    },
    close: async () => {
      stdin.off('data', read).pause();
      transport.onclose?.();
    },
  };
  return transport;
}
