import {
  alreadyHeld,
  type BadEntry,
  type EnrollStep,
  type Person,
  type Step,
} from '../../src/insights/enrollment/plan.ts';
import type { Kept, Leaver } from '../../src/insights/enrollment/roster.ts';
import { buyerKey, isGrantedOrder, type SoldOrder } from '../../src/insights/sales/sold-order.ts';
import { textShown } from '../../src/mcp/confirmation/confirmation-message.ts';
import { counted } from '../../src/mcp/output/text-format.ts';
import { quotedName } from '../../src/mcp/titles.ts';
import { AcademyError } from '../../src/shared/errors.ts';
import { firstOf } from '../../src/shared/invalid-input.ts';
import type { Pass, RosterPlan } from '../../src/workflows/enrollment/roster.ts';
import { grantText } from '../../src/workflows/enrollment/student-lookup.ts';
import { type FullBudget, minutesAtFullBudget, minutesText } from '../../src/workflows/requests-allowed.ts';
import { productNamed } from '../../src/workflows/students/loss-lines.ts';

/** If it is unclear what a student holds, the client reads the student and their orders again before it writes. */
const readsIfDoubtful = 2;
/** Reads before each change, of a student whom the plan has not read alone: the details, and the orders of two spellings. */
const readsBefore = 3;
/** The new orders are read at the end, for their ids. */
const ordersPerPage = 100;
/** Longest line of facts, in characters, that a person can still read. */
const maxLine = 1_900;
/** Most rows of a file of one kind that are shown one by one. */
const maxRows = 60;
/** Most holders who stay that are named. */
const maxKept = 5;

/** Splits texts into several lines, so that no truncation hides a student from the person who confirms. */
function listed(label: string, texts: readonly string[]): string[] {
  const lines: string[] = [];
  for (const text of texts) {
    const longer = `${lines.at(-1)}, ${text}`;
    if (lines.length > 0 && longer.length < maxLine) lines.splice(-1, 1, longer);
    else lines.push(`${label}: ${text}`);
  }
  return lines.map((line) => `${line}.`);
}

/** "rows 2-31, 33". */
export function rowsText(rows: readonly number[]): string {
  const sorted = [...rows].sort((one, other) => one - other);
  const runs: [number, number][] = [];
  for (const row of sorted) {
    const last = runs.at(-1);
    if (last !== undefined && row <= last[1] + 1) last[1] = row;
    else runs.push([row, row]);
  }
  return runs.map(([from, to]) => (from === to ? String(from) : `${from}-${to}`)).join(', ');
}

/** The number finds the entry again, even if its email is blank or cannot be read. */
const entryText = ({ number, email, why }: BadEntry, isFile: boolean) =>
  `${isFile ? `row ${number}` : `${number}.`} ${why}: ${textShown(email)}`;
/** Includes the name of a new student, which is part of what the person confirms. */
const withName = ({ email, name }: Person) => (name === undefined ? email : `${email} ${textShown(name)}`);

const isDue = (step: Step): step is EnrollStep => step.do === 'enroll';
const isHeld = (step: Step) => step.do === 'skip' && step.isHeld === true && step.why === alreadyHeld;

