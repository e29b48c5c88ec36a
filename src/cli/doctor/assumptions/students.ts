import { student } from '../../../contract/students.ts';
import { idOf } from '../../../insights/sales/products-in-order.ts';
import { type Assumption, type Difference, type RecordList, studentsPerPage } from '../assumption.ts';
import { fieldDifferences } from '../field-differences.ts';
import { listDifferences } from '../list-differences.ts';
import { differencesIn, differs, holds } from '../mask-value.ts';
import { column } from '../response-records.ts';
import { checkEmail, checkPercentage, checkTime } from '../value-checks.ts';

function pageDifferences({ rows, meta }: RecordList): readonly Difference[] {
  const total = idOf(meta.total_students);
  if (rows.length > studentsPerPage) return differs(`a page contains ${rows.length} students`);
  const isShort = rows.length < studentsPerPage && total !== undefined && total > rows.length;
  return isShort ? differs(`page 1 contains ${rows.length} of ${total} students`) : holds;
}

export const studentAssumptions: readonly Assumption[] = [
  {
    id: 'students.list',
    statement: 'The list of students is under `students`, and each entry is a record.',
    undocumented: 'Endpoints, Students: documented',
    fallback: 'read: a bare list, or the only list in the answer',
    impact: 'these entries are missing from lists of students; the lists say that they are incomplete',
    check: ({ students }) => students && listDifferences(students, 'students'),
  },
  {
    id: 'students.fields',
    statement: 'A student has the documented fields with the documented types.',
    undocumented: 'Student: documented',
    fallback: 'read: answers leave out missing fields and keep other fields',
    impact: 'answers leave out these fields',
    check: ({ students }) =>
      students && fieldDifferences(student, students.rows, ['email', 'created_at', 'completion_percent']),
  },
  {
    id: 'students.total',
    statement: '`meta.total_students` is the number of all students.',
    undocumented: 'Endpoints, Students: documented',
    fallback: 'cannot tell: pages are read until one is empty or brings nothing new',
    impact: 'reading all students takes one more request, and no total proves that nobody is missing',
    check: ({ students }) => {
      if (students === undefined) return undefined;
      const { total_students: total } = students.meta;
      if (total === 0 && students.rows.length === 0) return holds;
      return idOf(total) === undefined ? differs('the students have no total') : holds;
    },
  },
  {
    id: 'students.page-size',
    statement: `A page contains ${studentsPerPage} students.`,
    undocumented: 'Limits: documented',
    fallback: 'read: pages of any length',
    impact: 'reading all students takes more or larger requests than the tools announce',
    check: ({ students }) =>
      students === undefined || students.rows.length === 0 ? undefined : pageDifferences(students),
  },
  {
    id: 'students.email',
    statement: 'A student has an email address.',
    undocumented: 'Student: "email", type not shown',
    fallback: 'counted as unreadable (`emails`)',
    impact: 'no tool can name these students',
    check: ({ students }) => students && differencesIn(column(students.rows, 'email'), checkEmail),
  },
  {
    id: 'students.time',
    statement: '`created_at` of a student is ISO 8601 in UTC.',
    undocumented: 'Resources: "ISO 8601 UTC strings"; precision and offset are not shown',
    fallback: 'read: any precision and offset, and no offset as UTC. Counted as unreadable (`dates`): everything else',
    impact: 'these students belong to no period',
    check: ({ students }) => students && differencesIn(column(students.rows, 'created_at'), checkTime),
  },
  {
    id: 'students.completion',
    statement: '`completion_percent` is a whole number from 0 to 100.',
    undocumented: 'Student: "integer"; the range is not shown',
    fallback:
      'read: 54.6, "54", "54%". Counted as unreadable (`percentages`): null, above 100, between 0 and 1, everything else',
    impact: 'the progress of these students is unknown: answers about progress are incomplete',
    check: ({ students }) => students && differencesIn(column(students.rows, 'completion_percent'), checkPercentage),
  },
];
