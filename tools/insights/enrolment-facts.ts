import * as z from 'zod';
import { oneLine } from '../../src/clean.ts';
import { type FullAllowance, minutesText, steadyMinutes } from '../../src/insights/cost.ts';
import {
  type EnrolStep,
  type Grant,
  grantText,
  type IdleStep,
  type Person,
  planEnrolment,
  type Standing,
  type Step,
} from '../../src/insights/enrolment.ts';
import { buyerKey } from '../../src/insights/sold-order.ts';
import type { Enrolment, EnrolmentState } from '../../src/mcp/enroll-each.ts';
import type { Roster } from '../../src/mcp/roster.ts';
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

/** Where the API does not show paid orders, the client looks at the student and their orders before it writes. */
const looksInDoubt = 2;
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

const nobody: Standing = { isStudent: false, holdsCourse: false, holdsBundle: false };

/** What a plan is made of. */
interface Planned {
  readonly students: readonly Person[];
  readonly grant: Grant;
  readonly roster: Roster;
  /** The confirmed call reads the plan once more before it enrolls. */
  readonly isReadAgain: boolean;
}

/** Requests of the confirmed call: each product and each person is looked up, and who lacks something is enrolled. */
function requestsOf(due: readonly EnrolStep[], { grant, roster, isReadAgain }: Planned): number {
  const products = Object.values(grant).filter((id) => id !== undefined).length;
  const isInDoubt = ({ person }: EnrolStep) => roster.get(buyerKey(person.email))?.isCertain === false;
  const reads = (products + roster.size) * (isReadAgain ? 2 : 1);
  return reads + due.filter(isInDoubt).length * looksInDoubt + due.length;
}

const emailsOf = (steps: readonly Step[]) => steps.map(({ person }) => person.email);
const reasonsOf = (steps: readonly IdleStep[]) => steps.map(({ person, why }) => `${person.email} (${why})`);

/** The plan, for the one who confirms it. */
export function planFacts(planned: Planned, allowance: FullAllowance): string[] {
  const { students, grant, roster } = planned;
  const steps = planEnrolment(students, grant, ({ email }) => roster.get(buyerKey(email)) ?? nobody);
  const due = steps.filter((step) => step.do === 'enroll');
  const idle = (kind: IdleStep['do']) => steps.flatMap((step) => (step.do === kind ? [step] : []));
  const [skipped, refused] = [idle('skip'), idle('refuse')];
  const newcomers = due.filter(({ isNew }) => isNew);
  const requests = requestsOf(due, planned);
  const minutes = minutesText(steadyMinutes(requests, allowance));
  return [
    `To enroll: ${counted(due.length, 'student')}, ${newcomers.length} of them new. Skipped: ${skipped.length}. Not possible: ${refused.length}.`,
    ...listed('New', emailsOf(newcomers)),
    ...listed('Students already', emailsOf(due.filter(({ isNew }) => !isNew))),
    ...listed('Skipped', reasonsOf(skipped)),
    ...listed('Not possible', reasonsOf(refused)),
    `Cost: at most ${counted(requests, 'request')}, and one more after each wait for the limit; ${minutes}.`,
  ];
}

const after: Partial<Record<EnrolmentState, string>> = {
  unknown: 'unknown: it was sent and its effect was not seen; look with student_profile before you repeat it for them',
  failed: 'failed: nothing was changed for them; mend what is said and send the list again',
  not_started: 'not_started: send the same list again to go on',
};

/** How many came to each state, where any did. */
function totalsOf(enrolments: readonly Enrolment[]): [EnrolmentState, number][] {
  const count = (state: EnrolmentState) => enrolments.filter((one) => one.state === state).length;
  return states.map((state): [EnrolmentState, number] => [state, count(state)]).filter(([, number]) => number !== 0);
}

/** One entry an email: of two that are the same, the first, which did something. */
function fatesOf(enrolments: readonly Enrolment[]): Record<string, string> {
  const fates = new Map<string, string>();
  for (const { email, state, why } of enrolments) {
    if (!fates.has(email)) fates.set(email, why === undefined ? state : `${state}: ${oneLine(why, 300)}`);
  }
  return Object.fromEntries(fates);
}

export function presentEnrolments(
  grant: Grant,
  enrolments: readonly Enrolment[],
  { spent }: Pick<ToolContext, 'spent'>,
): Presented {
  const totals = totalsOf(enrolments);
  const next = totals.flatMap(([state]) => after[state] ?? []);
  const parts = totals.map(([state, number]) => `${number} ${state.replace('_', ' ')}`);
  return {
    summary: `${grantText(grant)} for ${counted(enrolments.length, 'student')}: ${parts.join(', ')}.`,
    data: {
      ...grant,
      totals: Object.fromEntries(totals),
      students: fatesOf(enrolments),
      ...(next.length > 0 ? { next: next.join('. ') } : {}),
      requests_spent: spent(),
    },
  };
}
