import { student } from '../../../contract/students.ts';
import { type Assumption, type Difference, type Listed, studentsAPage } from '../assumption.ts';
import { fieldDifferences } from '../field-differences.ts';
import { column, idOf } from '../response-records.ts';
import { asEmail, asPercentage, asTime } from '../value-checks.ts';
import { differencesIn, differs, holds } from '../value-shapes.ts';

function pageDifferences({ rows, meta }: Listed): readonly Difference[] {
  const total = idOf(meta.total_students);
  if (rows.length > studentsAPage) return differs(`a page holds ${rows.length} students`);
  const isShort = rows.length < studentsAPage && total !== undefined && total > rows.length;
  return isShort ? differs(`page 1 holds ${rows.length} of ${total} students`) : holds;
}

export const studentAssumptions: readonly Assumption[] = [
  {
    id: 'students.list',
    assumed: 'The list of students is under `students`, and each entry is a record.',
    silent: 'Endpoints, Students: documented',
    otherwise: 'read: a bare list or the only list of the answer',
    costs: 'these entries are missing from lists of students, which say that they are incomplete',
    check: ({ students }) => {
      if (students === undefined) return undefined;
      const elsewhere = students.key === 'students' ? [] : differs('the list is under another key', true);
      return [
        ...(students.strange > 0 ? differs(`entries that are no records: ${students.strange}`) : []),
        ...elsewhere,
      ];
    },
  },
  {
    id: 'students.fields',
    assumed: 'A student has the documented fields with the documented types.',
    silent: 'Student: documented',
    otherwise: 'read: what is missing is left out of answers; other fields are kept',
    costs: 'answers leave these fields out',
    check: ({ students }) =>
      students && fieldDifferences(student, students.rows, ['email', 'created_at', 'completion_percent']),
  },
  {
    id: 'students.total',
    assumed: '`meta.total_students` is the number of all students.',
    silent: 'Endpoints, Students: documented',
    otherwise: 'cannot tell: pages are read until one is empty or brings nothing new',
    costs: 'reading all students needs one request more, and no total proves that nobody is missing',
    check: ({ students }) => {
      if (students === undefined) return undefined;
      const { total_students: total } = students.meta;
      if (total === 0 && students.rows.length === 0) return holds;
      return idOf(total) === undefined ? differs('students carry no total') : holds;
    },
  },
  {
    id: 'students.page-size',
    assumed: `A page holds ${studentsAPage} students.`,
    silent: 'Limits: documented',
    otherwise: 'read: pages of any length are read',
    costs: 'reading all students needs more requests, or longer ones, than the tools say',
    check: ({ students }) =>
      students === undefined || students.rows.length === 0 ? undefined : pageDifferences(students),
  },
  {
    id: 'students.email',
    assumed: 'A student has an email address.',
    silent: 'Student: "email", type not shown',
    otherwise: 'counted as unreadable (`emails`)',
    costs: 'no tool can name these students',
    check: ({ students }) => students && differencesIn(column(students.rows, 'email'), asEmail),
  },
  {
    id: 'students.time',
    assumed: '`created_at` of a student is ISO 8601 in UTC.',
    silent: 'Resources: "ISO 8601 UTC strings"; precision and offset are not shown',
    otherwise: 'read: any precision and offset, and no offset as UTC. Counted as unreadable (`dates`): everything else',
    costs: 'these students fall into no period',
    check: ({ students }) => students && differencesIn(column(students.rows, 'created_at'), asTime),
  },
  {
    id: 'students.completion',
    assumed: '`completion_percent` is a whole number from 0 to 100.',
    silent: 'Student: "integer"; the range is not shown',
    otherwise:
      'read: 54.6, "54", "54%". Counted as unreadable (`percentages`): null, above 100, between 0 and 1, everything else',
    costs: 'progress is unknown for these students: answers about progress will be incomplete',
    check: ({ students }) => students && differencesIn(column(students.rows, 'completion_percent'), asPercentage),
  },
];
