import * as z from 'zod';
import { unreadablePathsIn } from '../../src/api/http/answer-facts.ts';
import * as courses from '../../src/contract/courses.ts';
import { courseModule, courseStructure, lessonSummary } from '../../src/contract/schemas/lesson.ts';
import { bySequence } from '../../src/insights/outline/course.ts';
import { clarityOf } from '../../src/insights/outline/order-clarity.ts';
import { defineApiTool } from '../../src/mcp/define-api-tool.ts';
import { windowArguments, windowCursor } from '../../src/mcp/list-window.ts';
import { anyRecord, listOutput, recordOutput } from '../../src/mcp/output/output-schemas.ts';
import { sanitizeRecord } from '../../src/mcp/output/sanitize.ts';
import { besideCells, inline, type TextBody, tableLine } from '../../src/mcp/output/text-format.ts';
import { type Presented, withCut } from '../../src/mcp/tool.ts';
import type { CursorScope } from '../../src/shared/cursor.ts';
import { isObject, type Json } from '../../src/shared/json.ts';
import { recordLabel } from '../record-result.ts';

// A course repeats the same values for each lesson. The answer states them once.

/** The fields whose usual value is stated once, and those of them that a module has too. */
const repeated = ['is_published', 'lesson_type'] as const;
const ofModules: readonly string[] = ['is_published'];

/** Stating a value once costs as much as repeating it in this number of lessons. */
const minLessons = 3;

const defaultsKey = 'defaults';

function mostFrequent(values: readonly unknown[]): unknown {
  const counts = new Map<unknown, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort(([, one], [, other]) => other - one)[0]?.[0];
}

/** The usual value of each field that every record has: elsewhere a missing value would look like the usual one. */
function usualValues(rows: readonly StructureRow[]): Json {
  const lessons = recordsIn(rows.map(({ lesson }) => lesson));
  const modules = recordsIn(rows.map(({ module }) => module));
  if (lessons.length < minLessons) return {};
  const isEverywhere = (name: string) =>
    [...lessons, ...(ofModules.includes(name) ? modules : [])].every((record) => record[name] !== undefined);
  const names = repeated.filter(isEverywhere);
  return Object.fromEntries(names.map((name) => [name, mostFrequent(lessons.map((lesson) => lesson[name]))]));
}

function withoutUsual(record: Json, usual: Json, names: readonly string[]): Json {
  const isUsual = ([name, value]: [string, unknown]) =>
    names.includes(name) && Object.hasOwn(usual, name) && usual[name] === value;
  return Object.fromEntries(Object.entries(record).filter((entry) => !isUsual(entry)));
}

/** A part of a structure without the usual values. */
function withoutRepeats({ modules, ungrouped_lessons }: Json, usual: Json): Json {
  const short = (list: unknown, names: readonly string[]) =>
    recordsIn(list).map((record) => withoutUsual(record, usual, names));
  return {
    [defaultsKey]: Object.keys(usual).length > 0 ? usual : undefined,
    modules: short(modules, ofModules).map(({ lessons, ...module }) => ({
      ...module,
      lessons: lessons && short(lessons, repeated),
    })),
    ungrouped_lessons: short(ungrouped_lessons, repeated),
  };
}

const known = ['id', 'sequence', 'title', 'lesson_type', 'is_published'];
/** Keys without a column: lessons have their own lines. */
const elsewhere: ReadonlySet<string> = new Set(['lessons', ...besideCells]);

/** The columns in which any line has a value, in one order for all lines. */
function columnsOf(records: readonly Json[]): string[] {
  const names = new Set(records.flatMap((record) => Object.keys(record)));
  const others = [...names].filter((name) => !known.includes(name) && !elsewhere.has(name));
  return [...known.filter((name) => names.has(name)), ...others];
}

const cellsOf = (record: Json, columns: readonly string[]) => columns.map((column) => record[column]);

/** A course as lines: one for each module, with an indented line for each of its lessons, in the same columns. */
const structureOutline: TextBody = ({ modules, ungrouped_lessons, ...facts }) => {
  const [inModules, ungrouped] = [recordsIn(modules), recordsIn(ungrouped_lessons)];
  const columns = columnsOf([...inModules.flatMap((module) => [module, ...recordsIn(module.lessons)]), ...ungrouped]);
  const lessonLine = (lesson: Json) => `  ${tableLine(cellsOf(lesson, columns))}`;
  return [
    ...Object.entries(facts).map(([name, value]) => `${inline(name)}: ${inline(value)}`),
    ...(columns.length > 0 ? [columns.map(inline).join(' | ')] : []),
    ...inModules.flatMap((module) => [
      `Module ${tableLine(cellsOf(module, columns))}`,
      ...recordsIn(module.lessons).map(lessonLine),
    ]),
    ...(ungrouped.length > 0 ? ['In no module:', ...ungrouped.map(lessonLine)] : []),
  ];
};

const lessonOutput = recordOutput(lessonSummary.shape);
const moduleOutput = recordOutput({ ...courseModule.shape, lessons: z.array(lessonOutput) });

