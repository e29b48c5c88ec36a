import * as z from 'zod';
import type { WriteNote } from '../../api/writes/write-outcome.ts';
import { updateLesson } from '../../contract/courses.ts';
import { type Course, type Lesson, placesOf } from '../../insights/outline/course.ts';
import { concurrentEdits, ignoredWrites, type WriteLog } from '../../insights/outline/course-version.ts';
import type { Write } from '../../insights/outline/lesson-changes.ts';
import { isTargetReached, planWrites, strategies } from '../../insights/outline/strategies.ts';
import { reasonOf } from '../../mcp/output/error-text.ts';
import type { ToolContext } from '../../mcp/tool.ts';
import { AcademyError, ApiError, type ErrorCode, OutcomeUnknownError, RateLimitedError } from '../../shared/errors.ts';
import { retryWhenLimited } from '../batch.ts';
import { reportWaits } from '../enrollment/student-lookup.ts';
import { type CoursePlan, readCourse } from './plan-course.ts';

interface Failure {
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
interface Run extends WriteLog {
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

/** Undefined if the lesson was written. `was`: the lesson as read before. */
async function writeOne(
  write: Write,
  was: Lesson | undefined,
  run: Run,
  total: number,
  context: ToolContext,
): Promise<Failure | undefined> {
  const { api, signal, progress, spent } = context;
  const { lesson_id } = write;
  if (signal.aborted) return cancelledBefore(lesson_id);
  let before = spent();
  const notes: WriteNote[] = [];
  const journal = { old: { values: { sequence: was?.sequence } } };
  const send = () => {
    before = spent();
    notes.length = 0;
    // The notes stay out of the answer: reading back shows what was applied.
    return api.call(updateLesson, write, { journal, onNote: (note) => void notes.push(note) });
  };
  try {
    await retryWhenLimited(send, reportWaits(context, total));
  } catch (error) {
    return failed(lesson_id, error, run, { isCancelled: signal.aborted, hasSpent: spent() > before });
  }
  const failure = record(write, notes, run);
  progress(run.writes, total, `wrote lesson ${lesson_id}`);
  return failure;
}

/** Writes lessons one by one until a write fails or the call is cancelled. Returns that failure and the writes that are left. */
async function writeEach(writes: readonly Write[], course: Course, run: Run, context: ToolContext) {
  const total = run.writes + writes.length;
  const places = placesOf(course);
  for (const [index, write] of writes.entries()) {
    const failure = await writeOne(write, places.get(write.lesson_id)?.lesson, run, total, context);
    if (failure !== undefined) return { failure, unwritten: writes.slice(index) };
  }
  return { failure: undefined, unwritten: [] };
}

interface Reading {
  readonly course: Course;
  readonly version: string;
}

export interface Applied extends WriteLog {
  readonly failed: readonly Failure[];
  readonly remaining: readonly number[];
  /** Whether the course, read back, matches the target. */
  readonly verified: boolean;
  /** Changes that somebody else made in the meantime, a line each. */
  readonly edits: readonly string[];
  /** The course as read back; undefined if that failed. */
  readonly now: Reading | undefined;
}

/** Undefined if the course cannot be read now: the writes still count. */
async function readBack(courseId: number, context: ToolContext): Promise<Reading | undefined> {
  try {
    return await readCourse(courseId, context);
  } catch (error) {
    if (error instanceof AcademyError || context.signal.aborted) return undefined;
    throw error;
  }
}

function idsOf(writes: readonly Write[], failures: readonly Failure[]): number[] {
  const failed = new Set(failures.map(({ lesson_id }) => lesson_id));
  return writes.map(({ lesson_id }) => lesson_id).filter((id) => !failed.has(id));
}

/**
 * Finds lessons whose writes were answered with success and that, read back, are unchanged: they no longer count as written.
 * An unchanged number alone is no failure, since the API may have assigned the same one again: the final order decides.
 */
function findIgnored(before: Course, after: Course, writes: readonly Write[], run: Run): Failure[] {
  const answered = writes.filter(({ lesson_id }) => run.applied.has(lesson_id) || run.unproved.has(lesson_id));
  return ignoredWrites(before, after, answered).flatMap(({ lesson_id, fields }) => {
    run.applied.delete(lesson_id);
    const others = fields.filter((field) => field !== 'sequence');
    if (others.length === 0) {
      run.unproved.add(lesson_id);
      return [];
    }
    run.unproved.delete(lesson_id);
    const why = `not_applied: the API returned no error, but ${others.join(', ')} did not change`;
    return [{ lesson_id, why, mayBeWritten: false, isRefused: true }];
  });
}

/** The result of a call, judged by the last reading. */
function judge(
  now: Reading,
  { target, changes }: CoursePlan,
  run: Run,
  { failures, edits }: { failures: readonly Failure[]; edits: readonly string[] },
): Applied {
  const verified = edits.length === 0 && isTargetReached(now.course, target, changes, run.applied);
  if (verified) for (const id of run.unproved) run.applied.add(id);
  // The course matches the target, so the uncertain writes were applied.
  const done = verified ? failures.filter(({ mayBeWritten }) => mayBeWritten) : [];
  for (const { lesson_id } of done) if (run.sent.has(lesson_id)) run.applied.add(lesson_id);
  const remaining = verified ? [] : idsOf(planWrites(now.course, target, changes, run.applied), failures);
  const failed = failures.filter((failure) => !done.includes(failure));
  return { ...run, failed, remaining, verified, edits, now };
}

/**
 * Applies a plan and reads back, until the course matches the target or no pass is left. The API document does not say what
 * `sequence` means; each pass assumes another meaning. Stops if somebody else has changed the course in the meantime. A
 * write that fails is no error of the call: the answer reports it.
 */
async function writePlan(plan: CoursePlan, courseId: number, context: ToolContext): Promise<Applied> {
  const { target, changes } = plan;
  const run: Run = { sent: new Set(), applied: new Set(), unproved: new Set(), writes: 0 };
  let now: Reading = plan;
  for (const strategy of strategies) {
    const writes = strategy(now.course, target, changes, run.applied);
    // Wanted numbers are written at first even if the order is right already.
    const isOpen = strategy === planWrites && writes.length > 0;
    if (!isOpen && isTargetReached(now.course, target, changes, run.applied)) break;
    const { failure, unwritten } = await writeEach(writes, now.course, run, context);
    const failures = failure === undefined ? [] : [failure];
    const seen = await readBack(courseId, context);
    if (seen === undefined) {
      return {
        ...run,
        failed: failures,
        remaining: idsOf(unwritten, failures),
        verified: false,
        edits: [],
        now: undefined,
      };
    }
    failures.push(...findIgnored(now.course, seen.course, writes, run));
    const edits = concurrentEdits(now.course, seen.course, target, run);
    now = seen;
    if (failures.length > 0 || edits.length > 0) return judge(now, plan, run, { failures, edits });
  }
  return judge(now, plan, run, { failures: [], edits: [] });
}

/** The outline of a course in the journal: changed by many writes, it is undone as a whole. `old` is the undo. */
export const outlineRecord = {
  id: 'outline',
  effect: 'update',
  undo: 'restore',
  undoWith: 'order, titles and publication can be written back, if nobody has changed the course since',
  body: { version: z.string() },
} as const;

/** Applies a plan, and notes in the journal what restores the course, and how it left it. `undoes`: the part of a change. */
export async function applyPlan(
  plan: CoursePlan,
  course_id: number,
  context: ToolContext,
  undoes?: string,
): Promise<Applied> {
  const { journal, caller, change } = context;
  const tool = undoes === undefined ? 'apply_course_outline' : 'undo_change';
  const facts = { old: { values: { ...plan.undo } }, undoes };
  const record = journal?.record(outlineRecord, { course_id }, { tool, caller, change }, facts, course_id);
  const problem = await record?.begin();
  if (problem !== undefined) throw problem;
  const applied = await writePlan(plan, course_id, context);
  await record?.end(applied.verified ? 'applied' : 'not_applied', { version: applied.now?.version });
  return applied;
}

/** The lock of a replica that died ends after this time. One that lives renews it. Milliseconds. */
const lockMs = 180_000;

/** Runs `work` while no other call changes the course, on any replica. Throws `stale_version` if one does. */
export async function withCourseLock<T>(courseId: number, { stores }: ToolContext, work: () => Promise<T>): Promise<T> {
  const { shared } = stores;
  const lock = `course ${courseId}`;
  if ((await shared.setIfAbsent(lock, 'changing', lockMs)) === false) {
    throw new AcademyError('stale_version', 'another change of this course is in progress', {
      hint: 'When it has finished, plan again with plan_course_outline.',
      outcome: 'not_applied',
    });
  }
  const renewal = setInterval(() => void shared.set(lock, 'changing', lockMs), lockMs / 3).unref();
  try {
    return await work();
  } finally {
    clearInterval(renewal);
    await shared.delete(lock);
  }
}
