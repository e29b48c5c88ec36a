import type { Change, Part } from '../../api/writes/journal.ts';
import { updateLesson } from '../../contract/courses.ts';
import type { Undo } from '../../insights/outline/undo.ts';
import type { ToolContext } from '../../mcp/tool.ts';
import { isObject } from '../../shared/json.ts';
import { applyPlan, withCourseLock } from '../outline/apply-plan.ts';
import { type CoursePlan, planCourse, readCourse } from '../outline/plan-course.ts';

// The outline of a course is changed by many writes, and undone as a whole: each write alone makes no sense.

export interface OutlineChange {
  readonly course_id: number;
  readonly undo: Undo;
  /** The course after the change; missing if it could not be read back. */
  readonly version?: string | undefined;
}

const keyOf = (course: number) => `outline of course ${course}`;

/** Notes what restores a course before it is changed, and the version of the course afterwards. */
export async function noteOutline({ journal, change }: ToolContext, outline: OutlineChange): Promise<void> {
  await journal?.note(change.id, { [keyOf(outline.course_id)]: outline });
}

/** The outlines that a change wrote. */
export function outlinesIn({ facts }: Change): OutlineChange[] {
  return Object.entries(facts).flatMap(([key, value]) => {
    // Written by `noteOutline` alone.
    const outline = isObject(value) && key.startsWith('outline of ') ? (value as unknown as OutlineChange) : undefined;
    return outline === undefined ? [] : [outline];
  });
}

/** Whether a write belongs to an outline. */
export function isOfOutline(change: Change, { operation, course = 0 }: Part): boolean {
  return operation === updateLesson.id && keyOf(course) in change.facts;
}

/** Whether the course is as the change left it. */
export async function isAsLeft({ course_id, version }: OutlineChange, context: ToolContext): Promise<boolean> {
  return version !== undefined && (await readCourse(course_id, context)).version === version;
}

/** Plans what restores the course. Throws `stale_version` if somebody else has changed it since. */
export async function planOutlineUndo({ course_id, undo, version }: OutlineChange, context: ToolContext) {
  return await planCourse({ course_id, ...undo }, context, version);
}

/** Restores a course. Returns whether, read back, it is as it was. */
export async function undoOutline(change: Change, outline: OutlineChange, context: ToolContext): Promise<boolean> {
  const { course_id } = outline;
  const api: ToolContext['api'] = {
    call: (operation, input, options) =>
      context.api.call(operation, input, { ...options, journal: { undoes: change.id } }),
  };
  return await withCourseLock(course_id, context, async () => {
    const plan: CoursePlan = await planOutlineUndo(outline, context);
    await noteOutline(context, { course_id, undo: plan.undo });
    const { verified, now } = await applyPlan(plan, course_id, { ...context, api });
    await noteOutline(context, { course_id, undo: plan.undo, version: now?.version });
    return verified;
  });
}
