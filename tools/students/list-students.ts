import * as z from 'zod';
import { unreadableEntries } from '../../src/api/http/answer-facts.ts';
import { dateOrTime, describedOnce, integer, limitedText } from '../../src/contract/schemas/input-fields.ts';
import * as students from '../../src/contract/students.ts';
import { type RowTime, rowTimes, timeOf } from '../../src/insights/api-time.ts';
import { sourceFacts } from '../../src/insights/freshness.ts';
import { filtersText, periodFacts, periodText, resolveMoment } from '../../src/insights/period.ts';
import {
  countByCountry,
  isNoLocation,
  lacksLocation,
  type StudentFilters,
  type StudentItem,
  type StudentOrder,
  type StudentsReading,
  selectStudents,
  sharedNamesText,
  studentSorts,
  tiedAfter,
} from '../../src/insights/students/select-students.ts';
import { mergeUnreadable } from '../../src/insights/unreadable.ts';
import { defineApiTool } from '../../src/mcp/define-api-tool.ts';
import { windowArguments, windowCursor } from '../../src/mcp/list-window.ts';
import { listOutput, pageOutput, recordOutput } from '../../src/mcp/output/output-schemas.ts';
import { presentPage, verifyPage } from '../../src/mcp/output/pagination.ts';
import { sanitizeRecord } from '../../src/mcp/output/sanitize.ts';
import { counted, inline, pageTable, scannedTable } from '../../src/mcp/output/text-format.ts';
import { defineTool, type Presented, type ToolContext, withCut } from '../../src/mcp/tool.ts';
import { refuseInput } from '../../src/shared/invalid-input.ts';
import type { Json } from '../../src/shared/json.ts';
import { compact } from '../../src/shared/quote-text.ts';
import { hasWords, nearest } from '../../src/shared/similar-words.ts';
import { moreRequests, requestsAllowed } from '../../src/workflows/requests-allowed.ts';
import { shownPages } from '../../src/workflows/scan-store.ts';
import { readAllStudents } from '../../src/workflows/students/read-all-students.ts';
import { incompleteBecause } from '../insights/coverage-text.ts';
import { positive } from '../insights/sales-output.ts';
import { maxRequests } from '../insights/shared-arguments.ts';

/** The day of `created_at`, in the time zone of the filters by the time of joining. */
const joined = 'joined';

/** The student with only these columns, in their order. */
function studentRow(item: StudentItem, columns: readonly string[], dayOf: RowTime): Json {
  const fields = new Set(columns.map((column) => (column === joined ? 'created_at' : column)));
  const shown = sanitizeRecord(students.student, item, [...fields]);
  const { created_at, ...others } = shown;
  const values: Json = { ...shown, [joined]: typeof created_at === 'string' ? dayOf(created_at) : undefined };
  return { ...Object.fromEntries(columns.map((name) => [name, values[name]])), ...others };
}

/** Why students may be missing from the answer; undefined if none are. */
function readingProblem(
  { problem, pagesLeft, pagesRead }: StudentsReading,
  lacking: Readonly<Record<string, number>>,
  maxRequests: number | undefined,
): string | undefined {
  const parts = compact([
    pagesLeft > 0 && `${pagesRead} of ${pagesRead + pagesLeft} or more pages of students read`,
    problem ?? (pagesLeft > 0 && moreRequests(maxRequests, 'call again')),
    ...Object.entries(lacking).map(([field, count]) => `${counted(count, 'student')} without ${field} left out`),
  ]);
  return parts.join('; ') || undefined;
}

/** A filter by location finds none of these. */
function placelessNote({ students }: StudentsReading, { location }: StudentFilters): string | undefined {
  const count = location === undefined || isNoLocation(location) ? 0 : students.filter(lacksLocation).length;
  return count === 0 ? undefined : `${counted(count, 'student')} without a location left out: location none finds them`;
}

