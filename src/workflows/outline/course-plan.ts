import * as z from 'zod';
import { unreadablePathsIn } from '../../api/http/answer-facts.ts';
import { undefinedIfFailed } from '../../api/partial-failure.ts';
import type { WriteNote } from '../../api/writes/write-outcome.ts';
import { getCourseStructure, updateLesson } from '../../contract/courses.ts';
import { type Course, type Lesson, placesOf, structureOf } from '../../insights/outline/course.ts';
import {
  appliedIn,
  concurrentEdits,
  differences,
  ignoredWrites,
  versionOf,
} from '../../insights/outline/course-version.ts';
import {
  checkChanges,
  checkUndo,
  type LessonChange,
  undoOf,
  type Write,
} from '../../insights/outline/lesson-changes.ts';
import { clarityOf, unclearIn } from '../../insights/outline/order-clarity.ts';
import { isTargetReached, planWrites, strategies } from '../../insights/outline/strategies.ts';
import { type OutlineRequest, targetOf } from '../../insights/outline/target.ts';
import { unreadableText } from '../../insights/unreadable.ts';
import { outcomeOf, reasonOf } from '../../mcp/output/error-text.ts';
import type { ToolContext } from '../../mcp/tool.ts';
import { AcademyError, ApiError, type ErrorCode, OutcomeUnknownError, RateLimitedError } from '../../shared/errors.ts';
import { firstOf } from '../../shared/invalid-input.ts';
import { retryWhenLimited } from '../batch.ts';
import { readCourses } from '../scan-store.ts';

// Reads a course, plans a change of its outline, and applies the plan.

interface CourseQuestion extends OutlineRequest {
  readonly course_id: number;
  readonly lessons?: readonly LessonChange[] | undefined;
}

const maxDifferences = 12;

/** `changed`: the differences between the planned course and the current one; undefined if the planned one is forgotten. */
function stale(changed: readonly string[] | undefined, version: string): AcademyError {
  const shown = firstOf(changed ?? [], maxDifferences, '; ') || 'its earlier state is no longer known here';
  return new AcademyError('stale_version', `the course has changed since this was planned: ${shown}`, {
    hint: `Plan again with plan_course_outline; the course is now at base_version ${version}.`,
    outcome: 'not_applied',
  });
}

function unreadable(count: number): AcademyError {
  const what = unreadableText({ lessons: count });
  return new AcademyError('unexpected_response', `${what}: this course cannot be planned`, {
    hint: 'get_course_structure shows what could be read.',
    outcome: 'not_applied',
  });
}

/** Reads a course, and stores it by its version, so that a later call can name the differences. */
export async function readCourse(course_id: number, { api, stores }: ToolContext) {
  const answer = await api.call(getCourseStructure, { course_id });
  const clarity = clarityOf(answer, unreadablePathsIn(answer));
  const course = structureOf(answer);
  if (clarity.unreadable > 0) throw unreadable(clarity.unreadable);
  const version = versionOf(course);
  stores.of(readCourses).set(`${course_id} ${version}`, course);
  const { title, is_challenge } = answer.course ?? {};
  return { course, version, clarity, title, isChallenge: is_challenge === true };
}

/** Throws `stale_version` if the course is not at `baseVersion`, and `invalid_input` for changes whose undo fits no answer. */
export async function planCourse(question: CourseQuestion, context: ToolContext, baseVersion?: string) {
  const { course_id, lessons: changes = [] } = question;
  const { course, version, title, isChallenge, clarity } = await readCourse(course_id, context);
  if (baseVersion !== undefined && baseVersion !== version) {
    const before = context.stores.of(readCourses).get(`${course_id} ${baseVersion}`);
    throw stale(before && differences(before, course), version);
  }
  const target = targetOf(course, question);
  checkChanges(course, changes);
  const undo = undoOf(course, changes);
  checkUndo(target, undo);
  const writes = planWrites(course, target, changes);
  const unclear = unclearIn(clarity, course, target, question.outline !== undefined);
  return { title, isChallenge, course, version, target, changes, writes, undo, doubts: clarity.doubts, unclear };
}

