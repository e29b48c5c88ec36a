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
import { type FullAllowance, minutesText, steadyMinutes } from '../../src/insights/wait-estimate.ts';
import { textShown } from '../../src/mcp/confirmation/argument-lines.ts';
import { counted } from '../../src/mcp/output/text-format.ts';
import { AcademyError } from '../../src/shared/errors.ts';
import type { StudentLookup } from '../../src/workflows/enrollment/student-lookup.ts';

/** Where it cannot be told what somebody holds, the client looks at the student and their orders again before it writes. */
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
  readonly includesDoubtful: boolean;
  /** The confirmed call reads the plan once more before it enrolls. */
  readonly isReadAgain: boolean;
}

/** Requests of the confirmed call: each product and each person is looked up, and who lacks something is enrolled. */
function requestsOf(due: readonly EnrollStep[], { grant, lookup, isReadAgain }: Planned): number {
  const products = Object.values(grant).filter((id) => id !== undefined).length;
  const isInDoubt = ({ person }: EnrollStep) => lookup.get(buyerKey(person.email))?.isCertain === false;
  const looks = [...lookup.values()].reduce((sum, { requests }) => sum + requests, 0);
  const reads = (products + looks) * (isReadAgain ? 2 : 1);
  return reads + due.filter(isInDoubt).length * looksInDoubt + due.length;
}

const emailsOf = (steps: readonly Step[]) => steps.map(({ person }) => person.email);
/** Of somebody new the name is written too: it is part of what is agreed to. */
const peopleOf = (steps: readonly Step[]) =>
  steps.map(({ person: { email, name } }) => (name === undefined ? email : `${email} ${textShown(name)}`));
const reasonsOf = (steps: readonly IdleStep[]) => steps.map(({ person, why }) => `${person.email} (${why})`);

const doubtsOf = (steps: readonly EnrollStep[], holdingsOf: (person: Person) => Holdings) =>
  steps.map(({ person }) => `${person.email} (${holdingsOf(person).why})`);

function costText(requests: number, allowance: FullAllowance): string {
  const minutes = minutesText(steadyMinutes(requests, allowance));
  return `Cost: at most ${counted(requests, 'request')}, and one more after each wait for the limit; ${minutes}.`;
}

/** For whom nothing is sent. */
interface Idle {
  readonly skipped: readonly IdleStep[];
  readonly doubtful: readonly IdleStep[];
  readonly refused: readonly IdleStep[];
}

function countsOf({ skipped, doubtful, refused }: Idle): string {
  const doubts = doubtful.length === 0 ? '' : ` Doubtful, left out: ${doubtful.length}.`;
  return `Skipped: ${skipped.length}. Not possible: ${refused.length}.${doubts}`;
}

function idleLines({ skipped, doubtful, refused }: Idle): string[] {
  return [
    ...listed('Skipped', reasonsOf(skipped)),
    ...listed('Doubtful, left out', reasonsOf(doubtful)),
    ...listed('Not possible', reasonsOf(refused)),
  ];
}

/** Nobody is asked to agree to nothing. */
function nobodyDue(idle: Idle): AcademyError {
  const { doubtful, refused } = idle;
  const hints = [
    ...(doubtful.length === 0
      ? []
      : ['Look at who is doubtful with student_profile, then call again with include_doubtful true.']),
    ...(refused.length === 0
      ? []
      : ['To enroll those who are not possible, mend what is said of them and call again.']),
  ];
  return new AcademyError('not_applied', ['nobody is left to enroll', countsOf(idle), ...idleLines(idle)].join('\n'), {
    hint: hints.length === 0 ? 'Nothing is left to do, and nothing to agree to.' : hints.join(' '),
    outcome: 'not_applied',
  });
}

/** The plan, for the one who confirms it. Throws `not_applied` where nobody is to be enrolled. */
export function enrollmentPlanLines(planned: Planned, allowance: FullAllowance): string[] {
  const { students, grant, lookup, includesDoubtful } = planned;
  const holdingsOf = ({ email }: Person) => lookup.get(buyerKey(email)) ?? nobody;
  const steps = planEnrollment(students, grant, holdingsOf, includesDoubtful);
  const due = steps.filter((step) => step.do === 'enroll');
  const of = (kind: IdleStep['do']) => steps.flatMap((step) => (step.do === kind ? [step] : []));
  const idle = { skipped: of('skip'), doubtful: of('doubt'), refused: of('refuse') };
  if (due.length === 0) throw nobodyDue(idle);
  const newcomers = due.filter(({ isNew }) => isNew);
  const doubtful = due.filter(({ isDoubtful }) => isDoubtful);
  return [
    `To enroll: ${counted(due.length, 'student')}, ${newcomers.length} of them new. ${countsOf(idle)}`,
    ...listed('New', peopleOf(newcomers)),
    ...listed('Students already', emailsOf(due.filter(({ isNew, isDoubtful }) => !isNew && !isDoubtful))),
    ...listed('Doubtful, enrolled all the same', doubtsOf(doubtful, holdingsOf)),
    ...idleLines(idle),
    costText(requestsOf(due, planned), allowance),
  ];
}
