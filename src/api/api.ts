import type { RecordIndex } from '../contract/lookups/record-lookup.ts';
import type { InputOf, Operation } from '../contract/operation.ts';
import type { ParsedResponse } from '../contract/schemas/response.ts';
import type { PlatformReport } from './platform.ts';
import type { Budget, Priority } from './rate-limit/limiter.ts';
import type { WriteNote } from './writes/write-note.ts';

export interface CallOptions {
  /** Ends a wait and a read at once; a write that was sent is let finish. */
  signal?: AbortSignal | undefined;
  priority?: Exclude<Priority, 'retry'> | undefined;
  onWait?: ((milliseconds: number) => void) | undefined;
  /** Counts each request that is sent. */
  onRequest?: (() => void) | undefined;
  /** Hears how a write came to be applied, where it was not simply answered so. */
  onNote?: ((note: WriteNote) => void) | undefined;
  /**
   * Of a create: when the caller began to look for its effect (`performance.now()`), and did not see it. It is looked for
   * again only where an equal one was made since.
   */
  lookedAt?: number | undefined;
  /** For the audit log. */
  origin?: { tool: string; caller: string } | undefined;
}

/** What a tool sees of the API. */
export interface Api {
  /**
   * Sends one operation, as often as is safe, and reads its answer. Resolves only to what was answered or, for a write,
   * seen to be done; throws `AcademyError` otherwise, whose `outcome` says what is known of a write.
   */
  call<O extends Operation>(
    operation: O,
    input: InputOf<O>,
    options?: CallOptions,
  ): Promise<ParsedResponse<O['response']>>;
}

export interface ApiClient extends Api {
  readonly recordIndex: RecordIndex;
  /** Whether an equal write of unknown outcome was sent a short while ago: it would only be looked for now. */
  isUnsettled(operation: Operation, input: object): boolean;
  /** Whether a create first looks for what is there. */
  readonly looksFirst: boolean;
  budget(): Budget;
  /** Why calls would fail now, as far as is known without asking the API. */
  problem(): string | undefined;
  /** What is known of the platform from its answers so far. */
  platform(): PlatformReport;
  /** What to add to a time of ours to have the server's, in milliseconds; 0 where they differ by less than a minute. */
  clockShiftMs(): number;
  /** Ends reads that are under way: the program has no more time for them. */
  endReads(): void;
  /** Lets writes that are under way finish, then ends. */
  close(): Promise<void>;
}
