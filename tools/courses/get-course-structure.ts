import * as z from 'zod';
import { unreadablePathsIn } from '../../src/api/http/answer-facts.ts';
import * as courses from '../../src/contract/courses.ts';
import { courseModule, courseStructure, lessonSummary } from '../../src/contract/schemas/lesson.ts';
import { bySequence } from '../../src/insights/outline/course.ts';
import { clarityOf } from '../../src/insights/outline/order-clarity.ts';
import { defineApiTool } from '../../src/mcp/define-api-tool.ts';
import { windowArguments, windowCursor } from '../../src/mcp/list-window.ts';
import { anyRecord, listOutput, recordOutput } from '../../src/mcp/output/output-schemas.ts';
import { incompleteFor } from '../../src/mcp/output/pagination.ts';
import { sanitizeRecord } from '../../src/mcp/output/sanitize.ts';
import { besideCells, inline, type TextBody, tableLine } from '../../src/mcp/output/text-format.ts';
import { mapAnswer, type Presented, withCut } from '../../src/mcp/tool.ts';
import type { CursorScope } from '../../src/shared/cursor.ts';
import { mostFrequent } from '../../src/shared/group-by.ts';
import { isObject, type Json } from '../../src/shared/json.ts';
import { compact } from '../../src/shared/quote-text.ts';
import { recordLabel } from '../record-result.ts';

// A course repeats the same values for each lesson. The answer states them once.

/** The fields whose usual value is stated once. Modules have the first one too. */
const repeated = ['is_published', 'lesson_type'];

/** Stating a value once costs as much as repeating it in this number of lessons. */
const minLessons = 3;

const defaultsKey = 'defaults';

/** The usual value of each field that every record has: elsewhere a missing value would look like the usual one. */
function usualValues(lessons: readonly Json[], modules: readonly Json[]): Json {
  if (lessons.length < minLessons) return {};
  const having = (name: string) => [...lessons, ...(name === repeated[0] ? modules : [])];
  const names = repeated.filter((name) => having(name).every((record) => record[name] !== undefined));
  return Object.fromEntries(names.map((name) => [name, mostFrequent(lessons.map((lesson) => lesson[name]))]));
}

const recordsIn = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isObject) : []);

/** The modules with their lessons, without the values that `usual` states. */
function readStructure(structure: Json) {
  const modules = recordsIn(structure.modules).map(({ lessons, ...own }) => ({ own, lessons: recordsIn(lessons) }));
  const ungrouped = recordsIn(structure.ungrouped_lessons);
  const all = [...modules.flatMap(({ lessons }) => lessons), ...ungrouped];
  const usual = usualValues(
    all,
    modules.map(({ own }) => own),
  );
  const isOwn = ([name, value]: [string, unknown]) => !Object.hasOwn(usual, name) || usual[name] !== value;
  const short = (record: Json): Json => Object.fromEntries(Object.entries(record).filter(isOwn));
  return {
    modules: modules.map(({ own, lessons }) => ({ own: short(own), lessons: lessons.map(short) })),
    ungrouped: ungrouped.map(short),
    usual,
    lesson_count: all.length,
    /** Rows of an answer: lessons, and modules without one. */
    length: all.length + modules.filter(({ lessons }) => lessons.length === 0).length,
  };
}

type Structure = ReturnType<typeof readStructure>;

