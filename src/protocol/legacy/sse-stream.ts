import type { ServerResponse } from 'node:http';
import { commonHeaders, onClosed } from '../http-response.ts';

/** One HTTP response that carries messages as server-sent events. It is begun with the first message. */
export interface SseStream {
  write(message: object): void;
  /** Ends it, with a last message where there is one: then both leave at once. */
  end(message?: object): void;
  /** Keeps proxies and clients from taking a long call for a dead one. */
  keepAlive(): void;
  /** Calls back when the client leaves before the end. */
  onDisconnect(callback: () => void): void;
}

const headers = {
  ...commonHeaders,
  'content-type': 'text/event-stream',
  // Asks nginx not to hold events back.
  'x-accel-buffering': 'no',
};

/** HTML standard, "Server-sent events": JSON has no line breaks, so that a message is one data line. */
function eventOf(message: object): string {
  return `event: message\ndata: ${JSON.stringify(message)}\n\n`;
}

export function createSseStream(response: ServerResponse, more: Record<string, string> = {}): SseStream {
  const begin = () => {
    if (!response.headersSent) response.writeHead(200, { ...headers, ...more });
  };
  const write = (text: string) => {
    if (response.destroyed || response.writableEnded) return;
    begin();
    response.write(text);
  };
  return {
    write: (message) => write(eventOf(message)),
    end: (message) => {
      if (response.destroyed || response.writableEnded) return;
      const text = message === undefined ? '' : eventOf(message);
      // The usual case, a call that is answered and no more: head and event leave in one piece.
      if (!response.headersSent) more = { ...more, 'content-length': String(Buffer.byteLength(text)) };
      begin();
      response.end(text);
    },
    keepAlive: () => write(': still here\n\n'),
    onDisconnect: (callback) =>
      onClosed(response, () => {
        if (!response.writableFinished) callback();
      }),
  };
}
