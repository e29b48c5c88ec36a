import type { Transport, TransportSendOptions } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/sdk/types.js';
import { cancelledBy, isAnswer, isRequest, type Message } from '../message.ts';
import type { ReplyStream } from './sse-stream.ts';

/** The requests of one POST and the stream on which they are answered. */
interface Exchange {
  readonly stream: ReplyStream;
  readonly open: Set<RequestId>;
  readonly hold: Hold;
}

/** Hears of each call that begins for one POST. */
type Hold = (call: Promise<unknown>) => void;

/** The SDK's transport over any number of HTTP exchanges of one client. */
export interface HttpWire {
  readonly transport: Transport;
  /** Hands messages of one POST on. Where there are requests among them, `stream` carries their answers and ends with the last. */
  take(messages: readonly Message[], stream: ReplyStream | undefined, hold: Hold): void;
  /** Tells the POST that a call belongs to of it. */
  onCall(id: RequestId, call: Promise<unknown>): void;
  /** Opens the stream for what belongs to no request. False where there is one already. */
  listen(stream: ReplyStream): boolean;
  /** Whether one of these ids is that of a request that has not been answered. */
  isAsking(messages: readonly Message[]): boolean;
  /** Whether a client waits for something. */
  isBusy(): boolean;
  beat(): void;
}

export function createHttpWire(): HttpWire {
  const exchanges = new Map<RequestId, Exchange>();
  let listener: ReplyStream | undefined;
  // A session that has just been opened is about to be used: it is not idle.
  let isFresh = true;

  /** A request that has its answer, or will get none: its stream ends with the last of them. */
  function settle(id: RequestId, answer?: object): void {
    const exchange = exchanges.get(id);
    if (exchange === undefined) return;
    exchanges.delete(id);
    exchange.open.delete(id);
    if (exchange.open.size === 0) exchange.stream.end(answer);
    else if (answer !== undefined) exchange.stream.write(answer);
  }

  function openExchange(messages: readonly Message[], stream: ReplyStream, hold: Hold): void {
    const open = new Set(messages.filter(isRequest).map(({ id }) => id));
    const exchange = { stream, open, hold };
    for (const id of open) exchanges.set(id, exchange);
    // What is under way goes on without its client: leaving is not cancelling in these versions.
    stream.onGone(() => {
      for (const id of open) exchanges.delete(id);
    });
  }

  function handOn(message: Message): void {
    transport.onmessage?.(message as JSONRPCMessage);
    const cancelled = cancelledBy(message);
    // A call that was cancelled is never answered.
    if (cancelled !== undefined) settle(cancelled);
  }

  async function send(message: JSONRPCMessage, { relatedRequestId }: TransportSendOptions = {}): Promise<void> {
    if (isAnswer(message)) settle(message.id, message);
    else if (relatedRequestId !== undefined) exchanges.get(relatedRequestId)?.stream.write(message);
    else listener?.write(message);
  }

  async function close(): Promise<void> {
    const streams = new Set([...exchanges.values()].map(({ stream }) => stream));
    exchanges.clear();
    for (const stream of streams) stream.end();
    listener?.end();
    listener = undefined;
    transport.onclose?.();
  }

  const transport: Transport = { start: async () => {}, send, close };

  return {
    transport,
    take: (messages, stream, hold) => {
      isFresh = false;
      if (stream !== undefined) openExchange(messages, stream, hold);
      for (const message of messages) handOn(message);
    },
    onCall: (id, call) => exchanges.get(id)?.hold(call),
    listen: (stream) => {
      if (listener !== undefined) return false;
      listener = stream;
      stream.onGone(() => {
        listener = undefined;
      });
      return true;
    },
    isAsking: (messages) => messages.some((message) => isRequest(message) && exchanges.has(message.id)),
    isBusy: () => isFresh || exchanges.size > 0 || listener !== undefined,
    beat: () => {
      listener?.beat();
      for (const { stream } of new Set(exchanges.values())) stream.beat();
    },
  };
}
