import type { Transport, TransportSendOptions } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/sdk/types.js';
import { cancelledBy, isAnswer, isRequest, type Message } from '../message.ts';
import type { SseStream } from './sse-stream.ts';

/** The requests of one POST and the stream on which they are answered. */
interface Exchange {
  readonly stream: SseStream;
  readonly open: Set<RequestId>;
  readonly trackCall: TrackCall;
}

/** Hears of each call that begins for one POST. */
type TrackCall = (call: Promise<unknown>) => void;

/** The SDK's transport over any number of HTTP exchanges of one client. */
export interface HttpTransport {
  readonly sdkTransport: Transport;
  /** Hands messages of one POST on. Where there are requests among them, `stream` carries their answers and ends with the last. */
  receive(messages: readonly Message[], stream: SseStream | undefined, trackCall: TrackCall): void;
  /** Tells the POST that a call belongs to of it. */
  onCall(id: RequestId, call: Promise<unknown>): void;
  /** Opens the stream for what belongs to no request. False where there is one already. */
  openEventStream(stream: SseStream): boolean;
  /** Whether one of these ids is that of a request that has not been answered. */
  hasPending(messages: readonly Message[]): boolean;
  /** Whether a client waits for something. */
  isBusy(): boolean;
  keepAlive(): void;
}

export function createHttpTransport(): HttpTransport {
  const exchanges = new Map<RequestId, Exchange>();
  let eventStream: SseStream | undefined;
  // A session that has just been opened is about to be used: it is not idle.
  let isFresh = true;

  /** A request that has its answer, or will get none: its stream ends with the last of them. */
  function finish(id: RequestId, answer?: object): void {
    const exchange = exchanges.get(id);
    if (exchange === undefined) return;
    exchanges.delete(id);
    exchange.open.delete(id);
    if (exchange.open.size === 0) exchange.stream.end(answer);
    else if (answer !== undefined) exchange.stream.write(answer);
  }

  function openExchange(messages: readonly Message[], stream: SseStream, trackCall: TrackCall): void {
    const open = new Set(messages.filter(isRequest).map(({ id }) => id));
    const exchange = { stream, open, trackCall };
    for (const id of open) exchanges.set(id, exchange);
    // What is under way goes on without its client: leaving is not cancelling in these versions.
    stream.onDisconnect(() => {
      for (const id of open) exchanges.delete(id);
    });
  }

  function deliver(message: Message): void {
    sdkTransport.onmessage?.(message as JSONRPCMessage);
    const cancelled = cancelledBy(message);
    // A call that was cancelled is never answered.
    if (cancelled !== undefined) finish(cancelled);
  }

  async function send(message: JSONRPCMessage, { relatedRequestId }: TransportSendOptions = {}): Promise<void> {
    if (isAnswer(message)) finish(message.id, message);
    else if (relatedRequestId !== undefined) exchanges.get(relatedRequestId)?.stream.write(message);
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
    receive: (messages, stream, trackCall) => {
      isFresh = false;
      if (stream !== undefined) openExchange(messages, stream, trackCall);
      for (const message of messages) deliver(message);
    },
    onCall: (id, call) => exchanges.get(id)?.trackCall(call),
    openEventStream: (stream) => {
      if (eventStream !== undefined) return false;
      eventStream = stream;
      stream.onDisconnect(() => {
        eventStream = undefined;
      });
      return true;
    },
    hasPending: (messages) => messages.some((message) => isRequest(message) && exchanges.has(message.id)),
    isBusy: () => isFresh || exchanges.size > 0 || eventStream !== undefined,
    keepAlive: () => {
      eventStream?.keepAlive();
      for (const { stream } of new Set(exchanges.values())) stream.keepAlive();
    },
  };
}