/** `doubts`: what is not clear about the course; `unclear`: why the order of a list that the plan relies on is not. */
export type CoursePlan = Awaited<ReturnType<typeof planCourse>>;

/** Throws if a plan relies on an order that is not clear: its writes might do something else than what was meant. */
export function refuseUnclear({ unclear }: CoursePlan): void {
  if (unclear === undefined) return;
  throw new AcademyError('unexpected_response', `nothing was sent: ${unclear}`, {
    hint: 'You can still change titles and publication; change the order on the platform, or with update_lesson for each lesson.',
    outcome: 'not_applied',
  });
}

/** Errors that the same call may not meet again later. */
const transientCodes: ReadonlySet<ErrorCode> = new Set(['rate_limited', 'timeout', 'api_unavailable', 'cancelled']);

function waitAfter(error: AcademyError): number {
  if (error instanceof OutcomeUnknownError) return error.blockedSeconds;
  return error instanceof RateLimitedError ? error.retryAfterSeconds : 0;
}

function failureOf(lesson_id: number, error: AcademyError) {
  const mayBeWritten = outcomeOf(error, true) !== 'not_applied';
  const isOpen = error instanceof OutcomeUnknownError || error.code === 'cancelled';
  const reason = error.code === 'cancelled' ? 'cancelled after it was sent' : reasonOf(error);
  return {
    lesson_id,
    why: isOpen ? `outcome_unknown: ${reason}; it may have been written` : reason,
    /** False if the lesson is known to be unchanged. */
    mayBeWritten,
    /** Whether the API would refuse the same write again. */
    isRefused: !mayBeWritten && !transientCodes.has(error.code),
    /** Before the same write can be sent. */
    waitSeconds: waitAfter(error),
  };
}

type Failure = ReturnType<typeof failureOf>;

const notWritten = (lesson_id: number, why: string, isRefused: boolean): Failure => {
  return { lesson_id, why, isRefused, mayBeWritten: false, waitSeconds: 0 };
};

const cancelledBefore = (lesson_id: number) => notWritten(lesson_id, 'cancelled before it was written', false);

const ignored = (lesson_id: number, why: string) => notWritten(lesson_id, `not_applied: ${why}`, true);

interface Run {
  /** Each lesson that was sent, and whether its answer shows that it was applied. */
  readonly log: Map<number, boolean>;
  /** The writes of all passes: several passes may write the same lesson. */
  writes: number;
}

/** A lesson that an earlier pass has written stays written. */
const note = ({ log }: Run, id: number, isApplied: boolean) => log.set(id, isApplied || log.get(id) === true);

/** Records a write that was answered, by what its answer shows. Returns a failure if the API ignored it. */
function record({ lesson_id }: Write, notes: readonly WriteNote[], run: Run): Failure | undefined {
  run.writes += 1;
  const doubts = notes.filter(({ acceptedFields }) => (acceptedFields?.outcome ?? 'applied') !== 'applied');
  // Without `sequence`, whose numbers the API may assign itself: reading back decides whether the lesson moved.
  const isIgnored = ({ acceptedFields }: WriteNote) =>
    Object.keys(acceptedFields?.unchanged ?? {}).some((name) => name !== 'sequence');
  const denied = doubts.find(isIgnored);
  note(run, lesson_id, doubts.length === 0);
  return denied && ignored(lesson_id, denied.text);
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
    return api.call(updateLesson, write, { journal, onNote: (one) => void notes.push(one) });
  };
  try {
    await retryWhenLimited(send, context, total);
  } catch (error) {
    const isKnown = error instanceof AcademyError;
    const isUnsent = isKnown ? error.code === 'cancelled' && spent() === before : signal.aborted;
    if (isUnsent) return cancelledBefore(lesson_id);
    if (!isKnown) throw error;
    const failure = failureOf(lesson_id, error);
    if (failure.mayBeWritten || error instanceof ApiError) note(run, lesson_id, false);
    return failure;
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
    if (failure !== undefined) return { failures: [failure], unwritten: writes.slice(index) };
  }
  return { failures: [], unwritten: [] };
}

