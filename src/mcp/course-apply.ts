import { patiently } from '../api/patiently.ts';
import { updateLesson } from '../contract/courses.ts';
import { AcademyError } from '../errors.ts';
import type { Course } from '../insights/outline/course.ts';
import { matches } from '../insights/outline/matches.ts';
import { passes } from '../insights/outline/passes.ts';
import { planWrites } from '../insights/outline/plan.ts';
import type { Write } from '../insights/outline/write.ts';
import { type CoursePlan, readCourse } from './course-plan.ts';
import { waitTeller } from './roster.ts';
import type { ToolContext } from './tool.ts';

export interface Failure {
  readonly lesson_id: number;
  readonly why: string;
}

export interface Applied {
  /** Lessons that were written. */
  readonly applied: readonly number[];
  readonly failed: readonly Failure[];
  /** Lessons that are still to be written. */
  readonly remaining: readonly number[];
  /** The course was read back, and is as asked for. */
  readonly verified: boolean;
  /** Of the course as it was read back; undefined where that was not possible. */
  readonly version: string | undefined;
}

/** Writes one after the other until one fails or the call is cancelled; what came of that one is returned. */
async function writeEach(
  writes: readonly Write[],
  applied: Set<number>,
  context: ToolContext,
): Promise<Failure | undefined> {
  const { api, signal, progress } = context;
  const total = applied.size + writes.length;
  for (const write of writes) {
    const { lesson_id } = write;
    if (signal.aborted) return { lesson_id, why: 'cancelled before it was written' };
    try {
      // How it came to be applied is told by what is read back.
      const send = () => api.call(updateLesson, write, { onNote: () => {} });
      await patiently(
        send,
        waitTeller(context, () => applied.size, total),
      );
    } catch (error) {
      if (!(error instanceof AcademyError) && !signal.aborted) throw error;
      return { lesson_id, why: error instanceof AcademyError ? `${error.code}: ${error.message}` : 'cancelled' };
    }
    applied.add(lesson_id);
    progress(applied.size, total, `wrote lesson ${lesson_id}`);
  }
  return undefined;
}

/** Undefined where it cannot be read now: what was written stays true. */
async function readBack(courseId: number, context: ToolContext) {
  try {
    return await readCourse(courseId, context);
  } catch (error) {
    if (error instanceof AcademyError || context.signal.aborted) return undefined;
    throw error;
  }
}

function left(course: Course, { target, changes }: CoursePlan): number[] {
  return planWrites(course, target, changes).map(({ lesson_id }) => lesson_id);
}

/**
 * Applies a plan and reads back, until the course is as asked for or no pass is left. The API document does not show what
 * `sequence` means; each pass assumes something else. A part that could not be done is no error: the answer tells.
 */
export async function applyPlan(plan: CoursePlan, courseId: number, context: ToolContext): Promise<Applied> {
  const applied = new Set<number>();
  let now: { course: Course; version: string } = plan;
  for (const pass of passes) {
    if (matches(now.course, plan.target, plan.changes)) break;
    const writes = pass(now.course, plan.target, plan.changes);
    const failure = await writeEach(writes, applied, context);
    const seen = await readBack(courseId, context);
    if (failure !== undefined || seen === undefined) {
      const failed = failure === undefined ? [] : [failure];
      const unwritten = writes.map(({ lesson_id }) => lesson_id).filter((id) => !applied.has(id));
      const remaining = seen === undefined ? unwritten : left(seen.course, plan);
      return { applied: [...applied], failed, remaining, verified: false, version: seen?.version };
    }
    now = seen;
  }
  const verified = matches(now.course, plan.target, plan.changes);
  const remaining = verified ? [] : left(now.course, plan);
  return { applied: [...applied], failed: [], remaining, verified, version: now.version };
}
