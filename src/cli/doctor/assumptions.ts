import { course, listCourses } from '../../contract/courses.ts';
import { courseStructure } from '../../contract/schemas/lesson.ts';
import { student } from '../../contract/students.ts';
import { idOf } from '../../insights/sales/products-in-order.ts';
import { isObject } from '../../shared/json.ts';
import {
  type Assumption,
  checkEmail,
  checkId,
  checkPercentage,
  checkTime,
  differencesIn,
  differs,
  enrolledCourseDifferences,
  fieldDifferences,
  fields,
  holds,
  of,
  ofList,
  ofPage,
  paidOrderDifferences,
  records,
  repeatedLessons,
  sequenceDifferences,
  structureDifferences,
  studentPageDifferences,
  studentsPerPage,
  values,
} from './checks.ts';
import { accountAssumptions, orderAssumptions, platformAssumptions } from './order-assumptions.ts';

const missingFields = 'answers leave out these fields';
const leftOut = 'read: answers leave out missing fields';
const leftOutAndKept = 'read: answers leave out missing fields and keep other fields';
const bareList = 'read: a bare list, or the only list in the answer';

const courseAssumptions: readonly Assumption[] = [
  {
    id: 'courses.list',
    statement: 'The list of courses is complete, under `courses`, and each entry is a record.',
    undocumented: 'Endpoints, Courses: documented; a limit is not shown',
    fallback: bareList,
    impact: 'these entries are missing from lists of courses',
    check: records('courses'),
  },
  {
    id: 'courses.item',
    statement: 'A course of the list has the documented fields with the documented types.',
    undocumented: 'Course: documented',
    fallback: leftOut,
    impact: missingFields,
    check: fields('courses', listCourses.response.item, ['id']),
  },
  {
    id: 'courses.id',
    statement: 'The id of a course is a whole number.',
    undocumented: 'Resources: documented',
    fallback: 'read: digits as text. Records with other ids cannot be requested',
    impact: 'no tool can name these courses',
    check: values('courses', 'id', checkId),
  },
  {
    id: 'course.fields',
    statement: 'A course has the documented fields with the documented types.',
    undocumented: 'Course: documented; whether the record is bare is not shown',
    fallback: 'read: bare, under `course` or in a wrapper; answers leave out missing fields',
    impact: missingFields,
    check: of('course', (row) => fieldDifferences(course, [row])),
  },
  {
    id: 'structure.fields',
    statement: '`course`, `modules` with their `lessons`, and `ungrouped_lessons` are all present.',
    undocumented: 'Course structure: documented',
    fallback:
      'counted as unreadable (`lessons`): a list that is null, missing or nested; no outline is planned from it',
    impact: 'the structure is incomplete, and plan_course_outline refuses to plan from it',
    check: of('structure', structureDifferences),
  },
  {
    id: 'structure.course',
    statement: 'The structure contains its course with the documented fields.',
    undocumented: 'Course structure: documented',
    fallback: leftOut,
    impact: missingFields,
    check: of('structure', ({ course: named }) =>
      isObject(named) ? fieldDifferences(courseStructure.shape.course, [named]) : differs('the course is missing'),
    ),
  },
  {
    id: 'structure.sequence',
    statement: 'Lessons and modules are listed in the order of `sequence`: whole numbers, each once in its list.',
    undocumented: 'Course structure: "ordered"; by what, and whether numbers may repeat, is not shown',
    fallback: 'read: sorted by `sequence`. Cannot tell: null, repeated or unreadable numbers; the answer warns',
    impact: 'the order of lessons is uncertain, and apply_course_outline refuses lists with an unclear order',
    check: of('structure', sequenceDifferences),
  },
  {
    id: 'structure.once',
    statement: 'A lesson is listed once.',
    undocumented: 'Course structure: documented only for lessons without a module',
    fallback: 'cannot tell: the answer warns, and no outline is planned from it',
    impact: 'lessons are counted twice, and plan_course_outline refuses to plan from it',
    check: of('structure', repeatedLessons),
  },
];