type Reading = Pick<CoursePlan, 'course' | 'version'>;

/**
 * Finds lessons whose writes were answered with success and that, read back, are unchanged: they no longer count as written.
 * An unchanged number alone is no failure, since the API may have assigned the same one again: the final order decides.
 */
function findIgnored(before: Course, after: Course, answered: readonly Write[], { log }: Run): Failure[] {
  return ignoredWrites(before, after, answered).flatMap(({ lesson_id, fields }) => {
    log.set(lesson_id, false);
    const others = fields.filter((field) => field !== 'sequence').join(', ');
    return others === '' ? [] : [ignored(lesson_id, `the API returned no error, but ${others} did not change`)];
  });
}

interface Pass {
  readonly failures: readonly Failure[];
  readonly unwritten: readonly Write[];
  /** Changes that somebody else made in the meantime, a line each. */
  readonly edits: readonly string[];
}

/** `now`: the course as read back; undefined if that failed. `verified`: it matches the target. */
function judge({ target, changes }: CoursePlan, { log }: Run, now: Reading | undefined, pass: Pass) {
  const { failures, unwritten, edits } = pass;
  const written = appliedIn(log);
  const verified = now !== undefined && edits.length === 0 && isTargetReached(now.course, target, changes, written);
  // If the course matches the target, the uncertain writes were applied.
  const failed = verified ? failures.filter(({ mayBeWritten }) => !mayBeWritten) : failures;
  const isFailed = (id: number) => failed.some(({ lesson_id }) => lesson_id === id);
  const open = now === undefined ? unwritten : planWrites(now.course, target, changes, written);
  return {
    /** Number of lessons. */
    sent: log.size,
    applied: [...log.keys()].filter((id) => written.has(id) || (verified && !isFailed(id))),
    failed,
    remaining: verified ? [] : open.map(({ lesson_id }) => lesson_id).filter((id) => !isFailed(id)),
    verified,
    edits,
    now,
  };
}

export type Applied = ReturnType<typeof judge>;

/**
 * Applies a plan and reads back, until the course matches the target or no pass is left. The API document does not say what
 * `sequence` means; each pass assumes another meaning. Stops if somebody else has changed the course in the meantime. A
 * write that fails is no error of the call: the answer reports it.
 */
async function writePlan(plan: CoursePlan, courseId: number, context: ToolContext): Promise<Applied> {
  const { target, changes } = plan;
  const run: Run = { log: new Map(), writes: 0 };
  let now: Reading = plan;
  for (const strategy of strategies) {
    const writes = strategy(now.course, target, changes, appliedIn(run.log));
    // Wanted numbers are written at first even if the order is right already.
    const isOpen = strategy === planWrites && writes.length > 0;
    if (!isOpen && isTargetReached(now.course, target, changes, appliedIn(run.log))) break;
    const { failures, unwritten } = await writeEach(writes, now.course, run, context);
    // The writes count even if the course cannot be read now.
    const seen = await undefinedIfFailed(readCourse(courseId, context), context.signal);
    if (seen === undefined) return judge(plan, run, undefined, { failures, unwritten, edits: [] });
    const answered = writes.slice(0, writes.length - unwritten.length);
    const found = [...failures, ...findIgnored(now.course, seen.course, answered, run)];
    const edits = concurrentEdits(now.course, seen.course, target, run.log);
    now = seen;
    if (found.length > 0 || edits.length > 0) return judge(plan, run, now, { failures: found, unwritten, edits });
  }
  return judge(plan, run, now, { failures: [], unwritten: [], edits: [] });
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
