import * as z from 'zod';
import { outlineMismatch, outlineOf } from '../../src/insights/outline/target.ts';
import { anyRecord, listOutput } from '../../src/mcp/output/output-schemas.ts';
import { counted } from '../../src/mcp/output/text-format.ts';
import type { Presented, ToolContext } from '../../src/mcp/tool.ts';
import { oneLine } from '../../src/shared/clean-text.ts';
import type { Applied } from '../../src/workflows/outline/apply-plan.ts';
import type { CoursePlan } from '../../src/workflows/outline/plan-course.ts';
import { titleOf } from './outline-plan-view.ts';

const ids = z.array(z.int()).optional();

export const appliedOutput = listOutput('failed', anyRecord, {
  course_id: z.int(),
  applied: ids,
  remaining: ids,
  verified: z.boolean(),
  changed_meanwhile: z.array(z.string()).optional(),
  base_version: z.string(),
  outline: anyRecord.describe('What was asked for, to go on with'),
  undo: z.string(),
  undo_outline: anyRecord,
  undo_lessons: z.array(anyRecord).optional(),
  next: z.string(),
});

const planner = 'plan anew with plan_course_outline';
const planAnew = `${planner} with this outline`;

/** An outline that names what is gone would be refused, and so would its undo. */
function mending({ target, undo }: CoursePlan, { now }: Applied): string {
  if (now === undefined) return '';
  const misfit = outlineMismatch(now.course, outlineOf(target)) || outlineMismatch(now.course, undo.outline);
  return misfit === '' ? '' : `, in which (as in undo_outline) you mend what came and went: ${misfit}`;
}

/** What stands in the way of going on. */
function firstOf(failed: Applied['failed'], isRefused: boolean): string {
  const ids = failed.map(({ lesson_id }) => lesson_id).join(', ');
  if (isRefused) return `mend what is said of lesson ${ids}, or leave it as it is, then `;
  const seconds = Math.max(0, ...failed.map(({ waitSeconds = 0 }) => waitSeconds));
  return seconds > 0 ? `wait ${seconds} s, then ` : '';
}

/** What to do where a course is not as asked for. */
function nextOf(plan: CoursePlan, done: Applied): string {
  const { now, edits, failed, remaining } = done;
  const isRefused = failed.some((failure) => failure.isRefused);
  const first = firstOf(failed, isRefused);
  if (now === undefined) return `the course could not be read back: ${first}${planAnew} (not with moves)`;
  if (edits.length > 0) return `somebody else has changed the course: ${first}${planAnew}${mending(plan, done)}`;
  if (isRefused) return `${first}${planner}`;
  const why = failed.length > 0 || remaining.length > 0 ? 'to finish' : 'to try once more';
  return `${first}call apply_course_outline with this outline, the same lessons and base_version ${now.version}, ${why}`;
}

function summaryOf({ title }: CoursePlan, { verified, sent, applied, failed, remaining }: Applied, course_id: number) {
  const course = `Course ${course_id}${titleOf(title)}`;
  if (verified && sent.size === 0) return `${course} was as asked for already: nothing was written.`;
  const state = verified ? 'as asked for, read back and verified' : 'not yet as asked for';
  const written = `${counted(applied.size, 'lesson')} written`;
  return `${course} is ${state}: ${written}, ${failed.length} failed, ${remaining.length} remaining.`;
}

const maxEdits = 12;

function editsOf({ edits }: Applied) {
  if (edits.length === 0) return {};
  const more = edits.length > maxEdits ? [`and ${edits.length - maxEdits} more`] : [];
  return { changed_meanwhile: [...edits.slice(0, maxEdits), ...more] };
}

function undoOf({ undo: { outline, lessons } }: CoursePlan, { sent }: Applied) {
  if (sent.size === 0) return {};
  const subject = lessons.length > 0 ? 'undo_outline with undo_lessons' : 'undo_outline';
  return {
    undo: `${subject}, given to the same tools, restores what was before this call`,
    undo_outline: outline,
    ...(lessons.length > 0 ? { undo_lessons: lessons } : {}),
  };
}

/** The lists of ids, at most so many of them together: beside them stands what must not be cut. */
function idsOf({ applied, remaining }: Applied, most: number) {
  const written = [...applied].slice(0, most);
  const open = remaining.slice(0, most - written.length);
  return { ...(written.length > 0 ? { applied: written } : {}), ...(open.length > 0 ? { remaining: open } : {}) };
}

function failedOf({ failed }: Applied) {
  const rows = failed.map(({ lesson_id, why }) => ({ lesson_id, why: oneLine(why, 400) }));
  return rows.length > 0 ? { failed: rows } : {};
}

export function presentApplied(
  plan: CoursePlan,
  done: Applied,
  course_id: number,
  { spent }: Pick<ToolContext, 'spent'>,
): Presented {
  const { verified, now, applied, remaining } = done;
  const summary = summaryOf(plan, done, course_id);
  const data = (most: number) => ({
    course_id,
    verified,
    ...idsOf(done, most),
    ...failedOf(done),
    ...editsOf(done),
    ...(now === undefined ? {} : { base_version: now.version }),
    ...(verified ? {} : { next: nextOf(plan, done), outline: outlineOf(plan.target) }),
    ...undoOf(plan, done),
    requests_spent: spent(),
  });
  const records = applied.size + remaining.length;
  const how = 'the counts above are of all';
  return {
    summary,
    data: data(records),
    outline: (shown) => Object.entries(shown).map(([name, value]) => `${name}: ${JSON.stringify(value)}`),
    uncut: ['base_version', 'outline', 'undo_outline', 'undo_lessons'],
    cut: { records, to: (most) => ({ summary, data: data(most), shown: most, how }) },
  };
}
