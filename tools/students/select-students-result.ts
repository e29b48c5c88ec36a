import type * as z from 'zod';
import { student } from '../../src/contract/students.ts';
import { timeOf } from '../../src/insights/api-time.ts';
import { emptyPeriodNote, filtersText, localPeriodText, type Period, periodFacts } from '../../src/insights/period.ts';
import { type RowTime, rowTimes } from '../../src/insights/row-time.ts';
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
  tiedAfter,
} from '../../src/insights/students/select-students.ts';
import { windowCursor } from '../../src/mcp/list-window.ts';
import { sanitizeRecord } from '../../src/mcp/output/sanitize.ts';
import { counted, inline, pageTable, scannedTable, type TableShape } from '../../src/mcp/output/text-format.ts';
import type { Presented, ToolContext } from '../../src/mcp/tool.ts';
import type { CursorScope } from '../../src/shared/cursor.ts';
import type { Json } from '../../src/shared/json.ts';
import { hasWords, nearest } from '../../src/shared/similar-words.ts';
import { sourceFacts } from '../../src/workflows/mirror-freshness.ts';
import { moreRequests } from '../../src/workflows/requests-allowed.ts';
import { coverageFirst, incompleteBecause } from '../insights/coverage-text.ts';
import { withCut } from '../record-result.ts';

interface Selection {
  /** With bounds in UTC. */
  readonly filters: StudentFilters;
  /** As the call gives them. */
  readonly given: StudentFilters;
  readonly order: StudentOrder | undefined;
  readonly columns: readonly string[];
  readonly limit: number;
  /** Row at which a call without cursor starts. */
  readonly first: number;
  readonly start: z.output<typeof windowCursor> | undefined;
  readonly scope: CursorScope;
  /** `max_requests` of the call. */
  readonly maxRequests: number | undefined;
}

/** The day of `created_at`, in the time zone of the filters by the time of joining. */
const joined = 'joined';

const sourceOf = (column: string) => (column === joined ? 'created_at' : column);

/** The student with only these columns, in their order. */
export function studentRow(item: StudentItem, columns: readonly string[], dayOf: RowTime): Json {
  const sources = new Set(columns.map(sourceOf));
  const shown = sanitizeRecord(student, Object.fromEntries(Object.entries(item).filter(([name]) => sources.has(name))));
  const { created_at, ...others } = shown;
  const day = typeof created_at === 'string' ? { [joined]: dayOf(created_at) } : {};
  const values: Json = { ...shown, ...day };
  const ordered = columns.flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]]]));
  return { ...Object.fromEntries(ordered), ...(columns.includes('created_at') ? shown : others) };
}

/** The table of every page. It is made of the values as they are read: cleaning each text of a long list takes long. */
function shapeOf(
  kept: readonly StudentItem[],
  columns: readonly string[],
  { isAllRead, dayOf }: { isAllRead: boolean; dayOf: RowTime },
): TableShape {
  const given = ([name, value]: [string, unknown]) => columns.includes(name) && value !== undefined && value !== null;
  const rows = kept.map((item) =>
    Object.fromEntries(Object.entries({ ...item, [joined]: dayOf(item.created_at) }).filter(given)),
  );
  const shape = scannedTable(rows, columns, isAllRead);
  const [first] = kept;
  // A table needs a column.
  if (first === undefined || shape.columns.length === 0) return pageTable(rows, columns);
  return { ...shape, same: studentRow(first, Object.keys(shape.same), dayOf) };
}

/** Why students may be missing from the answer; undefined if none are. */
function readingProblem(
  { problem, pagesLeft, pagesRead }: StudentsReading,
  lacking: Readonly<Record<string, number>>,
  given: number | undefined,
) {
  const pages = `${pagesRead} of ${pagesRead + pagesLeft} or more pages of students read`;
  const advice = problem === undefined ? [moreRequests(given, 'call again')] : [];
  const parts = [
    ...(pagesLeft > 0 ? [pages] : []),
    ...(problem === undefined ? [] : [problem]),
    ...(pagesLeft > 0 ? advice : []),
    ...Object.entries(lacking).map(([field, count]) => `${counted(count, 'student')} without ${field} left out`),
  ];
  return parts.length === 0 ? undefined : parts.join('; ');
}

/** A filter by location finds none of these. */
function placelessNote({ students }: StudentsReading, { location }: StudentFilters): string | undefined {
  const count = location === undefined || isNoLocation(location) ? 0 : students.filter(lacksLocation).length;
  return count === 0 ? undefined : `${counted(count, 'student')} without a location left out: location none finds them`;
}

type SelectionFilters = Pick<Selection, 'filters' | 'given'>;

/** Why no student is shown, if the whole list was read. */
function emptyNote(
  { students }: StudentsReading,
  matching: number,
  from: number,
  { filters, given }: SelectionFilters,
  now: Date,
) {
  if (matching > from) return {};
  if (matching > 0) return { note: `row ${from + 1} is beyond the last match, ${matching}` };
  const { joined_after, joined_before } = filters;
  const filterText = filtersText(given, inline);
  const impossible = emptyPeriodNote({ created_after: joined_after, created_before: joined_before }, now);
  if (impossible !== undefined) {
    const written = impossible.replace(joined_after ?? '', given.joined_after ?? '');
    return { note: written.replaceAll('created_', 'joined_') };
  }
  return filterText === '' ? {} : { note: `none of the ${counted(students.length, 'student')} fits ${filterText}` };
}

/** "by points, lowest first". */
function orderText({ sort, isReversed }: StudentOrder): string {
  if (!isReversed) return `by ${sort}`;
  return sort === 'name' ? 'by name from Z' : `by ${sort}, ${sort === 'joined' ? 'oldest' : 'lowest'} first`;
}

