import { type Addition, alreadyHeld, type Fate, type Leaver, type Person } from '../../src/insights/enrollment/plan.ts';
import { buyerKey, isGrantedOrder } from '../../src/insights/sales/sold-order.ts';
import type { OrderLoss } from '../../src/insights/students/order-losses.ts';
import { textShown } from '../../src/mcp/confirmation/confirmation-message.ts';
import { counted } from '../../src/mcp/output/text-format.ts';
import { productNamed, quotedName } from '../../src/mcp/titles.ts';
import { AcademyError } from '../../src/shared/errors.ts';
import { firstOf } from '../../src/shared/invalid-input.ts';
import { compact } from '../../src/shared/quote-text.ts';
import { changesOf, type RosterPlan } from '../../src/workflows/enrollment/roster.ts';
import { type FullBudget, planCost } from '../../src/workflows/requests-allowed.ts';

/** Longest line of facts, in characters, that a person can still read. */
const maxLine = 1_900;
/** Most rows of a file of one kind that are shown one by one. */
const maxRows = 60;
/** Most holders who stay that are named. */
const maxKept = 5;

/** Texts under a label: the first `most`, or all, in lines so short that no truncation hides a student from the person who confirms. */
function listed(label: string, texts: readonly string[], most?: number): string[] {
  if (texts.length === 0) return [];
  if (most !== undefined) return [`${label}: ${firstOf(texts, most, ', ')}.`];
  const lines: string[] = [];
  for (const text of texts) {
    const longer = `${lines.at(-1)}, ${text}`;
    if (lines.length > 0 && longer.length < maxLine) lines.splice(-1, 1, longer);
    else lines.push(`${label}: ${text}`);
  }
  return lines.map((line) => `${line}.`);
}

/** "2-31, 33": the rows of these entries. */
export function rowsText(some: readonly Addition[]): string {
  const sorted = some.map(({ entry }) => entry.number).sort((one, other) => one - other);
  const runs: [number, number][] = [];
  for (const row of sorted) {
    const last = runs.at(-1);
    if (last !== undefined && row <= last[1] + 1) last[1] = row;
    else runs.push([row, row]);
  }
  return runs.map(([from, to]) => (from === to ? String(from) : `${from}-${to}`)).join(', ');
}

const isDue = ({ state }: Fate) => state === 'due';
const isHeld = ({ state, why }: Fate) => state === 'already_there' && why === alreadyHeld;

