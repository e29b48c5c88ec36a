import type { WriteNote } from '../../api/writes/write-outcome.ts';
import { updateLesson } from '../../contract/courses.ts';
import type { WriteLog } from '../../insights/outline/concurrent-edits.ts';
import type { Write } from '../../insights/outline/lesson-changes.ts';
import { reasonOf } from '../../mcp/output/error-text.ts';
import type { ToolContext } from '../../mcp/tool.ts';
import { AcademyError, ApiError, type ErrorCode, OutcomeUnknownError, RateLimitedError } from '../../shared/errors.ts';
import { reportWaits } from '../enrollment/student-lookup.ts';
import { retryWhenLimited } from '../retry-when-limited.ts';

export interface Failure {
  readonly lesson_id: number;
  readonly why: string;
  /** False if the lesson is known to be unchanged. */
  readonly mayBeWritten: boolean;
  /** Whether the API would refuse the same write again. */
  readonly isRefused?: boolean;
  /** Seconds before the same write can be sent. */
  readonly waitSeconds?: number;
}

/** Errors that the same call may not meet again later. */
const transientCodes: ReadonlySet<ErrorCode> = new Set(['rate_limited', 'timeout', 'api_unavailable', 'cancelled']);

/** The writes of one call so far. */
export interface Run extends WriteLog {
  readonly sent: Set<number>;
  readonly applied: Set<number>;
  /** Lessons whose answer shows another number than was sent: reading back decides whether they moved. */
  readonly unproved: Set<number>;
  /** The writes of all passes: several passes may write the same lesson. */
  writes: number;
}

/** Whether a failed write was sent: a refusal of the API was, a refusal of this program was not. */
function isSent(error: AcademyError, hasSpent: boolean): boolean {
  if (error.code === 'cancelled') return hasSpent;
  return error.outcome === 'not_applied' ? error instanceof ApiError : !(error instanceof RateLimitedError);
}

function failureOf(lesson_id: number, error: AcademyError): Failure {
  const mayBeWritten = error.outcome !== 'not_applied';
  if (error instanceof OutcomeUnknownError) {
    const why = `outcome_unknown: ${reasonOf(error)}; it may have been written`;
    const wait = error.blockedSeconds > 0 ? { waitSeconds: error.blockedSeconds } : {};
    return { lesson_id, why, mayBeWritten, ...wait };
  }
  if (error.code === 'cancelled') {
    const why = 'outcome_unknown: cancelled after it was sent; it may have been written';
    return { lesson_id, why, mayBeWritten };
  }
  const wait = error instanceof RateLimitedError ? { waitSeconds: error.retryAfterSeconds } : {};
  return {
    lesson_id,
    why: reasonOf(error),
    mayBeWritten,
    isRefused: !mayBeWritten && !transientCodes.has(error.code),
    ...wait,
  };
}

function cancelledBefore(lesson_id: number): Failure {
  return { lesson_id, why: 'cancelled before it was written', mayBeWritten: false };
}

/** The failure of a write. Rethrows internal errors. */
function failed(lesson_id: number, error: unknown, run: Run, context: { isCancelled: boolean; hasSpent: boolean }) {
  if (!(error instanceof AcademyError)) {
    if (context.isCancelled) return cancelledBefore(lesson_id);
    throw error;
  }
  const sent = isSent(error, context.hasSpent);
  if (sent) run.sent.add(lesson_id);
  return error.code === 'cancelled' && !sent ? cancelledBefore(lesson_id) : failureOf(lesson_id, error);
}

/** Fields that, by the answer of a write, did not change. Without `sequence`, whose numbers the API may assign itself. */
function ignoredFields({ acceptedFields }: WriteNote): string[] {
  const isDone = acceptedFields === undefined || acceptedFields.outcome === 'applied';
  return isDone ? [] : Object.keys(acceptedFields.unchanged).filter((name) => name !== 'sequence');
}

/** Records a write that was answered, by what its answer shows. Returns a failure if the API ignored it. */
function record({ lesson_id }: Write, notes: readonly WriteNote[], run: Run): Failure | undefined {
  run.sent.add(lesson_id);
  run.writes += 1;
  const ignored = notes.find((note) => ignoredFields(note).length > 0);
  if (ignored !== undefined) {
    return { lesson_id, why: `not_applied: ${ignored.text}`, mayBeWritten: false, isRefused: true };
  }
  const isProved = notes.every(
    ({ acceptedFields }) => acceptedFields === undefined || acceptedFields.outcome === 'applied',
  );
  (isProved ? run.applied : run.unproved).add(lesson_id);
  return undefined;
}

/** Undefined if the lesson was written. */
async function writeOne(write: Write, run: Run, total: number, context: ToolContext): Promise<Failure | undefined> {
  const { api, signal, progress, spent } = context;
  const { lesson_id } = write;
  if (signal.aborted) return cancelledBefore(lesson_id);
  let before = spent();
  const notes: WriteNote[] = [];
  const send = () => {
    before = spent();
    notes.length = 0;
    // The notes stay out of the answer: reading back shows what was applied.
    return api.call(updateLesson, write, { onNote: (note) => void notes.push(note) });
  };
  try {
    await retryWhenLimited(
      send,
      reportWaits(context, () => run.writes, total),
    );
  } catch (error) {
    return failed(lesson_id, error, run, { isCancelled: signal.aborted, hasSpent: spent() > before });
  }
  const failure = record(write, notes, run);
  progress(run.writes, total, `wrote lesson ${lesson_id}`);
  return failure;
}

/** Writes lessons one by one until a write fails or the call is cancelled. Returns that failure and the writes that are left. */
export async function writeEach(writes: readonly Write[], run: Run, context: ToolContext) {
  const total = run.writes + writes.length;
  for (const [index, write] of writes.entries()) {
    const failure = await writeOne(write, run, total, context);
    if (failure !== undefined) return { failure, unwritten: writes.slice(index) };
  }
  return { failure: undefined, unwritten: [] };
}
