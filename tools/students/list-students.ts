import { unreadableEntries } from '../../src/api/http/unreadable-paths.ts';
import type { ParsedResponse } from '../../src/contract/schemas/response.ts';
import * as students from '../../src/contract/students.ts';
import { countUnreadable, type UnreadableKind } from '../../src/insights/unreadable.ts';
import { defineApiTool } from '../../src/mcp/define-api-tool.ts';
import { listOutput, pageOutput, recordOutput } from '../../src/mcp/output/output-schemas.ts';
import { verifyPage } from '../../src/mcp/output/page-completeness.ts';
import { presentPage } from '../../src/mcp/output/pagination.ts';
import { sanitizeRecord } from '../../src/mcp/output/sanitize.ts';
import { shownPages } from '../../src/workflows/scan-store.ts';

/** API document: "Limits". */
const perPage = 50;

const { facebook_link: _facebook, twitter_link: _twitter, ...shown } = students.student.shape;

type Student = ParsedResponse<(typeof students.listStudents)['response']>['items'][number];

/** Includes fields outside the contract: some platforms show paying_student and total_completion here. */
function rowOf({ facebook_link: _facebook, twitter_link: _twitter, ...student }: Student) {
  return sanitizeRecord(students.student, student);
}

/** Unreadable values of the students, by kind. */
function unreadableIn(items: readonly Student[]): UnreadableKind[] {
  return items.flatMap(({ email, completion_percent }): UnreadableKind[] => [
    ...(email === undefined ? (['emails'] as const) : []),
    ...(completion_percent === undefined ? (['percentages'] as const) : []),
  ]);
}

export const listStudents = defineApiTool({
  name: 'list_students',
  toolset: 'students',
  title: 'List students',
  description:
    'Lists all students, 50 a page, with activity, points and completion. No search: for one student use get_student_details, for buyers list_orders, for students who finished list_completed_students.',
  cost: { requests: 1, per: 'page' },
  example: { page: 1 },
  operation: students.listStudents,
  output: listOutput('students', recordOutput(shown), pageOutput),
  present: (answer, { page = 1 }, _titles, _told, { stores }) => {
    const { items, meta } = answer;
    const question = { page, size: perPage, meta, total: meta?.total_students, records: items };
    const { cut: _smallerPages, ...shownPage } = presentPage({
      noun: 'students',
      list: 'students',
      rows: items.map(rowOf),
      columns: Object.keys(shown),
      ...verifyPage({ ...question, lost: unreadableEntries(answer) }, shownPages(stores, 'list_students')),
      size: perPage,
      unreadable: countUnreadable(unreadableIn(items)),
    });
    return shownPage;
  },
});
