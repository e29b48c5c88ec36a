import * as z from 'zod';
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
  totals: z.record(z.string(), z.int()).describe('How many became what'),
  students: z.record(z.string(), z.string()).describe('Email to what became of it'),
  next: z.string().optional(),
  requests_spent: z.int(),
});

const after: Partial<Record<EnrollmentState, string>> = {
  doubtful:
    'doubtful: nothing was sent, as it cannot be told what they hold; look with student_profile, then send them again with include_doubtful true',
  unknown: 'unknown: it was sent and its effect was not seen; look with student_profile before you repeat it for them',
  failed: 'failed: nothing was changed for them; mend what is said and send the list again',
  not_started: 'not_started: send the same list again to go on',
};

/** How many came to each state, where any did. */
function totalsOf(enrollments: readonly Enrollment[]): [EnrollmentState, number][] {
  const count = (state: EnrollmentState) => enrollments.filter((one) => one.state === state).length;
  return states.map((state): [EnrollmentState, number] => [state, count(state)]).filter(([, number]) => number !== 0);
}

/** One entry an email: of two that are the same, the first, which did something. */
function listChangesOf(enrollments: readonly Enrollment[]): Record<string, string> {
  const fates = new Map<string, string>();
  for (const { email, state, why } of enrollments) {
    if (!fates.has(email)) fates.set(email, why === undefined ? state : `${state}: ${oneLine(why, 400)}`);
  }
  return Object.fromEntries(fates);
}

/** `what` says in words what was granted. */
export function presentEnrollments(
  what: string,
  grant: Grant,
  enrollments: readonly Enrollment[],
  { spent }: Pick<ToolContext, 'spent'>,
): Presented {
  const totals = totalsOf(enrollments);
  const next = totals.flatMap(([state]) => after[state] ?? []);
  const parts = totals.map(([state, number]) => `${number} ${state.replaceAll('_', ' ')}`);
  return {
    summary: `${what.charAt(0).toUpperCase()}${what.slice(1)} for ${counted(enrollments.length, 'student')}: ${parts.join(', ')}.`,
    data: {
      ...grant,
      totals: Object.fromEntries(totals),
      students: listChangesOf(enrollments),
      ...(next.length > 0 ? { next: next.join('. ') } : {}),
      requests_spent: spent(),
    },
  };
}
