import { student } from '../../../contract/students.ts';
import type { Assumption, JsonRecord } from '../assumption.ts';
import { fieldDifferences } from '../field-differences.ts';
import { enrolledCourseDifferences, paidOrderDifferences } from '../student-details.ts';
import { checkPercentage } from '../value-checks.ts';
import { differencesIn, differs, holds } from '../value-shapes.ts';

function isRequested({ email }: JsonRecord, requested: string | undefined): boolean {
  return typeof email === 'string' && email.trim().toLowerCase() === requested?.toLowerCase();
}

/** What to do without details is the same for whatever they leave out. */
const fallback =
  'read: other keys, ids and enrollment records. Cannot tell: everything else; what a student holds is read from list_orders first';

export const detailAssumptions: readonly Assumption[] = [
  {
    id: 'details.student',
    statement: 'Details are of the student whose email was asked for.',
    undocumented: 'Student details: key names and nested shapes not shown; how an email is compared is not shown',
    fallback: 'cannot tell: details without that email are not used as that student',
    impact: 'details of a student cannot be trusted: who holds a product is read from orders alone',
    check: ({ details, email }) => {
      if (details === undefined) return undefined;
      return isRequested(details, email) ? holds : differs('details show another email, or none');
    },
  },
  {
    id: 'details.fields',
    statement: 'Details have the fields of the list of students.',
    undocumented: 'Student details: "the student attributes"',
    fallback: 'read: what is missing is left out of answers; other fields are kept',
    impact: 'answers leave these fields out',
    check: ({ details }) => details && fieldDifferences(student, [details], ['email']),
  },
  {
    id: 'details.paid-orders',
    statement: 'Details hold whole orders under `paid_orders`.',
    undocumented: 'Student details: key names and nested shapes not shown',
    fallback,
    impact: 'orders of a student are read from list_orders alone, without those that only details would show',
    check: ({ details }) => details && paidOrderDifferences(details),
  },
  {
    id: 'details.enrolled-courses',
    statement: 'Details hold courses with id and title under `enrolled_courses`.',
    undocumented: 'Student details: key names and nested shapes not shown',
    fallback,
    impact:
      'a course that was not given by an order may not be seen: bulk_enroll_students may call the student doubtful',
    check: ({ details }) => details && enrolledCourseDifferences(details),
  },
  {
    id: 'details.counts',
    statement: 'Details hold `lesson_views_count` and `lesson_completions_count`.',
    undocumented: 'Student details: key names not shown',
    fallback: 'read: fields with other names are passed on as they are',
    impact: 'answers show these numbers under the name that the platform gives them, or not at all',
    check: ({ details }) => {
      if (details === undefined) return undefined;
      const missing = ['lesson_views_count', 'lesson_completions_count'].filter((key) => !Object.hasOwn(details, key));
      return missing.flatMap((key) => differs(`details show no ${key}`));
    },
  },
  {
    id: 'details.paying',
    statement: 'Details hold `paying_student`, true or false.',
    undocumented: 'Student: the flag is documented, not where it is shown',
    fallback: 'cannot tell: the effect of unenroll_student cannot be seen',
    impact: 'after an unclear unenroll_student nobody can tell whether it worked',
    check: ({ details }) => {
      if (details === undefined) return undefined;
      return typeof details.paying_student === 'boolean' ? holds : differs('details show no paying_student');
    },
  },
  {
    id: 'details.completion',
    statement: 'Details hold `total_completion`, a whole number from 0 to 100.',
    undocumented: 'Student: "a total_completion value"; range and place are not shown',
    fallback: 'read: `completion_percent` in its place. Counted as unreadable (`percentages`): what is no percentage',
    impact: 'overall progress of a student may be unknown',
    check: ({ details }) => details && differencesIn([details.total_completion], checkPercentage),
  },
];
