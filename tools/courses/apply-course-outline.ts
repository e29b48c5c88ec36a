import * as z from 'zod';
import { updateLesson } from '../../src/contract/courses.ts';
import { limitedText } from '../../src/contract/schemas/input-fields.ts';
import { listed } from '../../src/insights/outline/course.ts';
import { planWrites } from '../../src/insights/outline/strategies.ts';
import { outlineMismatch, outlineOf } from '../../src/insights/outline/target.ts';
import { anyRecord, listOutput, lists } from '../../src/mcp/output/output-schemas.ts';
import { counted } from '../../src/mcp/output/text-format.ts';
import { defineTool, type Presented, type ToolContext, withCut } from '../../src/mcp/tool.ts';
import { oneLine } from '../../src/shared/clean-text.ts';
import { compact } from '../../src/shared/quote-text.ts';
import {
  type Applied,
  applyPlan,
  type CoursePlan,
  planCourse,
  refuseUnclear,
  withCourseLock,
} from '../../src/workflows/outline/course-plan.ts';
import { checkForm, courseText, outlineAsPlanned, planFacts, typeOf, viewOf } from './outline-plan.ts';

const appliedOutput = listOutput('failed', anyRecord, {
  course_id: z.int(),
  product_type: z.string(),
  applied: z.array(z.int()),
  remaining: z.array(z.int()),
  verified: z.boolean(),
  changed_meanwhile: z.array(z.string()),
  base_version: z.string(),
  outline: anyRecord,
  undo: z.string(),
  undo_outline: anyRecord,
  ...lists('undo_lessons'),
  next: z.string(),
});

const planAgain = 'plan again with plan_course_outline';
const planOutlineAgain = `${planAgain} and this outline`;

/** How to adapt the outline and its undo to lessons that were added or removed: both would be refused as they are. */
function correctionOf({ target, undo }: CoursePlan, { now }: Applied): string {
  if (now === undefined) return '';
  const misfit = outlineMismatch(now.course, outlineOf(target)) || outlineMismatch(now.course, undo.outline);
  return misfit === '' ? '' : `, after you correct these ids in it and in undo_outline: ${misfit}`;
}

function nextOf(plan: CoursePlan, done: Applied): string {
  const { now, edits, failed, remaining } = done;
  const isRefused = failed.some((failure) => failure.isRefused);
  const ids = failed.map(({ lesson_id }) => lesson_id).join(', ');
  const seconds = Math.max(0, ...failed.map(({ waitSeconds = 0 }) => waitSeconds));
  const wait = seconds > 0 ? `wait ${seconds} s, then ` : '';
  const first = isRefused ? `correct or drop the change of lesson ${ids}, then ` : wait;
  if (now === undefined) return `the course could not be read back: ${first}${planOutlineAgain} (not moves)`;
  if (edits.length > 0)
    return `somebody else has changed the course: ${first}${planOutlineAgain}${correctionOf(plan, done)}`;
  if (isRefused) return `${first}${planAgain}`;
  const why = failed.length > 0 || remaining.length > 0 ? 'to finish' : 'to retry';
  return `${first}call apply_course_outline with this outline, the same lessons and base_version ${now.version}, ${why}`;
}

function summaryOf(plan: CoursePlan, { verified, sent, applied, failed, remaining }: Applied, course_id: number) {
  const course = courseText(plan, course_id);
  if (verified && sent === 0) return `${course} already matches the request: nothing was written.`;
  const state = verified ? 'as requested, read back and verified' : 'not yet as requested';
  const written = `${counted(applied.length, 'lesson')} written`;
  return `${course} is ${state}: ${written}, ${failed.length} failed, ${remaining.length} remaining.`;
}

const maxEdits = 12;

/** Says if the API gave other sequence numbers than wanted ones; the order is as requested. */
function numbersOf({ target, changes }: CoursePlan, { verified, now, applied }: Applied) {
  const left = verified && now !== undefined ? planWrites(now.course, target, changes, new Set(applied)) : [];
  if (left.length === 0) return undefined;
  const lessons = left.map(({ lesson_id }) => String(lesson_id));
  return `the API gave other sequence numbers than requested to lesson ${listed(lessons, maxEdits)}`;
}

function undoOf({ undo: { outline, lessons }, version }: CoursePlan) {
  const subject = lessons.length > 0 ? 'undo_outline with undo_lessons' : 'undo_outline';
  return {
    undo: `${subject}, passed to the same tools, restores the state before this call (base_version ${version}, unless the API assigns its own sequence numbers)`,
    undo_outline: outline,
    undo_lessons: lessons,
  };
}

function presentApplied(
  plan: CoursePlan,
  done: Applied,
  course_id: number,
  { spent }: Pick<ToolContext, 'spent'>,
): Presented {
  const { verified, now, sent, applied, remaining, failed, edits } = done;
  const more = edits.length - maxEdits;
  const answer = (most: number) => ({
    summary: summaryOf(plan, done, course_id),
    data: {
      course_id,
      ...typeOf(plan),
      verified,
      // At most so many together, so that the fields that must not be cut fit beside them.
      applied: applied.slice(0, most),
      remaining: remaining.slice(0, Math.max(0, most - applied.length)),
      failed: failed.map(({ lesson_id, why }) => ({ lesson_id, why: oneLine(why, 400) })),
      changed_meanwhile: compact([...edits.slice(0, maxEdits), more > 0 && `and ${more} more`]),
      other_numbers: numbersOf(plan, done),
      base_version: now?.version,
      ...(verified ? {} : { next: nextOf(plan, done), outline: outlineOf(plan.target) }),
      ...(sent === 0 ? {} : undoOf(plan)),
      requests_spent: spent(),
    },
  });
  return {
    ...withCut(answer, applied.length + remaining.length, 'the counts above cover all'),
    body: (shown) => Object.entries(shown).map(([name, value]) => `${name}: ${JSON.stringify(value)}`),
    uncut: ['base_version', 'outline', 'undo_outline', 'undo_lessons'],
  };
}

export const applyCourseOutline = defineTool({
  name: 'apply_course_outline',
  toolset: 'courses',
  title: 'Apply the outline of a course',
  description:
    'Saves (makes) the new order that plan_course_outline planned (proposed): same arguments and its base_version. Refuses if the course has changed. Students see it at once. Returns applied, failed, remaining, verified; next: how to finish. undo: how to undo it.',
  cost: { once: 2, 'per written lesson': 1 },
  example: {
    course_id: 5,
    moves: [{ lesson_id: 1074, module_id: 219, position: 4 }],
    base_version: '01230b7a2aea3dc0',
  },
  effect: 'update',
  repeat: 'same_effect',
  consent: true,
  writes: [updateLesson],
  carriesUserContent: false,
  input: z.strictObject({
    ...outlineAsPlanned,
    base_version: limitedText(64).min(1).describe('From plan_course_outline, or from the last answer'),
  }),
  check: checkForm,
  confirmationMessage: ({ course_id }) =>
    `This changes the outline of course ${course_id} as shown below. Students see it at once. The answer says how to undo it.`,
  confirmationFacts: async ({ base_version, ...question }, context) =>
    planFacts(await planCourse(question, context, base_version), context.budget()),
  output: appliedOutput,
  run: async ({ base_version, ...question }, context) => {
    const { course_id } = question;
    return await withCourseLock(course_id, context, async () => {
      const plan = await planCourse(question, context, base_version);
      refuseUnclear(plan);
      // A plan that cannot be shown whole is refused, even if it is not shown.
      viewOf(plan);
      return presentApplied(plan, await applyPlan(plan, course_id, context), course_id, context);
    });
  },
});