/** One enrollment. People of a file are shown by their rows, other than those whom a person should look at. */
function passLines({ steps, lookup }: Pass, { question: { list } }: RosterPlan): string[] {
  const isFile = list.columns !== undefined;
  const all = steps.map((step, index) => ({ step, row: list.rows[index] ?? 0 }));
  const of = (isWanted: (step: Step) => boolean) => all.filter(({ step }) => isWanted(step));
  const named = (label: string, isWanted: (step: Step) => boolean, text: (person: Person) => string) => {
    const some = of(isWanted);
    if (isFile && some.length > 0) return [`${label}: rows ${rowsText(some.map(({ row }) => row))}.`];
    return listed(
      label,
      some.map(({ step }) => text(step.person)),
    );
  };
  const whyOf = (step: Step) => (isDue(step) ? lookup.get(buyerKey(step.person.email))?.why : step.why);
  const why = (label: string, isWanted: (step: Step) => boolean, bad: readonly BadEntry[] = []) => {
    const some = of(isWanted);
    const texts = some.map(({ step, row }) => `${isFile ? `row ${row} ` : ''}${step.person.email} (${whyOf(step)})`);
    const both = [texts, bad.map((one) => entryText(one, isFile))];
    return listed(
      label,
      isFile ? both.flatMap((one) => (one.length > 0 ? [firstOf(one, maxRows, ', ')] : [])) : both.flat(),
    );
  };
  const isOf = (what: Step['do']) => (step: Step) => step.do === what;
  const isNew = (step: Step) => isDue(step) && step.isNew;
  const isDoubted = (step: Step) => isDue(step) && step.isDoubtful;
  const count = (isWanted: (step: Step) => boolean) => of(isWanted).length;
  const [due, doubts] = [count(isDue), count(isOf('doubt'))];
  return [
    [
      ...(due === 0 ? [] : [`To enroll: ${counted(due, 'student')}, ${count(isNew)} of them new.`]),
      `Skipped: ${count(isOf('skip'))}. Not possible: ${count(isOf('refuse')) + list.bad.length}.`,
      ...(doubts === 0 ? [] : [`Doubtful, left out: ${doubts}.`]),
    ].join(' '),
    ...named('New', isNew, withName),
    ...named(
      'Existing students',
      (step) => isDue(step) && !isNew(step) && !isDoubted(step),
      ({ email }) => email,
    ),
    ...why('Doubtful, enrolled anyway', isDoubted),
    ...(isFile ? named('Already there', isHeld, withName) : []),
    ...why('Skipped', (step) => step.do === 'skip' && !(isFile && isHeld(step))),
    ...why('Doubtful, left out', isOf('doubt')),
    ...why('Not possible', isOf('refuse'), list.bad),
  ];
}

function orderText(order: SoldOrder): string {
  const how = isGrantedOrder(order) ? 'granted' : (order.status ?? 'of unknown status');
  return `order ${order.id} (${how}${order.created_at === undefined ? '' : `, ${order.created_at.slice(0, 10)}`})`;
}

/** Always by name, with every order that loses something. */
function leaverLine({ email, name, products, orders }: Leaver): string {
  const who = name === undefined ? email : `${email} ${quotedName(name, 100)}`;
  return `  ${who} loses ${products.map(({ ref }) => ref).join(', ')}: ${orders.map(orderText).join(', ')}.`;
}

/** How many, and the first of them. */
function keptLines(label: string, kept: readonly Kept[]): string[] {
  const texts = kept.map(({ email, why }) => `${email} (${why})`);
  return kept.length === 0 ? [] : listed(`${label}: ${kept.length}`, [firstOf(texts, maxKept, ', ')]);
}

function absentLines({ question: { removes }, absent, holders }: RosterPlan): string[] {
  const { leavers, paid, doubtful } = absent;
  const others = leavers.length + paid.length + doubtful.length;
  if (!removes) return others === 0 ? [] : [`Not on the list: ${others} of ${holders} holders; they keep it.`];
  return [
    `To remove: ${leavers.length} of ${holders} holders.`,
    ...leavers.map(leaverLine),
    ...keptLines('Not on the list, but paid, so kept', paid),
    ...keptLines('Not on the list, but doubtful, so kept', doubtful),
  ];
}

/** Requests of the confirmed call: what is read again, then a look at each student before their change. */
function requestsOf({ question, passes, absent, requests: planned }: RosterPlan, isReadAgain: boolean): number {
  const { products, isShort, removes } = question;
  const again = isReadAgain ? 2 : 1;
  const enrollments = passes.map(({ steps, lookup }) => {
    const due = steps.filter(isDue);
    const inDoubt = due.filter(({ person }) => lookup.get(buyerKey(person.email))?.isCertain === false);
    const alone = [...lookup.values()].reduce((sum, { requests }) => sum + requests, 0);
    const reads = isShort ? alone * again : due.length * readsBefore;
    return reads + inDoubt.length * readsIfDoubtful + due.length + Math.ceil(due.length / ordersPerPage);
  });
  const losses = removes ? absent.leavers.flatMap((one) => one.products).length * (readsBefore + 1) : 0;
  return enrollments.reduce((sum, one) => sum + one, (products.length + (isShort ? 0 : planned)) * again + losses);
}

