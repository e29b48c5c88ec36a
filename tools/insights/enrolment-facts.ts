import * as z from 'zod';
import { oneLine } from '../../src/clean.ts';
import { type Allowance, minutesText, steadyMinutes } from '../../src/insights/cost.ts';
import { type Grant, grantText, type Step } from '../../src/insights/enrolment.ts';
import type { Enrolment, EnrolmentState } from '../../src/mcp/enroll-each.ts';
import type { Presented, ToolContext } from '../../src/mcp/tool.ts';
import { counted } from './sales-facts.ts';

const states: readonly EnrolmentState[] = ['applied', 'skipped', 'failed', 'unknown', 'not_started'];

export const bulkOutput = z.looseObject({
  course_id: z.int().optional(),
  bundle_id: z.int().optional(),
  totals: z.record(z.string(), z.int()).describe('applied, skipped, failed, unknown, not_started'),
  students: z.record(z.string(), z.string()).describe('Email to what became of it'),
  next: z.string().optional(),
  requests_spent: z.int(),
});

/** Looking whether it was done a moment ago, and writing. */
const requestsEach = 3;
/** Characters of a line of facts: one who confirms sees no more than 2,000 of each. */
const longestLine = 1_900;

/** Nobody who is to be confirmed may fall off the end of a line. */
function listed(label: string, emails: readonly string[]): string[] {
  const lines: string[] = [];
  for (const email of emails) {
    const longer = `${lines.at(-1)}, ${email}`;
    if (lines.length > 0 && longer.length < longestLine) lines.splice(-1, 1, longer);
    else lines.push(`${label}: ${email}`);
  }
  return lines.map((line) => `${line}.`);
}

/** The plan, for the one who confirms it. */
export function planFacts(steps: readonly Step[], allowance: Allowance): string[] {
  const due = steps.flatMap((step) => (step.do === 'enroll' ? [step] : []));
  const left = (kind: 'skip' | 'refuse') => steps.flatMap((step) => (step.do === kind ? [step] : []));
  const why = (kind: 'skip' | 'refuse') => left(kind).map((step) => `${step.person.email} (${step.why})`);
  const most = due.length * requestsEach;
  return [
    `To enroll: ${counted(due.length, 'student')}, ${due.filter(({ isNew }) => isNew).length} of them new. Skipped: ${left('skip').length}. Not possible: ${left('refuse').length}.`,
    ...listed(
      'New',
      due.filter(({ isNew }) => isNew).map(({ person }) => person.email),
    ),
    ...listed(
      'Students already',
      due.filter(({ isNew }) => !isNew).map(({ person }) => person.email),
    ),
    ...listed('Skipped', why('skip')),
    ...listed('Not possible', why('refuse')),
    `Cost: at most ${counted(most, 'request')}, ${minutesText(steadyMinutes(most, allowance))}.`,
  ];
}

const after: Partial<Record<EnrolmentState, string>> = {
  unknown: 'unknown: it was sent and its effect was not seen; look with student_profile before you repeat it for them',
  failed: 'failed: nothing was changed for them; mend what is said and send the list again',
  not_started: 'not_started: send the same list again to go on',
};

/** One entry an email: of two in other capitals, the one that did something. */
export function presentEnrolments(
  grant: Grant,
  enrolments: readonly Enrolment[],
  { spent }: Pick<ToolContext, 'spent'>,
): Presented {
  const { course_id, bundle_id } = grant;
  const count = (state: EnrolmentState) => enrolments.filter((one) => one.state === state).length;
  const totals = Object.fromEntries(states.map((state) => [state, count(state)]).filter(([, number]) => number !== 0));
  const students = new Map<string, string>();
  for (const { email, state, why } of enrolments) {
    if (!students.has(email)) students.set(email, why === undefined ? state : `${state}: ${oneLine(why, 300)}`);
  }
  const next = states.flatMap((state) => (count(state) > 0 ? (after[state] ?? []) : []));
  const parts = Object.entries(totals).map(([state, number]) => `${number} ${state.replace('_', ' ')}`);
  return {
    summary: `${grantText(grant)} for ${counted(enrolments.length, 'student')}: ${parts.join(', ')}.`,
    data: {
      ...(course_id === undefined ? {} : { course_id }),
      ...(bundle_id === undefined ? {} : { bundle_id }),
      totals,
      students: Object.fromEntries(students),
      ...(next.length > 0 ? { next: next.join('. ') } : {}),
      requests_spent: spent(),
    },
  };
}