/** What a list does for one product. People of a file are shown by their rows, other than those whom a person should look at. */
function listLines(tasks: readonly Addition[], isFile: boolean): string[] {
  const emailOf = ({ person }: Addition) => person.email;
  // The name of a new student is part of what the person confirms.
  const withName = ({ person: { email, name } }: Addition) => (name ? `${email} ${textShown(name)}` : email);
  const named = (label: string, some: readonly Addition[], textOf = emailOf) => {
    if (!isFile || some.length === 0) return listed(label, some.map(textOf));
    return [`${label}: row${some.length === 1 ? '' : 's'} ${rowsText(some)}.`];
  };
  const why = (label: string, some: readonly Addition[]) => {
    // The number finds an entry again, even if its email is blank or cannot be read.
    const texts = some.map(({ entry: { number, email, problem }, why }) =>
      problem === undefined
        ? `${isFile ? `row ${number} ` : ''}${email} (${why})`
        : `${isFile ? `row ${number}` : `${number}.`} ${problem}: ${textShown(email)}`,
    );
    return listed(label, texts, isFile ? maxRows : undefined);
  };
  const of = (...states: Fate['state'][]) => tasks.filter(({ state }) => states.includes(state));
  const [due, skipped, doubtful, failed] = [of('due'), of('already_there', 'skipped'), of('doubtful'), of('failed')];
  const [fresh, known] = [due.filter(({ isNew }) => isNew), due.filter(({ isNew, why }) => !isNew && !why)];
  const totals = compact([
    due.length > 0 && `To enroll: ${counted(due.length, 'student')}, ${fresh.length} of them new.`,
    `Skipped: ${skipped.length}. Not possible: ${failed.length}.`,
    doubtful.length > 0 && `Doubtful, left out: ${doubtful.length}.`,
  ]);
  return [
    totals.join(' '),
    ...named('New', fresh, withName),
    ...named('Existing students', known),
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

/** With the bundles that stay on the order, and what it loses beside the products themselves. */
function orderText({ order, products, kept }: OrderLoss, taken: Leaver['products']): string {
  const contained = products.filter(({ ref }) => taken.every((one) => one.ref !== ref));
  const facts = compact([
    isGrantedOrder(order) ? 'granted' : (order.status ?? 'of unknown status'),
    order.created_at?.slice(0, 10),
    ...kept.flatMap(({ kind, ref }) => (kind === 'bundle' ? `with ${ref}` : [])),
    contained.length > 0 && `also loses ${contained.map(productNamed).join(', ')}`,
  ]);
  return `order ${order.id} (${facts.join(', ')})`;
}

/** Always by name, with every order that loses something. */
function leaverLine({ person: { email, name }, products, losses }: Leaver): string {
  const who = name === undefined ? email : `${email} ${quotedName(name, 100)}`;
  return `  ${who} loses ${products.map(({ ref }) => ref).join(', ')}: ${losses.map((one) => orderText(one, products)).join(', ')}.`;
}

function absentLines({ question: { removes, products }, absent, holders }: RosterPlan): string[] {
  if (!removes) {
    const left = `Not on the list: ${absent.length} of ${holders} holders; they keep it.`;
    return absent.length === 0 ? [] : [left];
  }
  const leavers = absent.filter(isDue);
  const hasBundle = products.some(({ kind }) => kind === 'bundle');
  const kept = (label: string, wanted: Fate['state']) => {
    const texts = absent.flatMap(({ state, person, why }) => (state === wanted ? [`${person.email} (${why})`] : []));
    return listed(`${label}: ${texts.length}`, texts, maxKept);
  };
  return [
    `To remove: ${leavers.length} of ${holders} holders.`,
    ...leavers.map(leaverLine),
    ...kept(`Not on the list, but ${hasBundle ? 'a paid order could lose something' : 'paid'}, so kept`, 'kept'),
    ...kept('Not on the list, but doubtful, so kept', 'doubtful'),
  ];
}

/** Reads before each change, of a student whom the plan has not read alone: the details, and the orders of two spellings. */
const readsBefore = 3;
/** In doubt the client reads the student and their orders again before it writes. */
const readsIfDoubtful = 2;
/** The new orders are read at the end, for their ids. */
const ordersPerPage = 100;

/** Requests of the confirmed call: what is read again, then a look at each student before their change. */
function requestsOf(plan: RosterPlan, isReadAgain: boolean): number {
  const { products, isShort } = plan.question;
  const again = isReadAgain ? 2 : 1;
  const due = plan.tasks.filter(isDue);
  // A new person is a student from their first product on, and shows more.
  const looks = [...plan.seen.values()].map(
    ({ requests }) => requests * again + Math.max(requests, readsBefore) * (products.length - 1),
  );
  const reads = isShort ? looks.reduce((sum, one) => sum + one, 0) : due.length * readsBefore + plan.requests * again;
  const losses = changesOf(plan).flatMap((task) => ('entry' in task ? [] : task.products)).length;
  const inDoubt = due.filter(({ why }) => why !== undefined).length;
  const writes = due.length + inDoubt * readsIfDoubtful + losses * (readsBefore + 1);
  return products.length * again + reads + writes + Math.ceil(due.length / ordersPerPage);
}

const hints = {
  doubtful: 'Check the doubtful students with student_profile, then call again with include_doubtful true.',
  failed: 'For the students listed as not possible, fix the stated problem and call again.',
};

/** Throws `not_applied` for a plan that changes nobody, and for one that would remove too many. */
export function refuseIdle(plan: RosterPlan): void {
  const { tasks, absent, stop } = plan;
  const refuse = (first: string, hint: string) =>
    new AcademyError('not_applied', [first, ...bodyLines(plan)].join('\n'), { hint, outcome: 'not_applied' });
  if (stop !== undefined) {
    const isBad = tasks.some(({ entry }) => entry.problem !== undefined);
    const more = `Only if this is right: max_removals ${absent.filter(isDue).length}.`;
    throw refuse(`${stop}.`, isBad ? 'Correct or delete these rows, or call with remove "none".' : more);
  }
  if (changesOf(plan).length > 0) return;
  const hintsOf = Object.entries(hints).filter(([state]) => tasks.some((one) => one.state === state));
  const own = hintsOf.map(([, hint]) => hint);
  throw refuse('no student is left to enroll', own.join(' ') || 'Nothing is left to do.');
}

function bodyLines(plan: RosterPlan): string[] {
  const { products, list } = plan.question;
  const isFile = list.columns !== undefined;
  const tasksOf = (product: (typeof products)[number]) => plan.tasks.filter((one) => one.product === product);
  return compact([
    isFile && `The list: ${list.columns}.`,
    ...products.flatMap((product) => [
      products.length > 1 && `For ${productNamed(product)}:`,
      ...listLines(tasksOf(product), isFile),
    ]),
    ...absentLines(plan),
  ]);
}

interface PlanTerms {
  readonly allowance: FullBudget;
  /** Whether the confirmed call reads the plan once more. */
  readonly isReadAgain: boolean;
  readonly namesakesOf: (person: Person) => string | undefined;
}

/** Those who get something and share their name with others. A list that shows no names is compared row by row already. */
function namesakeLines({ question: { list }, tasks, seen }: RosterPlan, { namesakesOf }: PlanTerms): string[] {
  if (list.columns !== undefined) return [];
  const texts = tasks.filter(isDue).map(({ person: { email, name } }) => {
    const others = namesakesOf({ email, name: name ?? seen.get(buyerKey(email))?.name });
    return others && `${email} (${others})`;
  });
  return listed('Check the email', [...new Set(compact(texts))]);
}

/** The plan, for the person who confirms it. */
export function rosterPlanLines(plan: RosterPlan, terms: PlanTerms): string[] {
  refuseIdle(plan);
  const cost = planCost(requestsOf(plan, terms.isReadAgain), terms.allowance);
  return compact([
    `Products: ${plan.question.products.map(productNamed).join(', ')}.`,
    ...bodyLines(plan),
    ...namesakeLines(plan, terms),
    `Cost: at most ${cost}; more after a wait for the rate limit, an unclear write or sales meanwhile.`,
    // A code or a person's answer is bound to the plan already.
    !terms.isReadAgain &&
      `With base_version ${plan.version}, it changes nothing if the list or the academy has changed.`,
  ]);
}
