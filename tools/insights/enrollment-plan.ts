import { type FullAllowance, minutesText, steadyMinutes } from '../../src/insights/cost.ts';
import {
  type EnrollStep,
  type Grant,
  type Holdings,
  type IdleStep,
  type Person,
  planEnrollment,
  type Step,
} from '../../src/insights/enrollment/plan.ts';
import { buyerKey } from '../../src/insights/sales/sold-order.ts';
import { textShown } from '../../src/mcp/confirmation/argument-lines.ts';
import { counted } from '../../src/mcp/output/text-format.ts';
import { AcademyError } from '../../src/shared/errors.ts';
import type { StudentLookup } from '../../src/workflows/enrollment/student-lookup.ts';

/** Where the API does not show paid orders, the client looks at the student and their orders before it writes. */
const looksInDoubt = 2;
/** Characters of a line of facts, so that a person can read it. */
const maxLine = 1_900;

/** Nobody who is to be confirmed may fall off the end of a line. */
function listed(label: string, emails: readonly string[]): string[] {
  const lines: string[] = [];
  for (const email of emails) {
    const longer = `${lines.at(-1)}, ${email}`;
    if (lines.length > 0 && longer.length < maxLine) lines.splice(-1, 1, longer);
    else lines.push(`${label}: ${email}`);
  }
  return lines.map((line) => `${line}.`);
}

const nobody: Holdings = { isStudent: false, holdsCourse: false, holdsBundle: false };

/** What a plan is made of. */
interface Planned {
  readonly students: readonly Person[];
  readonly grant: Grant;
  readonly lookup: StudentLookup;
  /** The confirmed call reads the plan once more before it enrolls. */
  readonly isReadAgain: boolean;
}

/** Requests of the confirmed call: each product and each person is looked up, and who lacks something is enrolled. */
function requestsOf(due: readonly EnrollStep[], { grant, lookup, isReadAgain }: Planned): number {
  const products = Object.values(grant).filter((id) => id !== undefined).length;
  const isInDoubt = ({ person }: EnrollStep) => lookup.get(buyerKey(person.email))?.isCertain === false;
  const reads = (products + lookup.size) * (isReadAgain ? 2 : 1);
  return reads + due.filter(isInDoubt).length * looksInDoubt + due.length;
}

const emailsOf = (steps: readonly Step[]) => steps.map(({ person }) => person.email);
/** Of somebody new the name is written too: it is part of what is agreed to. */
const peopleOf = (steps: readonly Step[]) =>
  steps.map(({ person: { email, name } }) => (name === undefined ? email : `${email} ${textShown(name)}`));
const reasonsOf = (steps: readonly IdleStep[]) => steps.map(({ person, why }) => `${person.email} (${why})`);

function costText(requests: number, allowance: FullAllowance): string {
  const minutes = minutesText(steadyMinutes(requests, allowance));
  return `Cost: at most ${counted(requests, 'request')}, and one more after each wait for the limit; ${minutes}.`;
}

/** Nobody is asked to agree to nothing. */
function nobodyDue(skipped: readonly IdleStep[], refused: readonly IdleStep[]): AcademyError {
  const counts = `Skipped: ${skipped.length}. Not possible: ${refused.length}.`;
  const each = [...listed('Skipped', reasonsOf(skipped)), ...listed('Not possible', reasonsOf(refused))];
  return new AcademyError('not_applied', ['nobody is left to enroll', counts, ...each].join('\n'), {
    hint:
      refused.length === 0
        ? 'Nothing is left to do, and nothing to agree to.'
        : 'To enroll those who are not possible, mend what is said of them and call again.',
    outcome: 'not_applied',
  });
}

/** The plan, for the one who confirms it. Throws `not_applied` where nobody is to be enrolled. */
export function planFacts(planned: Planned, allowance: FullAllowance): string[] {
  const { students, grant, lookup } = planned;
  const steps = planEnrollment(students, grant, ({ email }) => lookup.get(buyerKey(email)) ?? nobody);
  const due = steps.filter((step) => step.do === 'enroll');
  const idle = (kind: IdleStep['do']) => steps.flatMap((step) => (step.do === kind ? [step] : []));
  const [skipped, refused] = [idle('skip'), idle('refuse')];
  if (due.length === 0) throw nobodyDue(skipped, refused);
  const newcomers = due.filter(({ isNew }) => isNew);
  return [
    `To enroll: ${counted(due.length, 'student')}, ${newcomers.length} of them new. Skipped: ${skipped.length}. Not possible: ${refused.length}.`,
    ...listed('New', peopleOf(newcomers)),
    ...listed('Students already', emailsOf(due.filter(({ isNew }) => !isNew))),
    ...listed('Skipped', reasonsOf(skipped)),
    ...listed('Not possible', reasonsOf(refused)),
    costText(requestsOf(due, planned), allowance),
  ];
}
