import { student } from '../../../contract/students.ts';
import type { Assumption, JsonRecord } from '../assumption.ts';
import { fieldDifferences } from '../field-differences.ts';
import { differencesIn, differs, holds } from '../mask-value.ts';
import { enrolledCourseDifferences, paidOrderDifferences } from '../student-details.ts';
import { checkPercentage } from '../value-checks.ts';

function isRequested({ email }: JsonRecord, requested: string | undefined): boolean {
  return typeof email === 'string' && email.trim().toLowerCase() === requested?.toLowerCase();
}

export const detailAssumptions: readonly Assumption[] = [
  {
    id: 'details.student',
    statement: 'Details belong to the student with the requested email.',
    undocumented: 'Student details: key names and nested shapes not shown; how an email is compared is not shown',
    fallback: 'cannot tell: details without that email are not used as that student',
    impact: 'student details cannot be trusted: only orders show who holds a product',
    check: ({ details, email }) => {
      if (details === undefined) return undefined;
      return isRequested(details, email) ? holds : differs('details show another email, or none');
    },
  },
  {
    id: 'details.fields',
    statement: 'Details have the fields of the list of students.',
    undocumented: 'Student details: "the student attributes"',
    fallback: 'read: answers leave out missing fields and keep other fields',
    impact: 'answers leave out these fields',
    check: ({ details }) => details && fieldDifferences(student, [details], ['email']),
  },
  {
    id: 'details.paid-orders',
    statement: 'Details contain complete orders under `paid_orders`.',
    undocumented: 'Student details: key names and nested shapes not shown',
    fallback:
      'read: the key `orders`. Cannot tell: everything else; list_orders is the first source of what a student holds',
    impact: 'orders of a student come only from list_orders, without those that only details would show',
    check: ({ details }) => details && paidOrderDifferences(details),
  },
  {
    id: 'details.enrolled-courses',
    statement: 'Details contain courses with id and title under `enrolled_courses`.',
    undocumented: 'Student details: key names and nested shapes not shown',
    fallback:
      'read: the key `courses`, bare ids, `course_id`. Cannot tell: everything else; list_orders is the first source of what a student holds',
    impact: 'a course without an order may be missed: bulk_enroll_students may call the student doubtful',
    check: ({ details }) => details && enrolledCourseDifferences(details),
  },
  {
    id: 'details.counts',
    statement: 'Details contain `lesson_views_count` and `lesson_completions_count`.',
    undocumented: 'Student details: key names not shown',
    fallback: 'read: fields with other names are returned unchanged',
    impact: 'answers show these numbers under the names of the platform, or not at all',
    check: ({ details }) => {
      if (details === undefined) return undefined;
      const missing = ['lesson_views_count', 'lesson_completions_count'].filter((key) => !Object.hasOwn(details, key));
      return missing.flatMap((key) => differs(`details show no ${key}`));
    },
  },
  {
    id: 'details.paying',
    statement: 'Details contain `paying_student`, true or false.',
    undocumented: 'Student: the flag is documented; which answer shows it is not',
    fallback: 'cannot tell: no answer shows the effect of unenroll_student',
    impact: 'after an unclear unenroll_student, its outcome stays unknown',
    check: ({ details }) => {
      if (details === undefined) return undefined;
      return typeof details.paying_student === 'boolean' ? holds : differs('details show no paying_student');
    },
  },
  {
    id: 'details.completion',
    statement: 'Details contain `total_completion`, a whole number from 0 to 100.',
    undocumented: 'Student: "a total_completion value"; range and place are not shown',
    fallback: 'read: `completion_percent` instead. Counted as unreadable (`percentages`): other values',
    impact: 'the overall progress of a student may be unknown',
    check: ({ details }) => details && differencesIn([details.total_completion], checkPercentage),
  },
];