const output = listOutput('modules', moduleOutput, {
  course: recordOutput({ product_type: z.string(), ...courseStructure.shape.course.shape }),
  lesson_count: z.int(),
  // As in modules: listing the fields twice would cost every conversation.
  ungrouped_lessons: z.array(anyRecord),
  next_cursor: z.string(),
  [defaultsKey]: anyRecord,
});

type WriteRows = (place: { at: number; of: number }) => string;

const scopeOf = (course_id: number): CursorScope => ['get_course_structure', course_id];

/** The rows of the structure from `from` on. A cut answer has the cursor of its next row. */
function presentRows(rows: readonly StructureRow[], from: number, beside: Json, write: WriteRows): Presented {
  const wanted = rows.slice(from);
  const lesson_count = rows.filter(({ lesson }) => lesson !== undefined).length;
  const course = isObject(beside.course) ? beside.course : {};
  const start = isObject(beside.coverage) ? 'Incomplete (lessons, or lists of them, could not be read): ' : '';
  const summary = `${start}${recordLabel(course.product_type === undefined ? 'Course' : 'Challenge', course)}. ${lesson_count} lessons${from > 0 ? ', shown from the cursor on' : ''}.`;
  const usual = usualValues(rows);
  const part = (count: number) => withoutRepeats(structureOf(wanted.slice(0, count)), usual);
  const answer = (count: number) => {
    const place = { at: from + count, of: rows.length };
    const next_cursor = count < wanted.length ? write(place) : undefined;
    return { summary, data: { next_cursor, ...beside, lesson_count, ...part(count) } };
  };
  return { ...withCut(answer, wanted.length, 'go on with next_cursor as cursor'), body: structureOutline };
}

function withProductType({ course, ...others }: Json): Json {
  if (!isObject(course)) return others;
  const product_type = course.is_challenge === true ? 'challenge' : undefined;
  return { course: { product_type, ...course }, ...others };
}

export const getCourseStructure = defineApiTool({
  name: 'get_course_structure',
  toolset: 'courses',
  title: 'Get the structure of a course',
  description:
    'Shows the table of contents (outline, curriculum, syllabus) of a course: modules (chapters) and lessons (videos) in order: ids, titles, numbers, types, published or drafts. Finds a lesson by title. The API shows no lesson bodies. Price: get_course.',
  ui: { resourceUri: 'ui://academy/outline.html' },
  cost: { requests: 1 },
  example: { course_id: 5 },
  operation: courses.getCourseStructure,
  extra: { cursor: windowArguments.cursor },
  output,
  // An invalid cursor must not cost a request.
  check: ({ cursor, course_id }, { cursors }) => {
    if (cursor !== undefined) cursors.read(windowCursor, cursor, scopeOf(course_id));
  },
  around: async ({ cursor: _cursor, ...input }, _context, send) => [await send(input), {}],
  present: (answer, { cursor, course_id }, _titles, _told, { cursors }) => {
    const scope = scopeOf(course_id);
    const { unreadable: lessons, doubts } = clarityOf(answer, unreadablePathsIn(answer));
    const { modules, ungrouped_lessons, ...beside } = withProductType(
      sanitizeRecord(courseStructure, bySequence(answer)),
    );
    const rows = structureRows({ modules, ungrouped_lessons });
    const start = cursor === undefined ? undefined : cursors.read(windowCursor, cursor, scope);
    const changed = start !== undefined && start.of !== rows.length;
    const notes = [
      ...(changed ? ['the course has changed since the first part was read: read it again from the start'] : []),
      ...doubts,
    ];
    const coverage = lessons > 0 ? { complete: false, unreadable: { lessons } } : undefined;
    const facts = { coverage, ...beside, note: notes.join('; ') || undefined };
    return presentRows(rows, start?.at ?? 0, facts, (place) => cursors.write(windowCursor, place, scope));
  },
});

/** A lesson with its module, a lesson without one, or a module without lessons. */
interface StructureRow {
  module?: Json;
  lesson?: Json;
}

function recordsIn(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** The structure as one list in the order of the course, so that an answer can show a part of it. */
function structureRows({ modules, ungrouped_lessons }: Json): StructureRow[] {
  const grouped = recordsIn(modules).flatMap(({ lessons, ...module }): StructureRow[] => {
    const inside = recordsIn(lessons);
    return inside.length === 0 ? [{ module }] : inside.map((lesson) => ({ module, lesson }));
  });
  return [...grouped, ...recordsIn(ungrouped_lessons).map((lesson) => ({ lesson }))];
}

/** The structure of some of its rows. A module that was cut has only its remaining lessons. */
function structureOf(rows: readonly StructureRow[]): Json {
  const inModules = new Map<Json, Json[]>();
  const ungrouped: Json[] = [];
  for (const { module, lesson } of rows) {
    const lessons = module === undefined ? ungrouped : (inModules.get(module) ?? []);
    if (module !== undefined) inModules.set(module, lessons);
    if (lesson !== undefined) lessons.push(lesson);
  }
  const modules = [...inModules].map(([module, lessons]) => ({
    ...module,
    lessons: lessons.length > 0 ? lessons : undefined,
  }));
  return { modules, ungrouped_lessons: ungrouped };
}
