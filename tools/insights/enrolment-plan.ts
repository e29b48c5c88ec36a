import { AcademyError } from '../../src/errors.ts';
import { type FullAllowance, minutesText, steadyMinutes } from '../../src/insights/cost.ts';
import {
  type EnrolStep,
  type Grant,
  type IdleStep,
  type Person,
  planEnrolment,
  type Standing,
  type Step,
} from '../../src/insights/enrolment.ts';
import { buyerKey } from '../../src/insights/sold-order.ts';
import { textShown } from '../../src/mcp/argument-lines.ts';
import { counted } from '../../src/mcp/render.ts';
import type { Roster } from '../../src/mcp/roster.ts';

/** Where it cannot be told what somebody holds, the client looks at the student and their orders again before it writes. */
const looksInDoubt = 2;
/** Characters of a line of facts, so that a person can read it. */
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
  readonly includesDoubtful: boolean;
  /** The confirmed call reads the plan once more before it enrolls. */
  readonly isReadAgain: boolean;
}

/** Requests of the confirmed call: each product and each person is looked up, and who lacks something is enrolled. */
function requestsOf(due: readonly EnrolStep[], { grant, roster, isReadAgain }: Planned): number {
  const products = Object.values(grant).filter((id) => id !== undefined).length;
  const isInDoubt = ({ person }: EnrolStep) => roster.get(buyerKey(person.email))?.isCertain === false;
  const looks = [...roster.values()].reduce((sum, { requests }) => sum + requests, 0);
  const reads = (products + looks) * (isReadAgain ? 2 : 1);
  return reads + due.filter(isInDoubt).length * looksInDoubt + due.length;
}

const emailsOf = (steps: readonly Step[]) => steps.map(({ person }) => person.email);
/** Of somebody new the name is written too: it is part of what is agreed to. */
const peopleOf = (steps: readonly Step[]) =>
  steps.map(({ person: { email, name } }) => (name === undefined ? email : `${email} ${textShown(name)}`));
const reasonsOf = (steps: readonly IdleStep[]) => steps.map(({ person, why }) => `${person.email} (${why})`);

const doubtsOf = (steps: readonly EnrolStep[], standingOf: (person: Person) => Standing) =>
  steps.map(({ person }) => `${person.email} (${standingOf(person).why})`);

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
export function planFacts(planned: Planned, allowance: FullAllowance): string[] {
  const { students, grant, roster, includesDoubtful } = planned;
  const standingOf = ({ email }: Person) => roster.get(buyerKey(email)) ?? nobody;
  const steps = planEnrolment(students, grant, standingOf, includesDoubtful);
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
    ...listed('Doubtful, enrolled all the same', doubtsOf(doubtful, standingOf)),
    ...idleLines(idle),
    costText(requestsOf(due, planned), allowance),
  ];
}