/** Why no student is shown, if the whole list was read. */
function emptyNote({ students }: StudentsReading, matching: number, from: number, filters: StudentFilters) {
  if (matching > from) return undefined;
  if (matching > 0) return `row ${from + 1} is beyond the last match, ${matching}`;
  const filterText = filtersText(filters, inline);
  return filterText === '' ? undefined : `none of the ${counted(students.length, 'student')} fits ${filterText}`;
}

function orderText({ sort, isReversed }: StudentOrder): string {
  if (!isReversed) return `by ${sort}`;
  return sort === 'name' ? 'by name from Z' : `by ${sort}, ${sort === 'joined' ? 'oldest' : 'lowest'} first`;
}

/** Rows beyond the last one shown that are not worse than it. */
function tieText(kept: readonly StudentItem[], end: number, order: StudentOrder): string | undefined {
  const more = tiedAfter(kept, end, order);
  const tie = more === 1 ? 'ties' : 'tie';
  return more === 0 ? undefined : `${counted(more, 'student')} not shown here ${tie} with the last one shown`;
}

/** The bounds of joining, of which the end is excluded; undefined without a filter. */
function joinedPeriod({ joined_after: after, joined_before: before }: StudentFilters, context: ToolContext) {
  if (after === undefined && before === undefined) return undefined;
  return { from: timeOf(after), to: timeOf(before) ?? context.now().getTime(), timezone: context.timezone };
}

/** The students whose names are nearest to a name without a match. */
function nearestNames({ students }: StudentsReading, { name }: StudentFilters, dayOf: RowTime): Json[] {
  const named = students.filter(({ name: own }) => own !== undefined);
  if (name === undefined || named.some((one) => hasWords(one.name ?? '', name))) return [];
  const near = nearest(name, named, (one) => one.name ?? '');
  return near.map((one) => studentRow(one, ['id', 'name', 'email'], dayOf));
}

function matchesOf(read: StudentsReading, { filters, order, maxRequests }: Selection, context: ToolContext) {
  const { kept, lacking } = selectStudents(read.students, filters, order);
  const problem = readingProblem(read, lacking, maxRequests);
  const period = joinedPeriod(filters, context);
  const all = counted(read.students.length, 'student');
  const joinedText = period === undefined ? '' : `, joined ${periodText(period)}`;
  const isWhole = read.pagesLeft === 0 && read.problem === undefined;
  return {
    kept,
    problem,
    period,
    /** "12 of 1500 students match, joined from 2026-03-10"; if students are missing, the first words say it. */
    text:
      problem === undefined
        ? `${kept.length} of ${all} match${joinedText}`
        : `${incompleteBecause(problem)}: at least ${kept.length} match, of ${all} read${joinedText}`,
    counts: {
      counts_are: problem && 'at least',
      matching: kept.length,
      [isWhole ? 'total' : 'read']: read.students.length,
    },
    coverage: {
      complete: problem === undefined,
      stopped: problem,
      pages_read: read.pagesRead,
      requests_spent: context.spent(),
      ...sourceFacts([], context.readAt()),
    },
  };
}

function presentCountries(read: StudentsReading, selection: Selection, context: ToolContext): Presented {
  const { kept, text, counts, coverage } = matchesOf(read, { ...selection, order: undefined }, context);
  const countries = countByCountry(kept);
  const answer = (most: number) => ({
    summary: `${text}, of ${counted(countries.length, 'country')}.`,
    data: {
      ...counts,
      without_location: positive(kept.filter(lacksLocation).length),
      note: 'country: the last part of the location that a student wrote',
      groups: countries.slice(0, most),
      coverage,
    },
  });
  return withCut(answer, countries.length, 'filter by location');
}

