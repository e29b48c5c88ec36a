import type { Socket } from 'node:net';
import type { ErrorCode, WriteOutcome } from '../../src/shared/errors.ts';

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
  /** Whether the same connection carried other requests before. */
  readonly reused: boolean;
}

export interface Done {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export interface Exchange {
  readonly socket: Socket;
  readonly request: Received;
  work(): Promise<Done>;
}

/**
 * When a fault acts. `connection`: before a request is read; `head`: after its head was received; `body`: after it was
 * received completely; `reused`: like `body`, but only on a connection that has carried a request before.
 */
export type Act =
  | { readonly at: 'connection'; readonly act: (socket: Socket) => void }
  | { readonly at: 'head'; readonly act: (exchange: Exchange) => unknown }
  | { readonly at: 'body'; readonly act: (exchange: Exchange) => unknown }
  | { readonly at: 'reused'; readonly act: (exchange: Exchange) => unknown };

/** R reads, I writes that may be repeated, N creates, D writes that, if repeated, destroy later changes. */
export const classes = ['R', 'I', 'N', 'D'] as const;
export type RepeatClass = (typeof classes)[number];

/** A correct answer of the program: a result or an error, and the outcome if it is a write. */
export interface Said {
  readonly code: 'ok' | ErrorCode;
  readonly outcome?: WriteOutcome;
}

export interface FaultKind {
  readonly name: string;
  /** How the fault is made, in words for the report. */
  readonly how: string;
  /** Whether and when the sandbox does the work of the affected request. */
  readonly applied: 'before' | 'late' | 'never';
  /** Made by the fault server in one exchange. Other faults have their own file in `places/`. */
  readonly fault?: Act;
  /** The correct answers of a client, by class; several if chance decides which of them is true. */
  readonly says: Readonly<Record<RepeatClass, readonly Said[]>>;
  /** The answer that arrives is not the sandbox's own, so a read is not compared with it. */
  readonly altersAnswer?: boolean;
  /** One of the sample of the short form. */
  readonly short?: boolean;
}
