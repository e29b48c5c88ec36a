import type { CourseOfLesson } from '../contract/lookups.ts';
import type { InputOf, Operation } from '../contract/operation.ts';
import type { ParsedResponse } from '../contract/schemas/response.ts';
import type { RecentGrant } from '../insights/students/holdings.ts';
import type { PlatformReport } from './platform.ts';
import type { Budget, Priority } from './rate-limit/limiter.ts';
import type { JournalFacts, Origin, Part } from './writes/journal.ts';
import type { WriteNote } from './writes/write-outcome.ts';

export interface CallOptions {
  /** Ends a wait or a read at once. A write that was sent still finishes. */
  signal?: AbortSignal | undefined;
  priority?: Exclude<Priority, 'retry'> | undefined;
  onWait?: ((milliseconds: number) => void) | undefined;
  onRequest?: (() => void) | undefined;
  /** Receives the reason if a write was applied in another way than by a plain answer. */
  onNote?: ((note: WriteNote) => void) | undefined;
  /**
   * For a create: when the caller began to look for its effect (`performance.now()`) without finding it. The client
   * looks again only if an identical create has ended since.
   */
  checkedAt?: number | undefined;
  /**
   * For a read of a long answer: `save` keeps its answer for the other replicas, `use` takes the one that another replica
   * has kept, if any.
   */
  kept?: 'save' | 'use' | undefined;
  /** For the audit log and the journal. */
  origin?: Origin | undefined;
  journal?: JournalFacts | undefined;
}

/** The API, as a tool sees it. */
export interface Api {
  /**
   * Sends one operation, retries it as often as is safe, and parses its answer. A write resolves only if the API
   * answered that it is done or reading back shows it. Throws `AcademyError` otherwise; its `outcome` says what is
   * known of the write.
   */
  call<O extends Operation>(
    operation: O,
    input: InputOf<O>,
    options?: CallOptions,
  ): Promise<ParsedResponse<O['response']>>;
}

export interface ApiClient extends Api {
  readonly courseOfLesson: CourseOfLesson;
  /**
   * Whether an identical write recently ended with an unknown outcome. The client would then only look for its effect.
   */
  isOutcomeUnknown(operation: Operation, input: object): Promise<boolean>;
  /** Looks for the effect of writes of unknown outcome, and notes it in the journal. */
  settleUnknown(parts: readonly Part[], api: Api): Promise<void>;
  /** The same for all of the journal, once, in the background. */
  settleJournal(): void;
  /** What this program and its replicas gave a student in the last ten minutes. */
  recentGrants(email: string): Promise<readonly RecentGrant[]>;
  readonly checksBeforeCreate: boolean;
  budget(): Budget;
  /** Why calls would fail now, as far as the client knows without a request. */
  problem(): string | undefined;
  /** What the answers so far show of the platform. */
  platform(): PlatformReport;
  /** The server's clock less ours, in milliseconds; 0 if they differ by less than a minute. */
  clockShiftMs(): number;
  /** Ends reads under way. Used at the end of the program. */
  endReads(): void;
  close(): Promise<void>;
}
