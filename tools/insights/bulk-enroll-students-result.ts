import * as z from 'zod';
import type { BadEntry } from '../../src/insights/enrollment/list-entries.ts';
import type { Grant } from '../../src/insights/enrollment/plan.ts';
import { counted } from '../../src/mcp/output/text-format.ts';
import type { Presented, ToolContext } from '../../src/mcp/tool.ts';
import { oneLine } from '../../src/shared/clean-text.ts';
import type { Enrollment, EnrollmentState } from '../../src/workflows/enrollment/enroll-list.ts';

const states: readonly EnrollmentState[] = [
  'applied',
  'already_there',
  'skipped',
  'doubtful',
  'failed',
  'unknown',
  'not_started',
];

export const enrollmentsOutput = z.looseObject({
  course_id: z.int().optional(),
  bundle_id: z.int().optional(),
  totals: z.record(z.string(), z.int()).describe('Number by state').optional(),
  students: z.record(z.string(), z.string()).describe('State by email').optional(),
  plan: z.array(z.string()).describe('Without confirm').optional(),
  next: z.string().optional(),
  requests_spent: z.int().optional(),
});

/** What to do about the students in a state. */
const nextSteps: Partial<Record<EnrollmentState, string>> = {
  doubtful:
    'doubtful: nothing was sent, because it is unclear what they hold; check with student_profile, then send them again with include_doubtful true',
  unknown:
    'unknown: the enrollment was sent, but its result was not seen; check with student_profile before you repeat it for them',
  failed: 'failed: nothing was changed for them; fix the stated problem and send the list again',
  not_started: 'not_started: send the same list again to continue',
};

/** The results for entries that are wrong in themselves, by their number in the list. */
export function refusedEntries(bad: readonly BadEntry[]): Enrollment[] {
  return bad.map(({ number, email, why }) => ({ email: `${number}. ${oneLine(email, 200)}`, state: 'failed', why }));
}

/** The number of students in each state, without states that have none. */
function totalsOf(enrollments: readonly Enrollment[]): [EnrollmentState, number][] {
  const count = (state: EnrollmentState) => enrollments.filter((one) => one.state === state).length;
  return states.map((state): [EnrollmentState, number] => [state, count(state)]).filter(([, number]) => number !== 0);
}

/** One entry per email. For a duplicate, the first line has the result. */
function stateByEmail(enrollments: readonly Enrollment[]): Record<string, string> {
  const states = new Map<string, string>();
  for (const { email, state, why } of enrollments) {
    if (!states.has(email)) states.set(email, why === undefined ? state : `${state}: ${oneLine(why, 400)}`);
  }
  return Object.fromEntries(states);
}

/** `granted` names the course and the bundle in words. */
export function presentEnrollments(
  granted: string,
  grant: Grant,
  enrollments: readonly Enrollment[],
  { spent }: Pick<ToolContext, 'spent'>,
): Presented {
  const totals = totalsOf(enrollments);
  const next = totals.flatMap(([state]) => nextSteps[state] ?? []);
  const parts = totals.map(([state, number]) => `${number} ${state.replaceAll('_', ' ')}`);
  return {
    summary: `${granted.charAt(0).toUpperCase()}${granted.slice(1)} for ${counted(enrollments.length, 'student')}: ${parts.join(', ')}.`,
    data: {
      ...grant,
      totals: Object.fromEntries(totals),
      students: stateByEmail(enrollments),
      ...(next.length > 0 ? { next: next.join('. ') } : {}),
      requests_spent: spent(),
    },
  };
}