/** Rows beyond the last one shown that are not worse than it. */
function tieText(kept: readonly StudentItem[], end: number, order: StudentOrder): string | undefined {
  const more = tiedAfter(kept, end, order);
  return more === 0
    ? undefined
    : `${counted(more, 'student')} not shown here ${more === 1 ? 'ties' : 'tie'} with the last one shown`;
}

/** The bounds of joining, of which the end is excluded; undefined without a filter. */
function joinedPeriod({ joined_after: after, joined_before: before }: StudentFilters, context: ToolContext) {
  if (after === undefined && before === undefined) return undefined;
  return { from: timeOf(after), to: timeOf(before) ?? context.now().getTime(), timezone: context.timezone };
}

/** "12 of 1500 students match, joined from 2026-03-10"; if students are missing, the first words say it. */
function matchText(matching: number, { students }: StudentsReading, problem?: string, period?: Period): string {
  const all = counted(students.length, 'student');
  const joined = period === undefined ? '' : `, joined ${localPeriodText(period)}`;
  if (problem === undefined) return `${matching} of ${all} match${joined}`;
  return `${incompleteBecause(problem)}: at least ${matching} match, of ${all} read${joined}`;
}

/** The students whose names are nearest to a name without a match. */
function nearestNames({ students }: StudentsReading, { name }: StudentFilters, dayOf: RowTime): Json {
  const named = students.filter(({ name: own }) => own !== undefined);
  if (name === undefined || named.some((one) => hasWords(one.name ?? '', name))) return {};
  const near = nearest(name, named, (one) => one.name ?? '');
  return near.length === 0 ? {} : { nearest: near.map((one) => studentRow(one, ['id', 'name', 'email'], dayOf)) };
}

function coverageOf(read: StudentsReading, problem: string | undefined, context: ToolContext) {
  return {
    complete: problem === undefined,
    ...(problem === undefined ? {} : { stopped: problem }),
    pages_read: read.pagesRead,
    requests_spent: context.spent(),
    ...sourceFacts([], context.readAt()),
  };
}

function countsOf(matching: number, read: StudentsReading, problem: string | undefined): Json {
  const isWhole = read.pagesLeft === 0 && read.problem === undefined;
  return {
    ...(problem === undefined ? {} : { counts_are: 'at least' }),
    matching,
    ...(isWhole ? { total: read.students.length } : { read: read.students.length }),
  };
}

/** The students that match, counted by country. */
export function presentCountries(read: StudentsReading, selection: Selection, context: ToolContext): Presented {
  const { kept, lacking } = selectStudents(read.students, selection.filters, undefined);
  const problem = readingProblem(read, lacking, selection.maxRequests);
  const countries = countByCountry(kept);
  const without = kept.filter(lacksLocation).length;
  const coverage = coverageOf(read, problem, context);
  const answer = (most: number) => ({
    summary: `${matchText(kept.length, read, problem, joinedPeriod(selection.filters, context))}, of ${counted(countries.length, 'country')}.`,
    data: coverageFirst(
      {
        ...countsOf(kept.length, read, problem),
        ...(without === 0 ? {} : { without_location: without }),
        note: 'country: the last part of the location that a student wrote',
        groups: countries.slice(0, most),
        coverage,
      },
      coverage,
    ),
  });
  return withCut(answer, countries.length, 'filter by location');
}

/** The students that match, a part of them at a time. */
export function presentSelection(read: StudentsReading, selection: Selection, context: ToolContext): Presented {
  const { filters, given, order, columns, limit, first, start, scope, maxRequests } = selection;
  const { kept, lacking } = selectStudents(read.students, filters, order);
  const dayOf = rowTimes(context.timezone);
  const from = start?.at ?? first;
  const wanted = kept.slice(from, from + limit);
  const problem = readingProblem(read, lacking, maxRequests);
  const isChanged = start !== undefined && start.of !== kept.length;
  const asGiven = problem === undefined ? { filters, given } : { filters: {}, given: {} };
  const { note: why } = isChanged
    ? { note: `${start.of} matched when the first part was read: rows may be missing or repeated` }
    : emptyNote(read, kept.length, from, asGiven, context.now());
  const period = joinedPeriod(filters, context);
  const coverage = coverageOf(read, problem, context);
  const changeable =
    order !== undefined && read.pagesLeft > 0 ? 'students that are not read yet can change who comes first' : undefined;
  const same = given.name === undefined ? undefined : sharedNamesText(kept);
  const answer = (most: number) => {
    const end = from + Math.min(most, wanted.length);
    const shown = wanted.length === 0 ? 'none shown' : `shown ${from + 1} to ${end}`;
    const by = order === undefined ? '' : `, ${orderText(order)}`;
    const tie = order === undefined || wanted.length === 0 ? undefined : tieText(kept, end, order);
    const note = [why, tie, changeable, placelessNote(read, filters), same]
      .filter((part) => part !== undefined)
      .join('; ');
    return {
      summary: `${matchText(kept.length, read, problem, period)}, ${shown}${by}.`,
      data: coverageFirst(
        {
          ...countsOf(kept.length, read, problem),
          ...(period && { joined: periodFacts(period) }),
          ...(end < kept.length
            ? { next_cursor: context.cursors.write(windowCursor, { at: end, of: kept.length }, scope) }
            : {}),
          ...(note === '' ? {} : { note }),
          ...nearestNames(read, filters, dayOf),
          ...(end > from ? { students: wanted.slice(0, most).map((item) => studentRow(item, columns, dayOf)) } : {}),
          coverage,
        },
        coverage,
      ),
    };
  };
  const tables = { students: shapeOf(kept, columns, { isAllRead: read.pagesLeft === 0, dayOf }) };
  return { ...withCut(answer, wanted.length, 'go on with next_cursor'), tables };
}
