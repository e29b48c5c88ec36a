import { type Addition, alreadyHeld, type Fate, type Leaver, type Person } from '../../src/insights/enrollment/plan.ts';
import { buyerKey, isGrantedOrder, type SoldOrder } from '../../src/insights/sales/sold-order.ts';
import { textShown } from '../../src/mcp/confirmation/confirmation-message.ts';
import { counted } from '../../src/mcp/output/text-format.ts';
import { quotedName } from '../../src/mcp/titles.ts';
import { AcademyError } from '../../src/shared/errors.ts';
import { firstOf } from '../../src/shared/invalid-input.ts';
import { changesOf, type RosterPlan } from '../../src/workflows/enrollment/roster.ts';
import { type FullBudget, planCost } from '../../src/workflows/requests-allowed.ts';
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

/** Includes the name of a new student, which is part of what the person confirms. */
const withName = ({ email, name }: Person) => (name === undefined ? email : `${email} ${textShown(name)}`);
const isDue = ({ state }: Fate) => state === 'due';
const isHeld = ({ state, why }: Fate) => state === 'already_there' && why === alreadyHeld;

/** What a list does for one product. People of a file are shown by their rows, other than those whom a person should look at. */
function listLines(tasks: readonly Addition[], isFile: boolean): string[] {
  const named = (label: string, some: readonly Addition[], text = ({ email }: Person) => email) => {
    if (isFile && some.length > 0)
      return [`${label}: row${some.length === 1 ? '' : 's'} ${rowsText(some.map(({ entry }) => entry.number))}.`];
    return listed(
      label,
      some.map(({ person }) => text(person)),
    );
  };
  // The number finds an entry again, even if its email is blank or cannot be read.
  const explained = ({ entry: { number, email, problem }, why }: Addition) =>
    problem === undefined
      ? `${isFile ? `row ${number} ` : ''}${email} (${why})`
      : `${isFile ? `row ${number}` : `${number}.`} ${problem}: ${textShown(email)}`;
  const why = (label: string, some: readonly Addition[]) => {
    const texts = some.map(explained);
    return listed(label, isFile && texts.length > 0 ? [firstOf(texts, maxRows, ', ')] : texts);
  };
  const of = (...states: Fate['state'][]) => tasks.filter(({ state }) => states.includes(state));
  const [due, skipped, doubtful, failed] = [of('due'), of('already_there', 'skipped'), of('doubtful'), of('failed')];
  const fresh = due.filter(({ isNew }) => isNew);
  return [
    [
      ...(due.length === 0 ? [] : [`To enroll: ${counted(due.length, 'student')}, ${fresh.length} of them new.`]),
      `Skipped: ${skipped.length}. Not possible: ${failed.length}.`,
      ...(doubtful.length === 0 ? [] : [`Doubtful, left out: ${doubtful.length}.`]),
    ].join(' '),
    ...named('New', fresh, withName),
    ...named(
      'Existing students',
      due.filter((one) => !one.isNew && one.why === undefined),
    ),
    ...why(
      'Doubtful, enrolled anyway',
      due.filter((one) => one.why !== undefined),
    ),
    ...(isFile ? named('Already there', skipped.filter(isHeld)) : []),
    ...why('Skipped', isFile ? skipped.filter((one) => !isHeld(one)) : skipped),
    ...why('Doubtful, left out', doubtful),
    ...why('Not possible', failed),
  ];
}

/** With the bundles of the order that stay on it. */
function orderText(order: SoldOrder, taken: Leaver['products']): string {
  const how = isGrantedOrder(order) ? 'granted' : (order.status ?? 'of unknown status');
  const day = order.created_at === undefined ? [] : [order.created_at.slice(0, 10)];
  const stay = order.products.filter(({ kind, ref }) => kind === 'bundle' && taken.every((one) => one.ref !== ref));
  return `order ${order.id} (${[how, ...day, ...stay.map(({ ref }) => `with ${ref}`)].join(', ')})`;
}

/** Always by name, with every order that loses something. */
function leaverLine({ person: { email, name }, products, orders }: Leaver): string {
  const who = name === undefined ? email : `${email} ${quotedName(name, 100)}`;
  return `  ${who} loses ${products.map(({ ref }) => ref).join(', ')}: ${orders.map((one) => orderText(one, products)).join(', ')}.`;
}

