import type { Course, Lesson, List } from '../../src/insights/outline/course.ts';
import { outlineOf, type Target } from '../../src/insights/outline/target.ts';
import type { Json } from '../../src/shared/json.ts';
import { dataOf, type Host, resultText, type ToolResult } from '../shared/bridge.ts';
import { number, record, records, text, texts } from '../shared/values.ts';
import { type Edit, editsOf } from './target.ts';

/** A course as get_course_structure shows it, read in one or several parts. */
export interface ShownCourse extends Course {
  readonly id: number;
  readonly title: string;
}

/** Whether a lesson or module is published. Rows leave the usual value out, which the answer names once. */
function publicationOf(row: Json, defaults: Json): boolean | undefined {
  const value = row.is_published ?? defaults.is_published;
  return typeof value === 'boolean' ? value : undefined;
}

function lessonOf(row: Json, defaults: Json): Lesson[] {
  const id = number(row.id);
  const isPublished = publicationOf(row, defaults);
  return id === undefined ? [] : [{ id, title: text(row.title) ?? '', is_published: isPublished }];
}

function listOf(row: Json, defaults: Json): List[] {
  const id = number(row.id);
  const lessons = records(row.lessons).flatMap((lesson) => lessonOf(lesson, defaults));
  const isPublished = publicationOf(row, defaults);
  return id === undefined ? [] : [{ module_id: id, title: text(row.title) ?? '', is_published: isPublished, lessons }];
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

/** Reads the answers of get_course_structure, one for each part. */
function readCourse(parts: readonly Json[]): ShownCourse {
  const [first = {}] = parts;
  const course = record(first.course);
  const modules = merged(
    parts.flatMap(({ modules: some, defaults }) => records(some).flatMap((row) => listOf(row, record(defaults)))),
  );
  const lessons = parts.flatMap(({ ungrouped_lessons: some, defaults }) =>
    records(some).flatMap((row) => lessonOf(row, record(defaults))),
  );
  return {
    id: number(course.id) ?? 0,
    title: text(course.title) ?? '',
    lists: [...modules, { module_id: null, title: '', lessons }],
  };
}

interface Wish {
  readonly target: Target;
  readonly edits: readonly Edit[];
}

/** A course that was changed, and how to change it back. */
export type Answer =
  | { readonly kind: 'applied'; readonly applied: Applied }
  /** A person has to agree. `consent` is the value of the argument `confirm` that says so. */
  | { readonly kind: 'consent'; readonly lines: readonly string[]; readonly consent: true | string }
  | { readonly kind: 'stale'; readonly why: string }
  | { readonly kind: 'refused'; readonly why: string };

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

const lessonsOf = (edits: readonly Edit[]) => (edits.length > 0 ? { lessons: edits } : {});

export function readPlan(data: Json, wish: Wish) {
  return {
    ...wish,
    title: text(data.title) ?? 'a course',
    version: text(data.base_version) ?? '',
    requests: number(data.requests) ?? 0,
    minutes: number(data.minutes) ?? 0,
    writes: Math.max(records(data.changes).length, (number(data.requests) ?? 0) - 2, 0),
    warnings: texts(data.warnings),
    /** The course before and after, for a view that cannot read the course itself. */
    lines: texts(data.tree),
  };
}

export type Plan = ReturnType<typeof readPlan>;

export async function makePlan(host: Host, course_id: number, { target, edits }: Wish): Promise<Plan> {
  const question = { course_id, outline: outlineOf(target), ...lessonsOf(edits) };
  return readPlan(dataOf(await host.callTool('plan_course_outline', question)), { target, edits });
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

/** A course that was changed, and how to change it back. */
function appliedOf(data: Json) {
  const { undo_outline, undo_lessons, base_version } = data;
  const version = text(base_version);
  const canUndo = typeof undo_outline === 'object' && undo_outline !== null && version !== undefined;
  return {
    isVerified: data.verified === true,
    written: Array.isArray(data.applied) ? data.applied.length : 0,
    next: text(data.next),
    failures: records(data.failed).map(({ lesson_id, why }) => `Lesson ${lesson_id}: ${why}`),
    undo: canUndo ? { outline: undo_outline as Json, edits: editsOf(undo_lessons), version } : undefined,
  };
}

export type Applied = ReturnType<typeof appliedOf>;

function answerOf(result: ToolResult): Answer {
  if (result.isError !== true) return { kind: 'applied', applied: appliedOf(result.structuredContent ?? {}) };
  const error = resultText(result);
  if (error.startsWith('confirmation_required: ')) {
    return { kind: 'consent', lines: factsIn(error), consent: consentIn(error) };
  }
  if (error.startsWith('stale_version: ')) return { kind: 'stale', why: factsIn(error)[0] ?? '' };
  return { kind: 'refused', why: error };
}

/** A request to apply: the first call has no `confirm`, so that the server says what a person has to agree to. */
export interface Application {
  readonly outline: Json | ReturnType<typeof outlineOf>;
  readonly edits: readonly Edit[];
  readonly version: string;
}

export async function apply(
  host: Host,
  course_id: number,
  { outline, edits, version }: Application,
  consent?: true | string,
): Promise<Answer> {
  const confirm = consent === undefined ? {} : { confirm: consent };
  const args = { course_id, outline, ...lessonsOf(edits), base_version: version, ...confirm };
  return answerOf(await host.callTool('apply_course_outline', args));
}
