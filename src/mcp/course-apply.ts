import { AcademyError } from '../errors.ts';
import type { Course } from '../insights/outline/course.ts';
import { type Deeds, editsBetween } from '../insights/outline/edits.ts';
import { matches } from '../insights/outline/matches.ts';
import { passes } from '../insights/outline/passes.ts';
import { planWrites } from '../insights/outline/plan.ts';
import type { Write } from '../insights/outline/write.ts';
import { type CoursePlan, readCourse } from './course-plan.ts';
import { type Failure, type Run, writeEach } from './course-writes.ts';
import type { ToolContext } from './tool.ts';

/** A course as it was read. */
interface Reading {
  readonly course: Course;
  readonly version: string;
}

export interface Applied extends Deeds {
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

function idsOf(writes: readonly Write[], failure: Failure | undefined): number[] {
  return writes.map(({ lesson_id }) => lesson_id).filter((id) => id !== failure?.lesson_id);
}

/** What a call has come to, judged by what was read last. */
function judge(
  now: Reading,
  { target, changes }: CoursePlan,
  run: Run,
  { failure, edits }: { failure?: Failure | undefined; edits: readonly string[] },
): Applied {
  const verified = edits.length === 0 && matches(now.course, target, changes, run.applied);
  // What may have been written, was: all is as asked for.
  const isDone = verified && failure?.mayBeWritten === true;
  if (isDone && run.sent.has(failure.lesson_id)) run.applied.add(failure.lesson_id);
  const remaining = verified ? [] : idsOf(planWrites(now.course, target, changes, run.applied), failure);
  return { ...run, failed: failure === undefined || isDone ? [] : [failure], remaining, verified, edits, now };
}

/**
 * Applies a plan and reads back, until the course is as asked for or no pass is left. The API document does not show what
 * `sequence` means; each pass assumes something else. Stops where somebody else has changed the course meanwhile. A part that
 * could not be done is no error: the answer tells.
 */
export async function applyPlan(plan: CoursePlan, courseId: number, context: ToolContext): Promise<Applied> {
  const { target, changes } = plan;
  const run: Run = { sent: new Set(), applied: new Set(), writes: 0 };
  let now: Reading = plan;
  for (const pass of passes) {
    if (matches(now.course, target, changes, run.applied)) break;
    const { failure, unwritten } = await writeEach(pass(now.course, target, changes, run.applied), run, context);
    const seen = await readBack(courseId, context);
    if (seen === undefined) {
      const failed = failure === undefined ? [] : [failure];
      return { ...run, failed, remaining: idsOf(unwritten, failure), verified: false, edits: [], now: undefined };
    }
    const edits = editsBetween(now.course, seen.course, target, run);
    now = seen;
    if (failure !== undefined || edits.length > 0) return judge(now, plan, run, { failure, edits });
  }
  return judge(now, plan, run, { edits: [] });
}

/** Does what changes a course while nothing else in this program changes it. Throws `stale_version` where something does. */
export async function alone<T>(courseId: number, { jobs }: ToolContext, work: () => Promise<T>): Promise<T> {
  if (jobs.changing.has(courseId)) {
    throw new AcademyError('stale_version', 'another change of this course is under way', {
      hint: 'When that has ended, plan anew with plan_course_outline.',
      outcome: 'not_applied',
    });
  }
  jobs.changing.add(courseId);
  try {
    return await work();
  } finally {
    jobs.changing.delete(courseId);
  }
}
