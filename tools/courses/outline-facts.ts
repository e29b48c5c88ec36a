import * as z from 'zod';
import { oneLine } from '../../src/clean.ts';
import { type Allowance, minutesFor, minutesText, steadyMinutes } from '../../src/insights/cost.ts';
import type { LessonChange } from '../../src/insights/outline/lesson-changes.ts';
import { changesOf, type Standing, undoOf, warningsOf } from '../../src/insights/outline/report.ts';
import { outlineOf } from '../../src/insights/outline/target.ts';
import { treeText } from '../../src/insights/outline/tree.ts';
import type { Applied } from '../../src/mcp/course-apply.ts';
import type { CoursePlan } from '../../src/mcp/course-plan.ts';
import { anyRecord, listOutput } from '../../src/mcp/output.ts';
import { inline } from '../../src/mcp/render.ts';
import type { Presented, ToolContext } from '../../src/mcp/tool.ts';

type Json = Record<string, unknown>;

const lines = z.array(z.string()).optional();
const ids = z.array(z.int()).optional();

export const planOutput = listOutput('changes', anyRecord, {
  course_id: z.int(),
  title: z.string(),
  base_version: z.string(),
  requests: z.int(),
  minutes: z.int(),
  warnings: lines,
  tree: lines,
});

export const appliedOutput = listOutput('failed', anyRecord, {
  course_id: z.int(),
  applied: ids,
  remaining: ids,
  verified: z.boolean(),
  base_version: z.string(),
  outline: anyRecord.describe('What was asked for, to go on with'),
  undo_outline: anyRecord,
  undo_lessons: z.array(anyRecord).optional(),
  next: z.string(),
});

/** As long as the API takes a title: cut off, it could not be given back. */
const longestTitle = 255;

function undoable({ title, ...lesson }: LessonChange): Json {
  return { ...lesson, ...(title === undefined ? {} : { title: oneLine(title, longestTitle) }) };
}

/** Reading before and after. */
const reads = 2;

/** "2 of module 5" or "3 in no module", with the number that the API keeps. */
function standingText({ module_id, position, sequence, ...changed }: Standing & Json): string {
  const where = module_id === null ? 'no module' : `module ${module_id}`;
  const more = Object.entries(changed).map(([name, value]) => `${name} ${value}`);
  const number = sequence === undefined ? [] : [`sequence ${sequence}`];
  return [`${where}, ${position}`, ...number, ...more].join(', ');
}

function titleOf(title: string | undefined): string {
  return title === undefined ? '' : ` "${oneLine(title, 200)}"`;
}

function costOf({ writes }: CoursePlan, allowance: Allowance) {
  const requests = writes.length === 0 ? 1 : writes.length + reads;
  return { requests, minutes: minutesFor(requests, allowance) };
}

function treeOf({ course, target, changes }: CoursePlan): string[] {
  return treeText(course, target, changes).split('\n');
}

/** The plan as the one who confirms it reads it. */
export function planFacts(plan: CoursePlan, allowance: Allowance): string[] {
  const { requests } = costOf(plan, allowance);
  const time = minutesText(steadyMinutes(requests, allowance));
  const cost = `Lessons to write: ${plan.writes.length}. Cost: ${requests} requests, ${time}.`;
  return [cost, ...warningsOf(plan.course, plan.writes), ...treeOf(plan)];
}

export function presentPlan(plan: CoursePlan, course_id: number, { budget }: Pick<ToolContext, 'budget'>): Presented {
  const { course, target, writes, title, version } = plan;
  const changes = changesOf(course, target, writes);
  const cost = costOf(plan, budget());
  const warnings = warningsOf(course, writes);
  const rows = changes.map(({ title: name, ...change }) => ({
    ...change,
    ...(name === undefined ? {} : { title: oneLine(name, 200) }),
  }));
  return {
    summary: `Course ${course_id}${titleOf(title)}: ${writes.length} lessons to write, ${cost.requests} requests, ${minutesText(cost.minutes)}. Nothing was changed.`,
    data: {
      course_id,
      ...(title === undefined ? {} : { title: oneLine(title, 200) }),
      base_version: version,
      ...cost,
      ...(warnings.length > 0 ? { warnings } : {}),
      ...(rows.length > 0 ? { changes: rows } : {}),
      tree: treeOf(plan),
    },
    outline: ({ cut }) =>
      [
        ...(cut === undefined ? [] : [`cut: ${cut}`]),
        `base_version: ${version}`,
        `requests: ${cost.requests}, minutes: ${cost.minutes}`,
        ...warnings.map((warning) => `Warning: ${warning}`),
        ...changes.map(({ lesson_id, title: name, from, to }) => {
          return `Lesson ${lesson_id}${titleOf(name)}: ${standingText({ ...from })} -> ${standingText({ ...to })}`;
        }),
        ...treeOf(plan),
      ].map(inline),
  };
}

function nextOf({ verified, version, failed }: Applied): string | undefined {
  if (verified) return undefined;
  if (version === undefined) return 'the course could not be read back: plan anew with plan_course_outline';
  const why = failed.length > 0 ? 'finish' : 'try once more';
  return `to ${why}, call apply_course_outline with this outline, the same lessons and base_version ${version}`;
}

export function presentApplied(
  plan: CoursePlan,
  done: Applied,
  course_id: number,
  { spent }: Pick<ToolContext, 'spent'>,
): Presented {
  const { applied, failed, remaining, verified, version } = done;
  const { outline: undo_outline, lessons: undo_lessons } = undoOf(plan.course, plan.changes);
  const next = nextOf(done);
  const state = verified ? 'as asked for, read back and verified' : 'not yet as asked for';
  const counts = `${applied.length} lessons written, ${failed.length} failed, ${remaining.length} remaining`;
  return {
    summary: `Course ${course_id}${titleOf(plan.title)} is ${state}: ${counts}.`,
    data: {
      course_id,
      verified,
      ...(applied.length > 0 ? { applied } : {}),
      ...(failed.length > 0
        ? { failed: failed.map(({ lesson_id, why }) => ({ lesson_id, why: oneLine(why, 300) })) }
        : {}),
      ...(remaining.length > 0 ? { remaining } : {}),
      ...(version === undefined ? {} : { base_version: version }),
      ...(next === undefined ? {} : { next, outline: outlineOf(plan.target) }),
      ...(applied.length > 0 ? { undo_outline } : {}),
      ...(applied.length > 0 && undo_lessons.length > 0 ? { undo_lessons: undo_lessons.map(undoable) } : {}),
      requests_spent: spent(),
    },
    outline: (data) => Object.entries(data).map(([name, value]) => `${name}: ${JSON.stringify(value)}`),
  };
}
