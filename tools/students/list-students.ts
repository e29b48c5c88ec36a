import * as z from 'zod';
import { unreadableEntries } from '../../src/api/http/answer-facts.ts';
import { dateOrTime, describedOnce, integer, limitedText } from '../../src/contract/schemas/input-fields.ts';
import type { ParsedResponse } from '../../src/contract/schemas/response.ts';
import * as students from '../../src/contract/students.ts';
import { resolveMoment } from '../../src/insights/period.ts';
import { type RowTime, rowTimes } from '../../src/insights/row-time.ts';
import { type StudentFilters, studentSorts } from '../../src/insights/students/select-students.ts';
import { countUnreadable, type UnreadableKind } from '../../src/insights/unreadable.ts';
import { defineApiTool } from '../../src/mcp/define-api-tool.ts';
import { windowArguments, windowCursor } from '../../src/mcp/list-window.ts';
import { listOutput, pageOutput, recordOutput } from '../../src/mcp/output/output-schemas.ts';
import { presentPage, verifyPage } from '../../src/mcp/output/pagination.ts';
import { defineTool, type Presented, type ToolContext } from '../../src/mcp/tool.ts';
import { refuseInput } from '../../src/shared/invalid-input.ts';
import { requestsAllowed } from '../../src/workflows/requests-allowed.ts';
import { shownPages } from '../../src/workflows/scan-store.ts';
import { readAllStudents } from '../../src/workflows/students/read-all-students.ts';
import { maxRequests } from '../insights/shared-arguments.ts';
import { presentCountries, presentSelection, studentRow } from './select-students-result.ts';

/** API document: "Limits". */
const perPage = 50;

const { facebook_link: _facebook, twitter_link: _twitter, ...fields } = students.student.shape;
const shown = { ...fields, joined: z.string() };

/** The columns of a call that names none. */
const usualColumns = ['id', 'name', 'email', 'joined', 'points', 'completion_percent', 'location'];

type Student = ParsedResponse<(typeof students.listStudents)['response']>['items'][number];

const known = Object.keys(students.student.shape);

/** Includes fields outside the contract: some platforms show paying_student and total_completion here. */
function shownStudent(student: Student, chosen: readonly string[] = usualColumns, dayOf: RowTime) {
  const others = Object.keys(student).filter((name) => !known.includes(name));
  return studentRow(student, chosen === usualColumns ? [...chosen, ...others] : chosen, dayOf);
}

/** Unreadable values of the students, by kind. */
function unreadableIn(items: readonly Student[]): UnreadableKind[] {
  return items.flatMap(({ email, completion_percent }): UnreadableKind[] => [
    ...(email === undefined ? (['emails'] as const) : []),
    ...(completion_percent === undefined ? (['percentages'] as const) : []),
  ]);
}

const chosenColumns = z
  .array(z.enum([...usualColumns, ...Object.keys(shown).filter((name) => !usualColumns.includes(name))]))
  .min(1)
  .max(20)
  .describe(`Default the first ${usualColumns.length}`)
  .optional();

/** One page of the API. */
const onePage = defineApiTool({
  name: 'list_students',
  toolset: 'students',
  title: 'List students',
  description:
    'Lists all our students (members), who joined (signed up) most recently, with points and completion: pages of 50 or, filtered or sorted, all. Finds a student by name or country. One: student_profile, buyers: find_buyers, finished: list_completed_students.',
  cost: { requests: 1, per: 'page of 50 students (filtered: first twice)' },
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
      noun: 'students',
      list: 'students',
      rows: items.map((item) => shownStudent(item, chosen, dayOf)),
      columns: chosen ?? usualColumns,
      ...verifyPage({ ...question, lost: unreadableEntries(answer) }, shownPages(stores, 'list_students')),
      size: perPage,
      unreadable: countUnreadable(unreadableIn(items)),
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

const joinedBounds = ['joined_after', 'joined_before'] as const;

/** The filters with bounds in UTC: a date means midnight in the time zone of the academy. */
async function inUtc(given: StudentFilters, timezone: string): Promise<StudentFilters> {
  const bounds = joinedBounds.map(async (name) => {
    const written = given[name];
    if (written === undefined) return {};
    return { [name]: new Date(await resolveMoment(name, written, timezone)).toISOString() };
  });
  return Object.assign({ ...given }, ...(await Promise.all(bounds)));
}

/** A cursor belongs to the same filters and order. */
function scopeOf({ limit: _limit, cursor: _cursor, max_requests: _most, columns: _columns, ...question }: Arguments) {
  return ['list_students', JSON.stringify(question)] as const;
}

async function select(page: number, input: Arguments, context: ToolContext): Promise<Presented> {
  const { limit = 50, cursor, max_requests, columns: chosen = usualColumns, sort, reverse, group_by, ...given } = input;
  const scope = scopeOf(input);
  const start = cursor === undefined ? undefined : context.cursors.readUnsigned(windowCursor, cursor, scope);
  const filters = await inUtc(given, context.timezone);
  const order = sort && { sort, isReversed: reverse === true };
  const allowed = await requestsAllowed(max_requests, context);
  const read = await readAllStudents(cursor !== undefined || page > 1, allowed, context);
  const present = group_by === undefined ? presentSelection : presentCountries;
  return present(
    read,
    {
      filters,
      given,
      order,
      columns: chosen,
      limit,
      first: (page - 1) * limit,
      start,
      scope,
      maxRequests: max_requests,
    },
    context,
  );
}

export const listStudents = defineTool({
  ...onePage,
  input,
  check: (input, { cursors }) => {
    const { page, cursor, ...rest } = input;
    if (rest.reverse !== undefined && rest.sort === undefined) throw refuseInput(['reverse needs sort']);
    if (page !== undefined && cursor !== undefined) throw refuseInput(['give either page or cursor, not both']);
    if (cursor !== undefined) cursors.readUnsigned(windowCursor, cursor, scopeOf(rest));
  },
  run: async (input, context) => {
    const { page = 1, ...rest } = input;
    return isSelection(input) ? await select(page, rest, context) : await onePage.run(input, context);
  },
});