/** Throws `not_applied` for a plan that changes nobody, and for one that would remove too many. */
export function refuseIdle(plan: RosterPlan): void {
  const { question, passes, absent, stop } = plan;
  const isBad = question.list.bad.length > 0;
  const refuse = (first: string, hint: string) =>
    new AcademyError('not_applied', [first, ...bodyLines(plan)].join('\n'), { hint, outcome: 'not_applied' });
  if (stop !== undefined) {
    const more = `Only if this is right: max_removals ${absent.leavers.length}.`;
    throw refuse(`${stop}. Nothing is changed.`, isBad ? 'Correct these rows, or call with remove "none".' : more);
  }
  const all = passes.flatMap(({ steps }) => steps);
  if (all.some(isDue) || (question.removes && absent.leavers.length > 0)) return;
  const isAny = (what: Step['do']) => all.some((step) => step.do === what);
  const doubtful = 'Check the doubtful students with student_profile, then call again with include_doubtful true.';
  const bad = 'For the students listed as not possible, fix the stated problem and call again.';
  const hints = [...(isAny('doubt') ? [doubtful] : []), ...(isBad || isAny('refuse') ? [bad] : [])];
  throw refuse('no student is left to enroll', hints.join(' ') || 'Nothing is left to do.');
}

function bodyLines(plan: RosterPlan): string[] {
  const { question, passes } = plan;
  const { columns } = question.list;
  return [
    ...(columns === undefined ? [] : [`The list: ${columns}.`]),
    ...passes.flatMap((pass) => [
      ...(passes.length > 1 ? [`For ${grantText(pass.request.grant, pass.request.titles)}:`] : []),
      ...passLines(pass, plan),
    ]),
    ...absentLines(plan),
  ];
}

/** Those who get something and share their name with others. A list that shows no names is compared row by row already. */
function namesakeLines(
  { question: { list }, passes }: RosterPlan,
  namesakesOf: (person: Person) => string | undefined,
) {
  if (list.columns !== undefined) return [];
  const texts = passes.flatMap(({ steps, lookup }) =>
    steps.flatMap(({ do: action, person: { email, name } }) => {
      const others = namesakesOf({ email, name: name ?? lookup.get(buyerKey(email))?.name });
      return action !== 'enroll' || others === undefined ? [] : [`${email} (${others})`];
    }),
  );
  return listed('Check the email', [...new Set(texts)]);
}

interface PlanTerms {
  readonly allowance: FullBudget;
  /** Whether the confirmed call reads the plan once more. */
  readonly isReadAgain: boolean;
  /** The other students of the name of a person. */
  readonly namesakesOf: (person: Person) => string | undefined;
}

/** The plan, for the person who confirms it. */
export function rosterPlanLines(plan: RosterPlan, { allowance, isReadAgain, namesakesOf }: PlanTerms): string[] {
  refuseIdle(plan);
  const requests = requestsOf(plan, isReadAgain);
  const minutes = minutesText(minutesAtFullBudget(requests, allowance));
  const cost = `Cost: at most ${counted(requests, 'request')}, more after a wait for the rate limit, an unclear write or sales meanwhile; ${minutes}.`;
  // A code or a person's answer is bound to the plan already.
  const version = isReadAgain
    ? []
    : [`With base_version ${plan.version}, it changes nothing if the list or the academy has changed.`];
  return [
    `Products: ${plan.question.products.map(productNamed).join(', ')}.`,
    ...bodyLines(plan),
    ...namesakeLines(plan, namesakesOf),
    cost,
    ...version,
  ];
}
