import type { Logger } from 'pino';
import type { AnswerOf, InputOf, Operation } from '../contract/operation.ts';
import type { Meter } from '../shared/metrics.ts';
import type { SharedStore } from '../shared/shared-store.ts';
import type { Http } from './http/http.ts';
import type { Limiter, Priority } from './rate-limit/limiter.ts';
import type { AuditLog } from './writes/audit-log.ts';
import type { Journal, JournalFacts, Origin } from './writes/journal.ts';
import type { WriteNote } from './writes/write-outcome.ts';

export interface CallOptions {
  /** Ends a wait or a read at once. A write that was sent still finishes. */
  signal?: AbortSignal | undefined;
  priority?: Exclude<Priority, 'retry'> | undefined;
  onWait?: ((milliseconds: number) => void) | undefined;
  onRequest?: (() => void) | undefined;
  /** Receives the reason if a write was applied in another way than by a plain answer. */
  onNote?: ((note: WriteNote) => void) | undefined;
  /** Of a create: when (`performance.now()`) the caller began to look for its effect, and did not find it. */
  checkedAt?: number | undefined;
  /** Of a long answer: `save` keeps it for the other replicas, `use` takes the one that another replica has kept. */
  kept?: 'save' | 'use' | undefined;
  origin?: Origin | undefined;
  journal?: JournalFacts | undefined;
}

export interface Api {
  /** Sends one operation as often as is safe. A write resolves only if it is proved; its errors have the `outcome`. */
  call<O extends Operation>(operation: O, input: InputOf<O>, options?: CallOptions): Promise<AnswerOf<O>>;
}

export interface ApiClientOptions {
  baseUrl: URL;
  http: Http;
  limiter: Limiter;
  log: Logger;
  audit?: AuditLog | undefined;
  journal?: Journal | undefined;
  meter?: Meter | undefined;
  onAnswer?: (operation: Operation, answer: object) => void;
  /** Longest time for all attempts of a call together, in milliseconds. */
  deadlineMs: number;
  /** Longest time that a write waits for an identical one on another replica, in milliseconds. */
  maxWaitMs: number;
  /** How long a write of unknown outcome is not sent again, in milliseconds. */
  quarantineMs: number;
  preflight: boolean;
  /** What every replica must know of writes; default: kept in this process. */
  store?: SharedStore | undefined;
  /** Milliseconds of the clock that says how long ago a grant was made; default: the monotonic clock. */
  now?: (() => number) | undefined;
  /** Factor of all pauses: 1, or less in a test that cannot wait. */
  pace?: number;
  random?: () => number;
}
