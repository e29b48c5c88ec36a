import type { ServerResponse } from 'node:http';
import type { Transport, TransportSendOptions } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/sdk/types.js';
import { commonHeaders, onClosed, onDisconnect } from '../http-response.ts';
import { cancelledBy, isAnswer, isRequest, limitErrorSize, type Message } from '../message.ts';

export const sessionHeader = 'mcp-session-id';

/** Milliseconds between two comments on an open stream, so that proxies and clients do not time out during a long call. */
const keepAliveMs = 15_000;

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

export type SseStream = ReturnType<typeof createSseStream>;

/** One HTTP response that carries messages as server-sent events. Its headers are sent with the first message, or at once. */
export function createSseStream(response: ServerResponse, extraHeaders: Record<string, string> = {}) {
  const sendHeaders = (length?: number) => {
    const sized = length === undefined ? {} : { 'content-length': String(length) };
    if (!response.headersSent) response.writeHead(200, { ...headers, ...extraHeaders, ...sized });
  };
  const isOver = () => response.destroyed || response.writableEnded;
  const write = (text: string) => {
    if (isOver()) return;
    sendHeaders();
    response.write(text);
  };
  const timer = setInterval(() => write(': keep-alive\n\n'), keepAliveMs).unref();
  onClosed(response, () => clearInterval(timer));
  return {
    sendHeaders: () => {
      sendHeaders();
      response.flushHeaders();
    },
    write: (message: object) => write(eventOf(message)),
    end: (message?: object) => {
      if (isOver()) return;
      const text = message === undefined ? '' : eventOf(message);
      // Usually this is the only message: headers and event are sent in one piece.
      sendHeaders(Buffer.byteLength(text));
      response.end(text);
    },
    /** Calls back if the client disconnects before the end. */
    onDisconnect: (callback: () => void) => onDisconnect(response, callback),
  };
}

/** The unanswered requests of one POST and the stream that carries their answers. */
interface Exchange {
  readonly stream: SseStream;
  readonly pending: Set<RequestId>;
  readonly trackCall: TrackCall;
}

type TrackCall = (call: Promise<unknown>) => void;

export type HttpTransport = ReturnType<typeof createHttpTransport>;

/** Connects the SDK's transport to any number of HTTP exchanges with one client. */
export function createHttpTransport() {
  const exchanges = new Map<RequestId, Exchange>();
  let eventStream: SseStream | undefined;
  // A new session is about to be used, so it counts as busy.
  let isFresh = true;
  let version: string | undefined;

  /** Ends a request, with its answer if it gets one. The stream ends with the last request of its POST. */
  function finish(id: RequestId, answer?: object): void {
    const exchange = exchanges.get(id);
    if (exchange === undefined) return;
    exchanges.delete(id);
    exchange.pending.delete(id);
    if (exchange.pending.size === 0) exchange.stream.end(answer);
    else if (answer !== undefined) exchange.stream.write(answer);
  }

  function openExchange(messages: readonly Message[], stream: SseStream, trackCall: TrackCall): void {
    const pending = new Set(messages.filter(isRequest).map(({ id }) => id));
    const exchange = { stream, pending, trackCall };
    for (const id of pending) exchanges.set(id, exchange);
    // The calls continue: in these versions a client that disconnects does not cancel them.
    stream.onDisconnect(() => {
      for (const id of pending) exchanges.delete(id);
    });
  }

  function deliver(message: Message): void {
    sdkTransport.onmessage?.(message as JSONRPCMessage);
    const cancelled = cancelledBy(message);
    // A cancelled call gets no answer.
    if (cancelled !== undefined) finish(cancelled);
  }

  async function send(message: JSONRPCMessage, { relatedRequestId }: TransportSendOptions = {}): Promise<void> {
    if (isAnswer(message)) {
      // The answer to initialize, the only one of these versions with this field.
      const result = 'result' in message ? message.result : {};
      if ('protocolVersion' in result) version = String(result.protocolVersion);
      finish(message.id, limitErrorSize(message));
    } else if (relatedRequestId !== undefined) exchanges.get(relatedRequestId)?.stream.write(message);
    else eventStream?.write(message);
  }

  async function close(): Promise<void> {
    const streams = new Set([...exchanges.values()].map(({ stream }) => stream));
    exchanges.clear();
    for (const stream of streams) stream.end();
    eventStream?.end();
    eventStream = undefined;
    sdkTransport.onclose?.();
  }

  const sdkTransport: Transport = { start: async () => {}, send, close };

  return {
    sdkTransport,
    /** Delivers the messages of one POST. `stream` carries the answers to its requests and ends with the last one. */
    receive: (messages: readonly Message[], stream: SseStream | undefined, trackCall: TrackCall): void => {
      isFresh = false;
      if (stream !== undefined) openExchange(messages, stream, trackCall);
      for (const message of messages) deliver(message);
    },
    /** Passes a call to the POST whose request started it. */
    onCall: (id: RequestId, call: Promise<unknown>): void => exchanges.get(id)?.trackCall(call),
    hasEventStream: () => eventStream !== undefined,
    /** Opens the stream for messages that belong to no request. The client waits for its headers. */
    openEventStream: (stream: SseStream): void => {
      eventStream = stream;
      stream.sendHeaders();
      stream.onDisconnect(() => {
        eventStream = undefined;
      });
    },
    hasPending: (messages: readonly Message[]): boolean =>
      messages.some((message) => isRequest(message) && exchanges.has(message.id)),
    /** Negotiated protocol version; undefined until initialize is answered. */
    version: () => version,
    /** Whether a client waits for an answer or listens on a stream. */
    isBusy: () => isFresh || exchanges.size > 0 || eventStream !== undefined,
  };
}