function absentLines({ question: { removes }, absent, holders }: RosterPlan): string[] {
  if (!removes)
    return absent.length === 0 ? [] : [`Not on the list: ${absent.length} of ${holders} holders; they keep it.`];
  const leavers = absent.filter(isDue);
  /** How many, and the first of them. */
  const kept = (label: string, wanted: Fate['state']) => {
    const texts = absent.flatMap(({ state, person, why }) => (state === wanted ? [`${person.email} (${why})`] : []));
    return texts.length === 0 ? [] : listed(`${label}: ${texts.length}`, [firstOf(texts, maxKept, ', ')]);
  };
  return [
    `To remove: ${leavers.length} of ${holders} holders.`,
    ...leavers.map(leaverLine),
    ...kept('Not on the list, but paid, so kept', 'kept'),
    ...kept('Not on the list, but doubtful, so kept', 'doubtful'),
  ];
}

/** Requests of the confirmed call: what is read again, then a look at each student before their change. */
function requestsOf(plan: RosterPlan, isReadAgain: boolean): number {
  const { products, isShort } = plan.question;
  const again = isReadAgain ? 2 : 1;
  const due = plan.tasks.filter(isDue);
  const inDoubt = due.filter(({ why }) => why !== undefined).length;
  // Whoever is new is a student from their first product on, and shows more.
  const alone = [...plan.seen.values()].reduce(
    (sum, { requests }) => sum + requests * again + Math.max(requests, readsBefore) * (products.length - 1),
    0,
  );
  const looks = isShort ? alone : due.length * readsBefore;
  const losses = changesOf(plan).flatMap((task) => ('entry' in task ? [] : task.products)).length * (readsBefore + 1);
  const changes = inDoubt * readsIfDoubtful + due.length + losses + Math.ceil(due.length / ordersPerPage);
  return (products.length + (isShort ? 0 : plan.requests)) * again + looks + changes;
}

/** Throws `not_applied` for a plan that changes nobody, and for one that would remove too many. */
export function refuseIdle(plan: RosterPlan): void {
  const { tasks, absent, stop } = plan;
  const isBad = tasks.some(({ entry }) => entry.problem !== undefined);
  const refuse = (first: string, hint: string) =>
    new AcademyError('not_applied', [first, ...bodyLines(plan)].join('\n'), { hint, outcome: 'not_applied' });
  if (stop !== undefined) {
    const more = `Only if this is right: max_removals ${absent.filter(isDue).length}.`;
    throw refuse(`${stop}.`, isBad ? 'Correct or delete these rows, or call with remove "none".' : more);
  }
  if (changesOf(plan).length > 0) return;
  const hints = {
    doubtful: 'Check the doubtful students with student_profile, then call again with include_doubtful true.',
    failed: 'For the students listed as not possible, fix the stated problem and call again.',
  };
  const own = Object.entries(hints).flatMap(([state, hint]) =>
    tasks.some((one) => one.state === state) ? [hint] : [],
  );
  throw refuse('no student is left to enroll', own.join(' ') || 'Nothing is left to do.');
}

function bodyLines(plan: RosterPlan): string[] {
  const { products, list } = plan.question;
  const isFile = list.columns !== undefined;
  return [
    ...(isFile ? [`The list: ${list.columns}.`] : []),
    ...products.flatMap((product) => [
      ...(products.length > 1 ? [`For ${productNamed(product)}:`] : []),
      ...listLines(
        plan.tasks.filter((one) => one.product === product),
        isFile,
      ),
    ]),
    ...absentLines(plan),
  ];
}

/** Those who get something and share their name with others. A list that shows no names is compared row by row already. */
function namesakeLines({ question: { list }, tasks, seen }: RosterPlan, namesakesOf: PlanTerms['namesakesOf']) {
  if (list.columns !== undefined) return [];
  const texts = tasks.filter(isDue).flatMap(({ person: { email, name } }) => {
    const others = namesakesOf({ email, name: name ?? seen.get(buyerKey(email))?.name });
    return others === undefined ? [] : [`${email} (${others})`];
  });
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
  const cost = `Cost: at most ${planCost(requestsOf(plan, isReadAgain), allowance)}; more after a wait for the rate limit, an unclear write or sales meanwhile.`;
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
