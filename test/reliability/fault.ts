import type { Socket } from 'node:net';
import type { ErrorCode, WriteOutcome } from '../../src/shared/errors.ts';

/** A request as it came off the wire. `path` is raw, with the query. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
  /** Whether other requests came over the same connection before. */
  readonly reused: boolean;
}

/** What the sandbox answered. */
export interface Done {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** One request under a fault: what can be done to it. */
export interface Exchange {
  readonly socket: Socket;
  readonly request: Received;
  /** Has the sandbox do the work. */
  work(): Promise<Done>;
}

/**
 * How a fault is done. `connection`: before a request was read; `head`: when its head has come; `body`: when it has
 * come whole; `reused`: like `body`, but only on a connection that has carried a request before.
 */
export type Act =
  | { readonly at: 'connection'; readonly act: (socket: Socket) => void }
  | { readonly at: 'head'; readonly act: (exchange: Exchange) => unknown }
  | { readonly at: 'body'; readonly act: (exchange: Exchange) => unknown }
  | { readonly at: 'reused'; readonly act: (exchange: Exchange) => unknown };

/** R reads, I writes that may be repeated, N creates, D writes that destroy what came to be in between. */
export const classes = ['R', 'I', 'N', 'D'] as const;
export type RepeatClass = (typeof classes)[number];

/** What the program may say of a call: a result or an error, and for a write what became of it. */
export interface Said {
  readonly code: 'ok' | ErrorCode;
  readonly outcome?: WriteOutcome;
}

export interface FaultKind {
  readonly name: string;
  /** How it is done, in words for the report. */
  readonly how: string;
  /** Whether the sandbox does the work of the request that the fault meets, and when. */
  readonly applied: 'before' | 'late' | 'never';
  /** Done in one exchange, by the fault server. Others need a place of their own: see `places/`. */
  readonly fault?: Act;
  /** What a correct client says, by class; several where chance decides which of them is true. */
  readonly says: Readonly<Record<RepeatClass, readonly Said[]>>;
  /** The answer that comes through is not the sandbox's own, so that a read is not compared with it. */
  readonly altersAnswer?: boolean;
  /** One of the sample that runs with every `npm test`. */
  readonly short?: boolean;
}
