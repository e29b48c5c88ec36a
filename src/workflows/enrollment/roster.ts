import type { Api } from '../../api/api.ts';
import { enrollStudent } from '../../contract/access.ts';
import { orderStatuses } from '../../contract/orders.ts';
import type { ClassList } from '../../insights/enrollment/class-list.ts';
import {
  type Addition,
  absentHolders,
  alreadyHeld,
  type ClassFacts,
  classFacts,
  distinctPeople,
  doubtOf,
  type Fate,
  judgeHolder,
  type Leaver,
  planDifferences,
  planEntries,
  planEntry,
  rosterVersion,
  type Task,
  withoutRenamed,
} from '../../insights/enrollment/plan.ts';
import { resolvePeriod } from '../../insights/period.ts';
import type { BundleContents } from '../../insights/sales/bundle-contents.ts';
import type { KnownProduct } from '../../insights/sales/products-in-order.ts';
import { buyerKey, holds, ordersOfBundlesAlone, uniqueByRef } from '../../insights/sales/sold-order.ts';
import { accessEnd, lastGiven, whoHolds } from '../../insights/students/holdings.ts';
import { counted } from '../../mcp/output/text-format.ts';
import type { ToolContext } from '../../mcp/tool.ts';
import { createStores } from '../../mcp/workflow-stores.ts';
import { AcademyError } from '../../shared/errors.ts';
import { patient } from '../batch.ts';
import { readOrders } from '../sales/read-orders.ts';
import { cacheOf, planTtlMs } from '../scan-store.ts';
import { endUnread, readAccessDays } from '../students/access-days.ts';
import { readAllStudents } from '../students/read-all-students.ts';
import { fateOf, inTurn, take } from './in-turn.ts';
import { grantedSince, lookUpStudents, readStudentEvidence, type StudentReading } from './student-lookup.ts';

// Compares a class with its list, and makes it so: one engine for a few students and for a whole class.

export interface RosterQuestion {
  readonly list: ClassList;
  readonly products: readonly KnownProduct[];
  readonly includesDoubtful: boolean;
  /** Whether those who are not on the list go. */
  readonly removes: boolean;
  readonly maxRemovals: number | undefined;
  /** A few students: each is looked up. Otherwise all orders and students are read, and compared. */
  readonly isShort: boolean;
}

export interface RosterPlan {
  readonly question: RosterQuestion;
  /** For each product, one for each entry of the list. */
  readonly tasks: readonly Addition[];
  /** Holders who are not on the list; none of a short list. */
  readonly absent: readonly Leaver[];
  /** Who was looked at, by buyer. Not all that was read of them: a plan is kept for an hour. */
  readonly seen: ReadonlyMap<string, Pick<StudentReading, 'name' | 'requests'>>;
  /** What bundles contain, as all orders show it. */
  readonly contents: BundleContents;
  /** Students who hold one of the products, other than those who are added. */
  readonly holders: number;
  /** Why no student is removed, although some are not on the list. */
  readonly stop: string | undefined;
  readonly version: string;
  /** Requests that reading it took. */
  readonly requests: number;
}

const isDue = ({ state }: Fate) => state === 'due';

/** What was read is compared with the API just now, so without the mirror. */
export const readingNow = (context: ToolContext, total: number): ToolContext => ({
  ...patient(context, total),
  mirror: undefined,
});

function unread(what: string, why = 'pages are missing'): AcademyError {
  const hint = 'Nothing was changed. Try again later; up to 200 students can be enrolled with students.';
  const problem = `the class cannot be compared: not all ${what} could be read (${why})`;
  return new AcademyError('unexpected_response', problem, { hint, outcome: 'not_applied' });
}

