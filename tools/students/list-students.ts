import * as students from '../../src/contract/students.ts';
import { defineApiTool } from '../../src/mcp/define-api-tool.ts';
import { listOutput, pageOutput, recordOutput } from '../../src/mcp/output/output-schemas.ts';
import { pageFacts, presentPage } from '../../src/mcp/output/paging.ts';
import { sanitizeRecord } from '../../src/mcp/output/sanitize.ts';

/** API document: "Limits". */
const perPage = 50;

const { facebook_link: _facebook, twitter_link: _twitter, ...shown } = students.student.shape;
const fields = Object.keys(shown);

export const listStudents = defineApiTool({
  name: 'list_students',
  toolset: 'students',
  title: 'List students',
  description:
    'Lists all students, 50 a page, with activity, points and completion. No search: for one student use get_student_details, for buyers list_orders, for those who finished list_completed_students. Read-only; one request a page.',
  operation: students.listStudents,
  output: listOutput('students', recordOutput(shown), pageOutput),
  present: ({ items, meta }, { page = 1 }) => {
    const rows = items.map((student) => sanitizeRecord(students.student, student, fields));
    const facts = pageFacts(meta, meta?.total_students, page, { records: items.length, size: perPage });
    const { cut: _smallerPages, ...answer } = presentPage({
      noun: 'students',
      list: 'students',
      rows,
      facts,
      size: perPage,
    });
    return answer;
  },
});