function presentSelection(read: StudentsReading, selection: Selection, context: ToolContext): Presented {
  const { filters, chosenFilters, order, columns, limit, start, scope } = selection;
  const { kept, problem, period, text, counts, coverage } = matchesOf(read, selection, context);
  const dayOf = rowTimes(context.timezone);
  const { at: from, of: before = kept.length } = start;
  const wanted = kept.slice(from, from + limit);
  const isChanged = before !== kept.length;
  const why = isChanged
    ? `${before} matched when the first part was read: rows may be missing or repeated`
    : emptyNote(read, kept.length, from, problem === undefined ? chosenFilters : {});
  const changeable =
    order !== undefined && read.pagesLeft > 0 && 'students that are not read yet can change who comes first';
  const answer = (most: number) => {
    const end = from + Math.min(most, wanted.length);
    const shown = wanted.length === 0 ? 'none shown' : `shown ${from + 1} to ${end}`;
    const tie = order === undefined || wanted.length === 0 ? undefined : tieText(kept, end, order);
    const same = chosenFilters.name === undefined ? undefined : sharedNamesText(kept);
    const position = { at: end, of: kept.length };
    return {
      summary: `${text}, ${shown}${order === undefined ? '' : `, ${orderText(order)}`}.`,
      data: {
        ...counts,
        joined: period && periodFacts(period),
        next_cursor: end < kept.length ? context.cursors.write(windowCursor, position, scope) : undefined,
        note: compact([why, tie, changeable, placelessNote(read, filters), same]).join('; ') || undefined,
        nearest: nearestNames(read, filters, dayOf),
        students: wanted.slice(0, most).map((item) => studentRow(item, columns, dayOf)),
        coverage,
      },
    };
  };
  const rows = kept.map((item) => studentRow(item, columns, dayOf));
  const shape = scannedTable(rows, columns, read.pagesLeft === 0);
  // A table needs a column.
  const tables = { students: shape.columns.length === 0 ? pageTable(rows, columns) : shape };
  return { ...withCut(answer, wanted.length, 'go on with next_cursor'), tables };
}

/** API document: "Limits". */
const perPage = 50;

const { facebook_link: _facebook, twitter_link: _twitter, ...fields } = students.student.shape;
const shown = { ...fields, joined: z.string() };

const usualColumns = ['id', 'name', 'email', 'joined', 'points', 'completion_percent', 'location'];

/** Includes fields outside the contract: some platforms show paying_student and total_completion here. */
function shownStudent(student: StudentItem, chosen: readonly string[] = usualColumns, dayOf: RowTime) {
  const others = Object.keys(student).filter((name) => !Object.hasOwn(students.student.shape, name));
  return studentRow(student, chosen === usualColumns ? [...chosen, ...others] : chosen, dayOf);
}

const lackingIn = (items: readonly StudentItem[], field: keyof StudentItem) =>
  items.filter((item) => item[field] === undefined).length;

const chosenColumns = z
  .array(z.enum([...usualColumns, ...Object.keys(shown).filter((name) => !usualColumns.includes(name))]))
  .min(1)
  .max(20)
  .describe(`Default the first ${usualColumns.length}`)
  .optional();

const onePage = defineApiTool({
  name: 'list_students',
  toolset: 'students',
  title: 'List students',
  description:
    'Lists all our students (members), who registered (signed up, joined), with points and completion: pages of 50 or, filtered or sorted, all. Finds a student by name or country. One: student_profile, buyers: find_buyers, finished: list_completed_students.',
  cost: { 'per page of 50 students (filtered: first twice)': 1 },
  example: { page: 1 },
  operation: students.listStudents,
  output: listOutput('students', recordOutput(shown), {
    ...pageOutput,
    next_cursor: z.string(),
    matching: z.int(),
    nearest: z.array(recordOutput({ id: shown.id, name: shown.name, email: shown.email })),
    groups: z.array(recordOutput({ country: shown.location, students: z.int() })),
  }),
  extra: { columns: chosenColumns },
  present: (answer, { page = 1, columns: chosen }, _titles, _told, { stores, timezone }) => {
    const { items, meta } = answer;
    const dayOf = rowTimes(timezone);
    const question = { page, size: perPage, meta, total: meta?.total_students, records: items };
    const { cut: _smallerPages, ...shownPage } = presentPage({
      list: 'students',
      rows: items.map((item) => shownStudent(item, chosen, dayOf)),
      columns: chosen ?? usualColumns,
      ...verifyPage({ ...question, lost: unreadableEntries(answer) }, shownPages(stores, 'list_students')),
      size: perPage,
      unreadable: mergeUnreadable({
        emails: lackingIn(items, 'email'),
        percentages: lackingIn(items, 'completion_percent'),
      }),
    });
    return shownPage;
  },
});