/** Reads every order and every student: as many requests as their lists have pages. Nothing of it is cached. */
async function readFacts(callContext: ToolContext): Promise<ClassFacts> {
  const context = { ...callContext, stores: createStores() };
  const period = await resolvePeriod({ timezone: context.timezone }, context.now());
  const all = { maxRequests: Number.POSITIVE_INFINITY };
  const scan = await readOrders({ statuses: [...orderStatuses], period }, all, context);
  if (!scan.isComplete()) throw unread('orders', scan.stopped());
  const students = await readAllStudents(false, all.maxRequests, context);
  if (students.pagesLeft > 0 || students.problem !== undefined) throw unread('students', students.problem);
  return classFacts(scan.all(), students.students);
}

/**
 * What all orders show of a person of the list. Undefined for who is unclear, and must be read alone. So must who has a course
 * only by an order of a bundle alone: it may have been taken off that order.
 */
async function evidenceIn(
  facts: ClassFacts,
  buyer: string,
  products: readonly KnownProduct[],
  { recentGrants }: ToolContext,
): Promise<StudentReading | undefined> {
  const [orders = [], known] = [facts.orders.get(buyer), facts.students.get(buyer)];
  const isHidden = ({ kind, ref }: KnownProduct) => kind === 'course' && !orders.some((order) => holds(order, ref));
  if (products.some(isHidden) && ordersOfBundlesAlone(orders).length > 0) return undefined;
  const name = known?.name ?? orders[0]?.name;
  const isStudent = known !== undefined || orders.length > 0;
  const recent = await recentGrants(buyer);
  const evidence = { isStudent, name, unread: undefined, requests: 0, orders, recent, contents: facts.contents };
  const held = products.map((product) => whoHolds(product, evidence));
  return doubtOf(held, evidence) === undefined ? evidence : undefined;
}

/** Orders list a course also when access has ended: then it is doubtful whether somebody is to have it again. */
async function withEnds(
  tasks: readonly Addition[],
  evidence: ReadonlyMap<string, StudentReading>,
  includesDoubtful: boolean,
  context: ToolContext,
): Promise<Addition[]> {
  const held = tasks.filter(({ why }) => why === alreadyHeld);
  const courses = uniqueByRef(held.map(({ product }) => product)).filter(({ kind }) => kind === 'course');
  const { days } = await readAccessDays(courses, context.spent() + 2 * courses.length, context);
  return tasks.map((task) => {
    const { product, entry } = task;
    const known = evidence.get(buyerKey(entry.email));
    if (task.why !== alreadyHeld || product.kind !== 'course' || known === undefined) return task;
    if (!days.has(product.ref)) return { ...task, why: `${alreadyHeld}; ${endUnread}` };
    const end = known.missing ? undefined : accessEnd(lastGiven(product, known), days.get(product.ref), context.now());
    if (end === undefined) return task;
    const why = `an order lists it, but access ended on ${end}`;
    return { ...task, state: includesDoubtful ? 'due' : 'doubtful', why };
  });
}

function statesOf({ question: { list, removes }, tasks, absent }: Pick<RosterPlan, 'question' | 'tasks' | 'absent'>) {
  const states = new Map<string, string>();
  const add = (who: string, state: string) => states.set(who, [states.get(who), state].filter(Boolean).join(', '));
  for (const { state, entry, product } of tasks) {
    const who = list.columns === undefined ? entry.email : `row ${entry.number}`;
    add(who, state === 'due' ? `to add ${product.ref}` : state.replaceAll('_', ' '));
  }
  for (const { state, person, losses } of removes ? absent : [])
    add(person.email, state === 'due' ? `to remove (${losses.map(({ order }) => order.id).join(', ')})` : state);
  return states;
}

/** By default at most 10% of the holders, or five, go. */
function stopOf({ removes, maxRemovals, list }: RosterQuestion, leavers: number, holders: number): string | undefined {
  if (!removes || leavers === 0) return undefined;
  const wrong = list.entries.filter(({ problem, isNobody }) => problem !== undefined && !isNobody).length;
  if (wrong > 0) return `nobody can be removed while ${counted(wrong, 'row')} of the list cannot be used`;
  const most = maxRemovals ?? Math.max(5, Math.floor(holders / 10));
  return leavers > most ? `${leavers} of ${holders} holders would be removed, and at most ${most} may be` : undefined;
}

