import type { Course, List } from '../../src/insights/outline/course.ts';
import type { LessonChange } from '../../src/insights/outline/lesson-changes.ts';
import { outlineOf, type Target } from '../../src/insights/outline/target.ts';
import { isObject, type Json } from '../../src/shared/json.ts';
import { dataOf, type Host, resultText, type ToolResult } from '../shared/bridge.ts';
import { flag, number, record, records, text, texts } from '../shared/values.ts';
import { editsOf } from './target.ts';

/** A course as get_course_structure shows it, read in one or several parts. */
export interface ShownCourse extends Course {
  readonly id: number;
  readonly title: string;
}

/** Lessons or modules of an answer. Rows leave the usual value out, which the answer names once. */
function shownIn(rows: unknown, defaults: unknown) {
  return records(rows).flatMap((row) => {
    const { id, title, is_published, lessons }: Json = { ...record(defaults), ...row };
    const shown = { id: number(id) ?? 0, title: text(title) ?? '', is_published: flag(is_published), lessons };
    return shown.id === 0 ? [] : [shown];
  });
}

/** The parts of one module: an answer that was cut has the rest of it at the start of the next part. */
function merged(lists: readonly List[]): List[] {
  const byId = new Map<number | null, List>();
  for (const list of lists) {
    const known = byId.get(list.module_id);
    byId.set(list.module_id, known === undefined ? list : { ...known, lessons: [...known.lessons, ...list.lessons] });
  }
  return [...byId.values()];
}

function readCourse(parts: readonly Json[]): ShownCourse {
  const { id, title } = record(parts[0]?.course);
  const modules = parts.flatMap(({ modules: some, defaults }) =>
    shownIn(some, defaults).map(({ id: module_id, lessons, ...shown }): List => {
      return { module_id, ...shown, lessons: shownIn(lessons, defaults) };
    }),
  );
  const ungrouped = parts.map(({ ungrouped_lessons: some, defaults }): List => {
    return { module_id: null, title: '', lessons: shownIn(some, defaults) };
  });
  return { id: number(id) ?? 0, title: text(title) ?? '', lists: merged([...modules, ...ungrouped]) };
}

export interface Wish {
  readonly target: Target;
  readonly edits: readonly LessonChange[];
}

/** A course of 2,000 lessons has fewer parts. */
const maxParts = 40;

/** Reads a whole course, from its first part on if the caller has it. */
export async function loadCourse(host: Host, course_id: number, first?: Json): Promise<ShownCourse> {
  const parts: Json[] = [];
  let part = first ?? dataOf(await host.callTool('get_course_structure', { course_id }));
  parts.push(part);
  while (typeof part.next_cursor === 'string' && host.canCallTools && parts.length < maxParts) {
    part = dataOf(await host.callTool('get_course_structure', { course_id, cursor: part.next_cursor }));
    parts.push(part);
  }
  return readCourse(parts);
}

const lessonsOf = (edits: readonly LessonChange[]) => (edits.length > 0 ? { lessons: edits } : {});

const wishArguments = ({ target, edits }: Wish) => ({ outline: outlineOf(target), ...lessonsOf(edits) });

export function readPlan(data: Json, { target, edits }: Wish) {
  const requests = number(data.requests) ?? 0;
  return {
    target,
    edits,
    title: text(data.title) ?? 'a course',
    version: text(data.base_version) ?? '',
    requests,
    minutes: number(data.minutes) ?? 0,
    writes: Math.max(records(data.changes).length, requests - 2, 0),
    warnings: texts(data.warnings),
    /** The course before and after, for a view that cannot read the course itself. */
    lines: texts(data.tree),
  };
}

export type Plan = ReturnType<typeof readPlan>;

export async function makePlan(host: Host, course_id: number, wish: Wish): Promise<Plan> {
  return readPlan(dataOf(await host.callTool('plan_course_outline', { course_id, ...wishArguments(wish) })), wish);
}

/** The lines between the code of an error and its hint. */
function factsIn(error: string): string[] {
  const lines = error.replace(/^\w+: /, '').split('\n');
  const hint = lines.findLastIndex((line) => line.startsWith('Hint: '));
  return hint < 0 ? lines : lines.slice(0, hint);
}

/** The code that the hint of a refusal shows, or true: the policy of the server decides which. */
function consentIn(error: string): true | string {
  const hint = error.split('\n').findLast((line) => line.startsWith('Hint: ')) ?? '';
  return /confirm: "([^"]+)"/.exec(hint)?.[1] ?? true;
}

/** A request to apply: its arguments but `confirm`. */
export interface Application {
  readonly isUndo: boolean;
  readonly args: Json;
}

export const applicationOf = (plan: Plan): Application => {
  return { isUndo: false, args: { ...wishArguments(plan), base_version: plan.version } };
};

function appliedOf(data: Json) {
  const { undo_outline: outline, undo_lessons, base_version } = data;
  const args = { outline, ...lessonsOf(editsOf(undo_lessons)), base_version };
  const undo: Application = { isUndo: true, args };
  return {
    isVerified: data.verified === true,
    written: Array.isArray(data.applied) ? data.applied.length : 0,
    next: text(data.next),
    failures: records(data.failed).map(({ lesson_id, why }) => `Lesson ${lesson_id}: ${why}`),
    undo: isObject(outline) && text(base_version) !== undefined ? undo : undefined,
  };
}

export type Applied = ReturnType<typeof appliedOf>;

function answerOf(result: ToolResult) {
  if (result.isError !== true) return { kind: 'applied', applied: appliedOf(result.structuredContent ?? {}) } as const;
  const error = resultText(result);
  if (error.startsWith('confirmation_required: ')) {
    // A person has to agree. `consent` is the value of the argument `confirm` that says so.
    return { kind: 'consent', lines: factsIn(error), consent: consentIn(error) } as const;
  }
  if (error.startsWith('stale_version: ')) return { kind: 'stale', why: factsIn(error)[0] ?? '' } as const;
  return { kind: 'refused', why: error } as const;
}

export type Answer = ReturnType<typeof answerOf>;

/** The first call has no `confirm`, so that the server says what a person has to agree to. */
export async function apply(host: Host, course_id: number, { args }: Application, consent?: true | string) {
  const confirm = consent === undefined ? {} : { confirm: consent };
  return answerOf(await host.callTool('apply_course_outline', { course_id, ...args, ...confirm }));
}