const selection = {
  name: limitedText(200).trim().min(1).describe('Part of the name').optional(),
  location: limitedText(200).trim().min(1).describe('Such as a country; none: not set').optional(),
  is_active: describedOnce(z.boolean().describe('As the API has it; it shows no last activity')).optional(),
  min_points: describedOnce(integer(0, 1_000_000_000, 'At least')).optional(),
  joined_after: dateOrTime('ISO 8601').optional(),
  joined_before: dateOrTime('ISO 8601').optional(),
  sort: z.enum(studentSorts).describe('Highest or newest first; name from A').optional(),
  reverse: z.boolean().describe('Lowest first').optional(),
  group_by: describedOnce(z.enum(['country']).describe('Counts by the last part of the location')).optional(),
  columns: chosenColumns,
  ...windowArguments,
  max_requests: maxRequests,
};

const input = z.strictObject({ ...students.listStudents.query, ...selection });

type Arguments = z.output<z.ZodObject<typeof selection>>;

const isSelection = (input: object) => Object.keys(input).some((name) => name !== 'page' && name !== 'columns');

/** A bound in UTC: a date means midnight in the time zone of the academy. */
async function inUtc(name: string, written: string | undefined, timezone: string): Promise<string | undefined> {
  return written && new Date(await resolveMoment(name, written, timezone)).toISOString();
}

/** A cursor belongs to the same filters and order. */
function scopeOf({ limit: _limit, cursor: _cursor, max_requests: _most, columns: _columns, ...question }: Arguments) {
  return ['list_students', JSON.stringify(question)] as const;
}

async function selectionOf(page: number, input: Arguments, context: ToolContext) {
  const { limit = 50, cursor, max_requests: maxRequests, sort, reverse, group_by: _grouped, ...others } = input;
  const {
    columns: chosen = sort === 'sign_ins' ? [...usualColumns, 'sign_in_count'] : usualColumns,
    ...chosenFilters
  } = others;
  const scope = scopeOf(input);
  const first: { at: number; of?: number } = { at: (page - 1) * limit };
  /** The first row, and the number of matches if an earlier part has shown it. */
  const start = cursor === undefined ? first : context.cursors.read(windowCursor, cursor, scope);
  const filters = {
    ...chosenFilters,
    joined_after: await inUtc('joined_after', chosenFilters.joined_after, context.timezone),
    joined_before: await inUtc('joined_before', chosenFilters.joined_before, context.timezone),
  };
  const order = sort && { sort, isReversed: reverse === true };
  return { filters, chosenFilters, order, columns: chosen, limit, start, scope, maxRequests };
}

type Selection = Awaited<ReturnType<typeof selectionOf>>;

async function select(page: number, input: Arguments, context: ToolContext): Promise<Presented> {
  const selection = await selectionOf(page, input, context);
  const allowed = await requestsAllowed(selection.maxRequests, context);
  const read = await readAllStudents(input.cursor !== undefined || page > 1, allowed, context);
  const present = input.group_by === undefined ? presentSelection : presentCountries;
  return present(read, selection, context);
}

export const listStudents = defineTool({
  ...onePage,
  input,
  check: ({ page, cursor, reverse, sort }) => {
    if (reverse !== undefined && sort === undefined) throw refuseInput(['reverse needs sort']);
    if (page !== undefined && cursor !== undefined) throw refuseInput(['give either page or cursor, not both']);
  },
  run: async (input, context) => {
    const { page = 1, ...rest } = input;
    return isSelection(input) ? await select(page, rest, context) : await onePage.run(input, context);
  },
});