/** Compares a class with its list. Sends read requests only. `isSeen`: people are looked at now, not only before their change. */
async function planRoster(question: RosterQuestion, isSeen: boolean, callContext: ToolContext): Promise<RosterPlan> {
  const { list, products, removes, includesDoubtful, isShort } = question;
  const before = callContext.spent();
  const people = distinctPeople(list.entries);
  const context = readingNow(callContext, people.size);
  const facts = isShort ? classFacts([], []) : await readFacts(context);
  const known = async (buyer: string) => (isShort ? undefined : await evidenceIn(facts, buyer, products, context));
  const evidence = isSeen ? await lookUpStudents(people, known, context) : new Map<string, StudentReading>();
  const judged = products.flatMap((product) => planEntries(list.entries, product, evidence, includesDoubtful));
  const planned = await withEnds(judged, evidence, includesDoubtful, context);
  const holding = absentHolders(people, products, facts);
  const nameOf = ({ person, entry }: Addition) => person.name ?? evidence.get(buyerKey(entry.email))?.name;
  const compared = includesDoubtful ? { tasks: planned, absent: holding } : withoutRenamed(planned, holding, nameOf);
  const { tasks, absent } = compared;
  const there = tasks.filter(({ state }) => state === 'already_there').map(({ entry }) => buyerKey(entry.email));
  const holders = new Set(there).size + absent.length;
  const content = [list.entries, products.map(({ ref }) => ref), removes, includesDoubtful];
  const version = rosterVersion(content, [...statesOf({ question, ...compared })], isSeen);
  const stop = stopOf(question, absent.filter(isDue).length, holders);
  const seen = new Map([...evidence].map(([buyer, { name, requests }]) => [buyer, { name, requests }]));
  const requests = callContext.spent() - before;
  return { question, ...compared, seen, contents: facts.contents, holders, stop, version, requests };
}

const maxPlans = 5;
const rosterPlans = cacheOf<RosterPlan>({ ttlMs: planTtlMs, maxEntries: maxPlans });

/** A plan that this program made; undefined if it is no longer known. */
export const knownPlan = (version: string, { stores }: ToolContext) => stores.of(rosterPlans).get(version);

/**
 * Plans; a short list that is applied at once, without a look at its people. Throws `stale_version` if the list or the academy has
 * changed since the plan of `base_version`.
 */
export async function keptPlan(
  question: RosterQuestion,
  { isPlan, base_version }: { readonly isPlan: boolean; readonly base_version: string | undefined },
  context: ToolContext,
): Promise<RosterPlan> {
  const plan = await planRoster(question, isPlan || !question.isShort || base_version !== undefined, context);
  if (base_version !== undefined && base_version !== plan.version) {
    const before = knownPlan(base_version, context);
    const shown = before ? planDifferences(statesOf(before), statesOf(plan)) : 'how is no longer known here';
    const how = shown === '' ? 'the list names other people' : shown;
    throw new AcademyError('stale_version', `the list or the academy has changed since this was planned: ${how}`, {
      hint: `Show the new plan, without confirm; it is at base_version ${plan.version}.`,
      outcome: 'not_applied',
    });
  }
  context.stores.of(rosterPlans).set(plan.version, plan);
  return plan;
}

/** All changes of a plan. Additions come first: somebody who changes course always has one of the two. */
export const changesOf = ({ tasks, absent, question }: RosterPlan): Task[] =>
  [...tasks, ...(question.removes ? absent : [])].filter(isDue);

