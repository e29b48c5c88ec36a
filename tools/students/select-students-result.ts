import type * as z from 'zod';
import { student } from '../../src/contract/students.ts';
import { emptyPeriodNote, filtersText } from '../../src/insights/empty-period.ts';
import { rowTimes } from '../../src/insights/row-time.ts';
import {
  type StudentFilters,
  type StudentItem,
  type StudentSort,
  type StudentsReading,
  selectStudents,
} from '../../src/insights/students/select-students.ts';
import { windowCursor } from '../../src/mcp/list-window.ts';
import { sanitizeRecord } from '../../src/mcp/output/sanitize.ts';
import { pageTable, scannedTable, type TableShape } from '../../src/mcp/output/table-shape.ts';
import { counted, inline } from '../../src/mcp/output/text-format.ts';
import type { Presented, ToolContext } from '../../src/mcp/tool.ts';
import type { CursorScope } from '../../src/shared/cursor.ts';
import type { Json } from '../../src/shared/json.ts';
import { sourceFacts } from '../../src/workflows/mirror-freshness.ts';
import { moreRequests } from '../../src/workflows/requests-allowed.ts';
import { incompleteBecause } from '../../src/workflows/sales/resumable-scan.ts';
import { withCut } from '../cut-answer.ts';

interface Selection {
  readonly filters: StudentFilters;
  readonly sort: StudentSort | undefined;
  readonly columns: readonly string[];
  readonly limit: number;
  /** Row at which a call without cursor starts. */
  readonly first: number;
  readonly start: z.output<typeof windowCursor> | undefined;
  readonly asked: CursorScope;
}

/** The day of `created_at`. Days are those of the filters by the time of joining: UTC. */
const joined = 'joined';
const dayOf = rowTimes('UTC');

const sourceOf = (column: string) => (column === joined ? 'created_at' : column);

/** The student with only these columns, in their order. */
export function studentRow(item: StudentItem, columns: readonly string[]): Json {
  const sources = new Set(columns.map(sourceOf));
  const shown = sanitizeRecord(student, Object.fromEntries(Object.entries(item).filter(([name]) => sources.has(name))));
  const { created_at, ...others } = shown;
  const day = typeof created_at === 'string' ? { [joined]: dayOf(created_at) } : {};
  const values: Json = { ...shown, ...day };
  const ordered = columns.flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]]]));
  return { ...Object.fromEntries(ordered), ...(columns.includes('created_at') ? shown : others) };
}

/** The table of every page. It is made of the values as they are read: cleaning each text of a long list takes long. */
function shapeOf(kept: readonly StudentItem[], columns: readonly string[], isAllRead: boolean): TableShape {
  const given = ([name, value]: [string, unknown]) => columns.includes(name) && value !== undefined && value !== null;
  const rows = kept.map((item) =>
    Object.fromEntries(Object.entries({ ...item, [joined]: dayOf(item.created_at) }).filter(given)),
  );
  const shape = scannedTable(rows, columns, isAllRead);
  const [first] = kept;
  // A table needs a column.
  if (first === undefined || shape.columns.length === 0) return pageTable(rows, columns);
  return { ...shape, same: studentRow(first, Object.keys(shape.same)) };
}

/** Why students may be missing from the answer; undefined if none are. */
function problemOf({ problem, pagesLeft }: StudentsReading, lacking: Readonly<Record<string, number>>) {
  const parts = [
    ...(problem === undefined ? [] : [problem]),
    ...(pagesLeft > 0 ? [`${counted(pagesLeft, 'page')} or more not read: ${moreRequests}`] : []),
    ...Object.entries(lacking).map(([field, count]) => `${counted(count, 'student')} without ${field} left out`),
  ];
  return parts.length === 0 ? undefined : parts.join('; ');
}

/** Why no student is shown, if the whole list was read. */
function emptyNote({ students }: StudentsReading, matching: number, from: number, filters: StudentFilters, now: Date) {
  if (matching > from) return {};
  if (matching > 0) return { note: `row ${from + 1} is beyond the last match, ${matching}` };
  const { joined_after, joined_before } = filters;
  const given = filtersText(filters, inline);
  const impossible = emptyPeriodNote({ created_after: joined_after, created_before: joined_before }, now);
  if (impossible !== undefined) return { note: impossible.replaceAll('created_', 'joined_') };
  return given === '' ? {} : { note: `none of the ${counted(students.length, 'student')} fits ${given}` };
}

/** The students that match, a part of them at a time. */
export function presentSelection(read: StudentsReading, selection: Selection, context: ToolContext): Presented {
  const { filters, sort, columns, limit, first, start, asked } = selection;
  const { kept, lacking } = selectStudents(read.students, filters, sort);
  const from = start?.at ?? first;
  const wanted = kept.slice(from, from + limit);
  const problem = problemOf(read, lacking);
  const isChanged = start !== undefined && start.of !== kept.length;
  const changed = isChanged
    ? { note: `${start.of} matched when the first part was read: rows may be missing or repeated` }
    : emptyNote(read, kept.length, from, problem === undefined ? filters : {}, context.now());
  const coverage = {
    complete: problem === undefined,
    ...(problem === undefined ? {} : { stopped: problem }),
    pages_read: read.pagesRead,
    requests_spent: context.spent(),
    ...sourceFacts(read.copied, context.now()),
  };
  const answer = (most: number) => {
    const end = from + Math.min(most, wanted.length);
    const shown = wanted.length === 0 ? 'none shown' : `shown ${from + 1} to ${end}`;
    const by = sort === undefined ? '' : `, by ${sort}`;
    return {
      summary: `${problem === undefined ? '' : `${incompleteBecause(problem)}: `}${kept.length} of ${counted(read.students.length, 'student')} match, ${shown}${by}.`,
      data: {
        matching: kept.length,
        ...(read.pagesLeft > 0 ? { read: read.students.length } : { total: read.students.length }),
        ...(end < kept.length
          ? { next_cursor: context.cursors.write(windowCursor, { at: end, of: kept.length }, asked) }
          : {}),
        ...changed,
        ...(end > from ? { students: wanted.slice(0, most).map((item) => studentRow(item, columns)) } : {}),
        coverage,
      },
    };
  };
  const tables = { students: shapeOf(kept, columns, read.pagesLeft === 0) };
  return { ...withCut(answer, wanted.length, 'go on with next_cursor'), tables };
}
