import type { ServerResponse } from 'node:http';
import { isObject } from '../../shared/json.ts';
import { commonHeaders, onClosed } from '../http-response.ts';

export const sessionHeader = 'mcp-session-id';

/** Carries the answer to initialize, and stores the negotiated version in the session. */
export function createInitializeStream(stream: SseStream, session: { version?: string }): SseStream {
  return {
    ...stream,
    end: (answer) => {
      const result = answer !== undefined && 'result' in answer ? answer.result : undefined;
      if (isObject(result)) session.version = String(result.protocolVersion);
      stream.end(answer);
    },
  };
}

/** One HTTP response that carries messages as server-sent events. Its headers are sent with the first message. */
export interface SseStream {
  write(message: object): void;
  /** Ends the stream, with a last message if given; both are sent in one piece. */
  end(message?: object): void;
  /** Sends a comment, so that proxies and clients do not time out during a long call. */
  keepAlive(): void;
  /** Calls back if the client disconnects before the end. */
  onDisconnect(callback: () => void): void;
}

const headers = {
  ...commonHeaders,
  'content-type': 'text/event-stream',
  // Stops nginx from buffering events.
  'x-accel-buffering': 'no',
};

/** HTML standard, "Server-sent events". JSON has no line breaks, so a message is one data line. */
function eventOf(message: object): string {
  return `event: message\ndata: ${JSON.stringify(message)}\n\n`;
}

export function createSseStream(response: ServerResponse, extraHeaders: Record<string, string> = {}): SseStream {
  const sendHeaders = (length?: number) => {
    const sized = length === undefined ? {} : { 'content-length': String(length) };
    if (!response.headersSent) response.writeHead(200, { ...headers, ...extraHeaders, ...sized });
  };
  const write = (text: string) => {
    if (response.destroyed || response.writableEnded) return;
    sendHeaders();
    response.write(text);
  };
  return {
    write: (message) => write(eventOf(message)),
    end: (message) => {
      if (response.destroyed || response.writableEnded) return;
      const text = message === undefined ? '' : eventOf(message);
      // Usually this is the only message: headers and event are sent in one piece.
      sendHeaders(Buffer.byteLength(text));
      response.end(text);
    },
    keepAlive: () => write(': keep-alive\n\n'),
    onDisconnect: (callback) =>
      onClosed(response, () => {
        if (!response.writableFinished) callback();
      }),
  };
}