/** Grants one person what they lack now: a plan made minutes ago may be outdated. */
async function enroll(
  { entry, product }: Addition,
  includesDoubtful: boolean,
  context: ToolContext,
  waiting: ToolContext,
): Promise<Fate> {
  const startedAt = performance.now();
  const evidence = await readStudentEvidence(entry.email, waiting);
  const judged = planEntry(entry, product, evidence, includesDoubtful);
  const known = new Map([[buyerKey(entry.email), evidence]]);
  const [{ state, why, person } = judged] = await withEnds([judged], known, includesDoubtful, waiting);
  if (state !== 'due') return { state, why };
  const certain = why === undefined ? { checkedAt: startedAt, journal: { old: { values: { held: false } } } } : {};
  const grant = product.kind === 'course' ? { course_id: product.id } : { bundle_id: product.id };
  const fate = await fateOf((own) => context.api.call(enrollStudent, { ...person, ...grant }, { ...own, ...certain }));
  return fate.isSent ? fate : { state: 'already_there', why: 'it was granted a moment ago' };
}

/** Takes what one person holds, if it is still all granted. */
async function remove(
  { person, products }: Leaver,
  contents: BundleContents,
  context: ToolContext,
  waiting: ToolContext,
): Promise<Fate> {
  let isTaken = false;
  for (const product of products) {
    const { orders, missing, isStudent, unread, name } = await readStudentEvidence(person.email, waiting);
    if (isStudent === undefined || missing !== undefined) return { state: 'doubtful', why: missing ?? unread };
    // Their details may still show what an order has just lost: orders decide who goes.
    const judged = judgeHolder(person, orders, [product], contents);
    if (judged === undefined || product.kind === 'digital_product') continue;
    const { state, why } = judged;
    if (state !== 'due') return { state, why: state === 'kept' ? `they paid, by ${why}` : why };
    const step = { tool: `revoke_${product.kind}` as const, id: product.id };
    const fate = await take(step, { ...person, ...(name && { name }) }, orders, context.api);
    if (fate.state !== 'applied') return fate;
    isTaken = true;
  }
  return { state: isTaken ? 'removed' : 'already_gone' };
}

/** The most changes of one call: clients end calls that take long. */
const maxChanges = 200;

/**
 * Makes the changes of a plan from a position on, and returns what became of everybody since then. `change`: the change of the
 * journal that this belongs to. `next`: where a further call goes on; undefined if all was tried.
 */
export async function applyRoster(
  plan: RosterPlan,
  from: number,
  change: ToolContext['change'],
  callContext: ToolContext,
): Promise<{ tasks: Task[]; next: number | undefined }> {
  const { question, contents } = plan;
  const left = changesOf(plan).slice(from);
  const now = left.slice(0, maxChanges);
  const origin = { tool: 'sync_roster', caller: callContext.caller, change };
  const joined: Api = {
    call: (operation, input, options) => callContext.api.call(operation, input, { ...options, origin }),
  };
  const context = change === callContext.change ? callContext : { ...callContext, api: joined };
  const waiting = readingNow(context, now.length);
  const startedAt = callContext.now().getTime();
  const make = (task: Task) =>
    'entry' in task
      ? enroll(task, question.includesDoubtful, context, waiting)
      : remove(task, contents, context, waiting);
  const fates = await inTurn(now, make, context);
  const isAdded = fates.some(({ state }, index) => state === 'applied' && 'entry' in (now[index] ?? {}));
  const made = isAdded && !callContext.signal.aborted ? await grantedSince(startedAt, maxChanges, waiting) : () => [];
  const done = left.map((task, index): Task => {
    const { state, why } = fates[index] ?? { state: 'not_started' };
    if (!('entry' in task) || state !== 'applied') return { ...task, state, why };
    return { ...task, state, why, made: made(task.entry.email, [task.product.ref]) };
  });
  const isLeft = now.length < left.length && fates.at(-1)?.state !== 'not_started';
  const idle = plan.tasks.filter(({ state }) => state !== 'due');
  return { tasks: [...idle, ...done], next: isLeft ? from + now.length : undefined };
}
