import { concurrentEdits, type WriteLog } from '../../insights/outline/concurrent-edits.ts';
import type { Course } from '../../insights/outline/course.ts';
import { ignoredWrites } from '../../insights/outline/ignored-writes.ts';
import { isTargetReached } from '../../insights/outline/is-reached.ts';
import type { Write } from '../../insights/outline/lesson-write.ts';
import { planWrites } from '../../insights/outline/plan.ts';
import { strategies } from '../../insights/outline/strategies.ts';
import type { ToolContext } from '../../mcp/tool.ts';
import { AcademyError } from '../../shared/errors.ts';
import { changingCourses } from '../scan-store.ts';
import { type CoursePlan, readCourse } from './plan-course.ts';
import { type Failure, type Run, writeEach } from './write-lessons.ts';

/** A course as it was read. */
interface Reading {
  readonly course: Course;
  readonly version: string;
}

export interface Applied extends WriteLog {
  readonly failed: readonly Failure[];
  /** Lessons that are still to be written, without those that failed. */
  readonly remaining: readonly number[];
  /** The course was read back, and is as asked for. */
  readonly verified: boolean;
  /** What somebody else has changed meanwhile, a line each. */
  readonly edits: readonly string[];
  /** The course as it was read back; undefined where that was not possible. */
  readonly now: Reading | undefined;
}

/** Undefined where it cannot be read now: what was written stays true. */
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
 * Takes back that a lesson was written where the course, read back, shows it as before. A number alone is no failure: the API may
 * have given the same one anew, and whether all stands as asked for is seen in the end.
 */
function findIgnored(before: Course, after: Course, writes: readonly Write[], run: Run): Failure[] {
  const answered = writes.filter(({ lesson_id }) => run.applied.has(lesson_id) || run.unproved.has(lesson_id));
  return ignoredWrites(before, after, answered).flatMap(({ lesson_id, fields }) => {
    run.applied.delete(lesson_id);
    const told = fields.filter((field) => field !== 'sequence');
    if (told.length === 0) {
      run.unproved.add(lesson_id);
      return [];
    }
    run.unproved.delete(lesson_id);
    const why = `not_applied: the API answered without an error, but reading back shows ${told.join(', ')} as before`;
    return [{ lesson_id, why, mayBeWritten: false, isRefused: true }];
  });
}

/** What a call has come to, judged by what was read last. */
function judge(
  now: Reading,
  { target, changes }: CoursePlan,
  run: Run,
  { failures, edits }: { failures: readonly Failure[]; edits: readonly string[] },
): Applied {
  const verified = edits.length === 0 && isTargetReached(now.course, target, changes, run.applied);
  if (verified) for (const id of run.unproved) run.applied.add(id);
  // What may have been written, was: all is as asked for.
  const done = verified ? failures.filter(({ mayBeWritten }) => mayBeWritten) : [];
  for (const { lesson_id } of done) if (run.sent.has(lesson_id)) run.applied.add(lesson_id);
  const remaining = verified ? [] : idsOf(planWrites(now.course, target, changes, run.applied), failures);
  const failed = failures.filter((failure) => !done.includes(failure));
  return { ...run, failed, remaining, verified, edits, now };
}

/**
 * Applies a plan and reads back, until the course is as asked for or no pass is left. The API document does not show what
 * `sequence` means; each pass assumes something else. Stops where somebody else has changed the course meanwhile. A part that
 * could not be done is no error: the answer tells.
 */
export async function applyPlan(plan: CoursePlan, courseId: number, context: ToolContext): Promise<Applied> {
  const { target, changes } = plan;
  const run: Run = { sent: new Set(), applied: new Set(), unproved: new Set(), writes: 0 };
  let now: Reading = plan;
  for (const strategy of strategies) {
    if (isTargetReached(now.course, target, changes, run.applied)) break;
    const writes = strategy(now.course, target, changes, run.applied);
    const { failure, unwritten } = await writeEach(writes, run, context);
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

/** Does what changes a course while nothing else in this program changes it. Throws `stale_version` where something does. */
export async function withCourseLock<T>(courseId: number, { stores }: ToolContext, work: () => Promise<T>): Promise<T> {
  const changing = stores.of(changingCourses);
  if (changing.has(courseId)) {
    throw new AcademyError('stale_version', 'another change of this course is under way', {
      hint: 'When that has ended, plan anew with plan_course_outline.',
      outcome: 'not_applied',
    });
  }
  changing.add(courseId);
  try {
    return await work();
  } finally {
    changing.delete(courseId);
  }
}