/** Some rows of a structure, in the order of the course. A module that was cut has only its remaining lessons. */
function partOf({ modules, ungrouped }: Structure, from: number, end: number): Json {
  let at = 0;
  const cut = <Row>(rows: readonly Row[]): Row[] => {
    const own = rows.slice(Math.max(0, from - at), Math.max(0, end - at));
    at += rows.length;
    return own;
  };
  const shown = modules.flatMap(({ own, lessons }) => {
    if (lessons.length === 0) return cut([own]);
    const rest = cut(lessons);
    return rest.length === 0 ? [] : [{ ...own, lessons: rest }];
  });
  return { modules: shown, ungrouped_lessons: cut(ungrouped) };
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

/** A course as lines: one for each module, with an indented line for each of its lessons, in the same columns. */
const structureOutline: TextBody = ({ modules, ungrouped_lessons, ...facts }) => {
  const [inModules, ungrouped] = [recordsIn(modules), recordsIn(ungrouped_lessons)];
  const columns = columnsOf([...inModules.flatMap((module) => [module, ...recordsIn(module.lessons)]), ...ungrouped]);
  const line = (record: Json) => tableLine(columns.map((column) => record[column]));
  const lessonLine = (lesson: Json) => `  ${line(lesson)}`;
  return [
    ...Object.entries(facts).map(([name, value]) => `${inline(name)}: ${inline(value)}`),
    ...(columns.length > 0 ? [columns.map(inline).join(' | ')] : []),
    ...inModules.flatMap((module) => [`Module ${line(module)}`, ...recordsIn(module.lessons).map(lessonLine)]),
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

const scopeOf = (course_id: number): CursorScope => ['get_course_structure', course_id];

/** The rows of the structure from `from` on. A cut answer has the cursor of its next row. */
function presentRows(
  structure: Structure,
  from: number,
  { course, ...beside }: Json,
  write: (position: { at: number; of: number }) => string,
): Presented {
  const { usual, lesson_count, length } = structure;
  const own = isObject(course) ? course : {};
  const label = recordLabel(own.product_type === undefined ? 'Course' : 'Challenge', own);
  const defaults = Object.keys(usual).length > 0 ? usual : undefined;
  const answer = (count: number) => {
    const end = from + count;
    const next_cursor = end < length ? write({ at: end, of: length }) : undefined;
    const facts = { next_cursor, course, ...beside, lesson_count, [defaultsKey]: defaults };
    return {
      summary: `${label}. ${lesson_count} lessons${from > 0 ? ', shown from the cursor on' : ''}.`,
      data: { ...facts, ...partOf(structure, from, end) },
    };
  };
  return { ...withCut(answer, length - from, 'go on with next_cursor as cursor'), body: structureOutline };
}

export const getCourseStructure = defineApiTool({
  name: 'get_course_structure',
  toolset: 'courses',
  title: 'Get the structure of a course',
  description:
    'Shows the table of contents (outline, curriculum, syllabus) of a course: modules (chapters) and lessons (videos) in order: ids, titles, numbers, types, published or drafts. Finds a lesson by title. The API shows no lesson bodies. Price: get_course.',
  ui: { resourceUri: 'ui://academy/outline.html' },
  example: { course_id: 5 },
  operation: courses.getCourseStructure,
  extra: { cursor: windowArguments.cursor },
  output,
  around: async ({ cursor, ...input }, { cursors }, send) => {
    // Read first: an invalid cursor must not cost a request.
    const start = cursor && cursors.read(windowCursor, cursor, scopeOf(input.course_id));
    return [await send(input), { start: start || undefined }];
  },
  present: (answer, { course_id }, _titles, { start }, { cursors }) => {
    const { unreadable: lessons, doubts } = clarityOf(answer, unreadablePathsIn(answer));
    const { course: own, ...shown } = sanitizeRecord(courseStructure, bySequence(answer));
    const { modules, ungrouped_lessons, ...beside } = shown;
    const structure = readStructure({ modules, ungrouped_lessons });
    const isChanged = start !== undefined && start.of !== structure.length;
    const changed = 'the course has changed since the first part was read: read it again from the start';
    const note = compact([isChanged && changed, ...doubts]).join('; ') || undefined;
    const product_type = isObject(own) && own.is_challenge === true ? 'challenge' : undefined;
    const course = isObject(own) ? { product_type, ...own } : undefined;
    const facts = { course, ...beside, note };
    const presented = presentRows(structure, start?.at ?? 0, facts, (position) =>
      cursors.write(windowCursor, position, scopeOf(course_id)),
    );
    const lost = lessons > 0 ? 'lessons, or lists of them, could not be read' : undefined;
    return mapAnswer(presented, (part) => incompleteFor([lost], part, { unreadable: { lessons } }));
  },
});
