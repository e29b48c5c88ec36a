import type { BadEntry } from '../../src/insights/enrollment/plan.ts';
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
import { type FullBudget, minutesAtFullBudget, minutesText } from '../../src/insights/wait-estimate.ts';
import { textShown } from '../../src/mcp/confirmation/argument-lines.ts';
import { counted } from '../../src/mcp/output/text-format.ts';
import { AcademyError } from '../../src/shared/errors.ts';
import type { StudentLookup } from '../../src/workflows/enrollment/student-lookup.ts';

/** If it is unclear what a student holds, the client reads the student and their orders again before it writes. */
const readsIfDoubtful = 2;
/** Longest line of facts, in characters, that a person can still read. */
const maxLine = 1_900;

/** Splits the emails into several lines, so that no truncation hides a student from the person who confirms. */
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

interface PlanInput {
  readonly students: readonly Person[];
  /** Entries that are wrong in themselves. */
  readonly bad: readonly BadEntry[];
  readonly grant: Grant;
  readonly lookup: StudentLookup;
  readonly includesDoubtful: boolean;
  /** Other students of the name of a person. */
  readonly namesakesOf: (person: Person) => string | undefined;
  /** Whether the confirmed call reads the plan once more before it enrolls. */
  readonly isReadAgain: boolean;
}

/** Requests of the confirmed call: it looks up each product and each student, and enrolls each student who lacks a product. */
function requestsOf(due: readonly EnrollStep[], { grant, lookup, isReadAgain }: PlanInput): number {
  const products = Object.values(grant).filter((id) => id !== undefined).length;
  const isInDoubt = ({ person }: EnrollStep) => lookup.get(buyerKey(person.email))?.isCertain === false;
  const lookups = [...lookup.values()].reduce((sum, { requests }) => sum + requests, 0);
  const reads = (products + lookups) * (isReadAgain ? 2 : 1);
  return reads + due.filter(isInDoubt).length * readsIfDoubtful + due.length;
}

const emailsOf = (steps: readonly Step[]) => steps.map(({ person }) => person.email);
/** Includes the name of a new student, which is part of what the person confirms. */
const emailsAndNamesOf = (steps: readonly Step[]) =>
  steps.map(({ person: { email, name } }) => (name === undefined ? email : `${email} ${textShown(name)}`));
const reasonsOf = (steps: readonly IdleStep[]) => steps.map(({ person, why }) => `${person.email} (${why})`);

const doubtsOf = (steps: readonly EnrollStep[], holdingsOf: (person: Person) => Holdings) =>
  steps.map(({ person }) => `${person.email} (${holdingsOf(person).why})`);

function costText(requests: number, allowance: FullBudget): string {
  const minutes = minutesText(minutesAtFullBudget(requests, allowance));
  return `Cost: at most ${counted(requests, 'request')}, and one more after each wait for the rate limit; ${minutes}.`;
}

/** The students for whom nothing is sent. */
interface Idle {
  readonly skipped: readonly IdleStep[];
  readonly doubtful: readonly IdleStep[];
  readonly refused: readonly IdleStep[];
  readonly bad: readonly BadEntry[];
}

function countsOf({ skipped, doubtful, refused, bad }: Idle): string {
  const doubts = doubtful.length === 0 ? '' : ` Doubtful, left out: ${doubtful.length}.`;
  return `Skipped: ${skipped.length}. Not possible: ${refused.length + bad.length}.${doubts}`;
}

/** The number finds the entry again, even if its email is blank or cannot be read. */
const entryText = ({ number, email, why }: BadEntry) => `${number}. ${why}: ${textShown(email)}`;

function idleLines({ skipped, doubtful, refused, bad }: Idle): string[] {
  return [
    ...listed('Skipped', reasonsOf(skipped)),
    ...listed('Doubtful, left out', reasonsOf(doubtful)),
    ...listed('Not possible', [...reasonsOf(refused), ...bad.map(entryText)]),
  ];
}

/** Refuses a plan without enrollments, so that no empty plan is confirmed. */
function nothingToEnroll(idle: Idle): AcademyError {
  const { doubtful, refused, bad } = idle;
  const hints = [
    ...(doubtful.length === 0
      ? []
      : ['Check the doubtful students with student_profile, then call again with include_doubtful true.']),
    ...(refused.length + bad.length === 0
      ? []
      : ['For the students listed as not possible, fix the stated problem and call again.']),
  ];
  return new AcademyError(
    'not_applied',
    ['no student is left to enroll', countsOf(idle), ...idleLines(idle)].join('\n'),
    {
      hint: hints.length === 0 ? 'Nothing is left to do.' : hints.join(' '),
      outcome: 'not_applied',
    },
  );
}

/** The plan, for the person who confirms it. Throws `not_applied` if it enrolls nobody. */
export function enrollmentPlanLines(input: PlanInput, allowance: FullBudget): string[] {
  const { students, bad, grant, lookup, includesDoubtful } = input;
  const holdingsOf = ({ email }: Person) => lookup.get(buyerKey(email)) ?? nobody;
  const steps = planEnrollment(students, grant, holdingsOf, includesDoubtful);
  const due = steps.filter((step) => step.do === 'enroll');
  const of = (kind: IdleStep['do']) => steps.flatMap((step) => (step.do === kind ? [step] : []));
  const idle = { skipped: of('skip'), doubtful: of('doubt'), refused: of('refuse'), bad };
  if (due.length === 0) throw nothingToEnroll(idle);
  const newcomers = due.filter(({ isNew }) => isNew);
  const doubtful = due.filter(({ isDoubtful }) => isDoubtful);
  const namesakes = due.flatMap(({ person: { email, name } }) => {
    const others = input.namesakesOf({ email, name: name ?? holdingsOf({ email }).name });
    return others === undefined ? [] : [`${email} (${others})`];
  });
  return [
    `To enroll: ${counted(due.length, 'student')}, ${newcomers.length} of them new. ${countsOf(idle)}`,
    ...listed('New', emailsAndNamesOf(newcomers)),
    ...listed('Existing students', emailsOf(due.filter(({ isNew, isDoubtful }) => !isNew && !isDoubtful))),
    ...listed('Doubtful, enrolled anyway', doubtsOf(doubtful, holdingsOf)),
    ...listed('Check the email', namesakes),
    ...idleLines(idle),
    costText(requestsOf(due, input), allowance),
  ];
}