const studentAssumptions: readonly Assumption[] = [
  {
    id: 'students.list',
    statement: 'The list of students is under `students`, and each entry is a record.',
    undocumented: 'Endpoints, Students: documented',
    fallback: bareList,
    impact: 'these entries are missing from lists of students; the lists say that they are incomplete',
    check: records('students'),
  },
  {
    id: 'students.fields',
    statement: 'A student has the documented fields with the documented types.',
    undocumented: 'Student: documented',
    fallback: leftOutAndKept,
    impact: missingFields,
    check: fields('students', student, ['email', 'created_at', 'completion_percent']),
  },
  {
    id: 'students.total',
    statement: '`meta.total_students` is the number of all students.',
    undocumented: 'Endpoints, Students: documented',
    fallback: 'cannot tell: pages are read until one is empty or brings nothing new',
    impact: 'reading all students takes one more request, and no total proves that the list is complete',
    check: ofList('students', ({ rows, meta: { total_students: total } }) => {
      const isEmpty = total === 0 && rows.length === 0;
      return isEmpty || idOf(total) !== undefined ? holds : differs('the students have no total');
    }),
  },
  {
    id: 'students.page-size',
    statement: `A page contains ${studentsPerPage} students.`,
    undocumented: 'Limits: documented',
    fallback: 'read: pages of any length',
    impact: 'reading all students takes more or larger requests than the tools announce',
    check: ofPage('students', studentPageDifferences),
  },
  {
    id: 'students.email',
    statement: 'A student has an email address.',
    undocumented: 'Student: "email", type not shown',
    fallback: 'counted as unreadable (`emails`)',
    impact: 'no tool can name these students',
    check: values('students', 'email', checkEmail),
  },
  {
    id: 'students.time',
    statement: '`created_at` of a student is ISO 8601 in UTC.',
    undocumented: 'Resources: "ISO 8601 UTC strings"; precision and offset are not shown',
    fallback:
      'read: any precision and offset, and no offset as UTC. Counted as unreadable (`dates`): everything else, such as a space instead of T',
    impact: 'these students belong to no period',
    check: values('students', 'created_at', checkTime),
  },
  {
    id: 'students.completion',
    statement: '`completion_percent` is a whole number from 0 to 100.',
    undocumented: 'Student: "integer"; the range is not shown',
    fallback:
      'read: 54.6, "54", "54%". Counted as unreadable (`percentages`): null, above 100, between 0 and 1, everything else',
    impact: 'the progress of these students is unknown: answers about progress are incomplete',
    check: values('students', 'completion_percent', checkPercentage),
  },
];

const withoutDetails = 'Cannot tell: everything else; list_orders is the first source of what a student holds';

const detailAssumptions: readonly Assumption[] = [
  {
    id: 'details.student',
    statement: 'Details belong to the student with the requested email.',
    undocumented: 'Student details: key names and nested shapes not shown; how an email is compared is not shown',
    fallback: 'cannot tell: details without that email are not used as that student',
    impact: 'student details cannot be trusted: only orders show who holds a product',
    check: of('details', ({ email }, { email: requested }) => {
      const isRequested = typeof email === 'string' && email.trim().toLowerCase() === requested?.toLowerCase();
      return isRequested ? holds : differs('details show another email, or none');
    }),
  },
  {
    id: 'details.fields',
    statement: 'Details have the fields of the list of students.',
    undocumented: 'Student details: "the student attributes"',
    fallback: leftOutAndKept,
    impact: missingFields,
    check: of('details', (row) => fieldDifferences(student, [row], ['email'])),
  },
  {
    id: 'details.paid-orders',
    statement: 'Details contain complete orders under `paid_orders`.',
    undocumented: 'Student details: key names and nested shapes not shown',
    fallback: `read: the key \`orders\`. ${withoutDetails}`,
    impact: 'orders of a student come only from list_orders, without those that only details would show',
    check: of('details', paidOrderDifferences),
  },
  {
    id: 'details.enrolled-courses',
    statement: 'Details contain courses with id and title under `enrolled_courses`.',
    undocumented: 'Student details: key names and nested shapes not shown',
    fallback: `read: the key \`courses\`, bare ids, \`course_id\`. ${withoutDetails}`,
    impact: 'a course without an order may be missed: sync_roster may call the student doubtful',
    check: of('details', enrolledCourseDifferences),
  },
  {
    id: 'details.counts',
    statement: 'Details contain `lesson_views_count` and `lesson_completions_count`.',
    undocumented: 'Student details: key names not shown',
    fallback: 'read: fields with other names are returned unchanged',
    impact: 'answers show these numbers under the names of the platform, or not at all',
    check: of('details', (row) => {
      const missing = ['lesson_views_count', 'lesson_completions_count'].filter((key) => !Object.hasOwn(row, key));
      return missing.flatMap((key) => differs(`details show no ${key}`));
    }),
  },
  {
    id: 'details.paying',
    statement: 'Details contain `paying_student`, true or false.',
    undocumented: 'Student: the flag is documented; which answer shows it is not',
    fallback: 'cannot tell: no answer shows the effect of unenroll_student',
    impact: 'after an unclear unenroll_student, its outcome stays unknown',
    check: of('details', (row) =>
      typeof row.paying_student === 'boolean' ? holds : differs('details show no paying_student'),
    ),
  },
  {
    id: 'details.completion',
    statement: 'Details contain `total_completion`, a whole number from 0 to 100.',
    undocumented: 'Student: "a total_completion value"; range and place are not shown',
    fallback: 'read: `completion_percent` instead. Counted as unreadable (`percentages`): other values',
    impact: 'the overall progress of a student may be unknown',
    check: of('details', (row) => differencesIn([row.total_completion], checkPercentage)),
  },
];

/** Every assumption that `doctor` checks, by the headings of docs/internals/api-assumptions.md. */
export const assumptions: Readonly<Record<string, readonly Assumption[]>> = {
  Platform: platformAssumptions,
  Account: accountAssumptions,
  Orders: orderAssumptions,
  Courses: courseAssumptions,
  Students: [...studentAssumptions, ...detailAssumptions],
};
