import type { WriteNote } from '../../api/writes/write-note.ts';
import { updateLesson } from '../../contract/courses.ts';
import type { WriteLog } from '../../insights/outline/concurrent-edits.ts';
import type { Write } from '../../insights/outline/lesson-write.ts';
import { reasonOf } from '../../mcp/output/error-text.ts';
import type { ToolContext } from '../../mcp/tool.ts';
import { AcademyError, ApiError, type ErrorCode, OutcomeUnknownError, RateLimitedError } from '../../shared/errors.ts';
import { waitTeller } from '../enrollment/student-lookup.ts';
import { retryWhenLimited } from '../retry-when-limited.ts';

export interface Failure {
  readonly lesson_id: number;
  readonly why: string;
  /** False where it is known that it was not. */
  readonly mayBeWritten: boolean;
  /** The same would be refused again. */
  readonly isRefused?: boolean;
  /** Sooner it would not be sent. */
  readonly waitSeconds?: number;
}

/** What the same call, sent later, may mend. */
const mended: ReadonlySet<ErrorCode> = new Set(['rate_limited', 'timeout', 'api_unavailable', 'cancelled']);

/** What one call has done so far. */
export interface Run extends WriteLog {
  readonly sent: Set<number>;
  readonly applied: Set<number>;
  /** Those whose answer shows another number than was sent: what is read back tells whether they moved. */
  readonly unproved: Set<number>;
  /** Over all passes: a lesson may be written in several. */
  writes: number;
}

/** What was provably refused by ourselves was not sent; what the API has refused was. */
function isSent(error: AcademyError, hasSpent: boolean): boolean {
  if (error.code === 'cancelled') return hasSpent;
  return error.outcome === 'not_applied' ? error instanceof ApiError : !(error instanceof RateLimitedError);
}

function failureOf(lesson_id: number, error: AcademyError): Failure {
  const mayBeWritten = error.outcome !== 'not_applied';
  if (error instanceof OutcomeUnknownError) {
    const why = `outcome_unknown: ${reasonOf(error)}; whether it was written is not known`;
    const wait = error.blockedSeconds > 0 ? { waitSeconds: error.blockedSeconds } : {};
    return { lesson_id, why, mayBeWritten, ...wait };
  }
  if (error.code === 'cancelled') {
    const why = 'outcome_unknown: cancelled after it was sent; whether it was written is not known';
    return { lesson_id, why, mayBeWritten };
  }
  const wait = error instanceof RateLimitedError ? { waitSeconds: error.retryAfterSeconds } : {};
  return {
    lesson_id,
    why: reasonOf(error),
    mayBeWritten,
    isRefused: !mayBeWritten && !mended.has(error.code),
    ...wait,
  };
}

function cancelledBefore(lesson_id: number): Failure {
  return { lesson_id, why: 'cancelled before it was written', mayBeWritten: false };
}

/** What came of a lesson that could not be written. Throws what is no failure of the call. */
function failed(lesson_id: number, error: unknown, run: Run, context: { isCancelled: boolean; hasSpent: boolean }) {
  if (!(error instanceof AcademyError)) {
    if (context.isCancelled) return cancelledBefore(lesson_id);
    throw error;
  }
  const sent = isSent(error, context.hasSpent);
  if (sent) run.sent.add(lesson_id);
  return error.code === 'cancelled' && !sent ? cancelledBefore(lesson_id) : failureOf(lesson_id, error);
}

/** What the answer of a write shows is still as it was: fields beside `sequence`, whose numbers the API may give itself. */
function ignoredFields({ acceptedFields }: WriteNote): string[] {
  const isDone = acceptedFields === undefined || acceptedFields.outcome === 'applied';
  return isDone ? [] : Object.keys(acceptedFields.unchanged).filter((name) => name !== 'sequence');
}

/** Books a write that was answered, by what its answer shows. A failure where it was ignored. */
function book({ lesson_id }: Write, notes: readonly WriteNote[], run: Run): Failure | undefined {
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

/** Undefined where it was written. */
async function writeOne(write: Write, run: Run, total: number, context: ToolContext): Promise<Failure | undefined> {
  const { api, signal, progress, spent } = context;
  const { lesson_id } = write;
  if (signal.aborted) return cancelledBefore(lesson_id);
  let before = spent();
  const notes: WriteNote[] = [];
  const send = () => {
    before = spent();
    notes.length = 0;
    // How it came to be applied is told by what is read back.
    return api.call(updateLesson, write, { onNote: (note) => void notes.push(note) });
  };
  try {
    await retryWhenLimited(
      send,
      waitTeller(context, () => run.writes, total),
    );
  } catch (error) {
    return failed(lesson_id, error, run, { isCancelled: signal.aborted, hasSpent: spent() > before });
  }
  const failure = book(write, notes, run);
  progress(run.writes, total, `wrote lesson ${lesson_id}`);
  return failure;
}

/** Writes one after the other until one fails or the call is cancelled; tells what came of that one, and what is left. */
export async function writeEach(writes: readonly Write[], run: Run, context: ToolContext) {
  const total = run.writes + writes.length;
  for (const [index, write] of writes.entries()) {
    const failure = await writeOne(write, run, total, context);
    if (failure !== undefined) return { failure, unwritten: writes.slice(index) };
  }
  return { failure: undefined, unwritten: [] };
}
