import type { Api } from '../../api/api.ts';
import { orderStatuses } from '../../contract/orders.ts';
import type { ClassList } from '../../insights/enrollment/class-list.ts';
import {
  type Grant,
  type Holdings,
  type Line,
  linesOf,
  type Person,
  planEnrollment,
  type Step,
  stepForDuplicate,
} from '../../insights/enrollment/plan.ts';
import {
  type Absent,
  absentHolders,
  type ClassFacts,
  classFacts,
  judgeHolder,
  type Leaver,
  namesOf,
  plainName,
  planDifferences,
  removalsAllowed,
  rosterVersion,
  withoutRenamed,
} from '../../insights/enrollment/roster.ts';
import { resolvePeriod } from '../../insights/period.ts';
import type { BundleContents } from '../../insights/sales/bundle-contents.ts';
import type { KnownProduct } from '../../insights/sales/products-in-order.ts';
import { buyerKey, holds, isGrantedOrder, productRef, type SoldOrder } from '../../insights/sales/sold-order.ts';
import { ordersOfBundlesAlone } from '../../insights/students/order-groups.ts';
import type { ToolContext } from '../../mcp/tool.ts';
import { createStores } from '../../mcp/workflow-stores.ts';
import { AcademyError } from '../../shared/errors.ts';
import { refuseInput } from '../../shared/invalid-input.ts';
import { createTtlCache } from '../../shared/ttl-cache.ts';
import { readOrders } from '../sales/read-orders.ts';
import { planTtlMs } from '../scan-store.ts';
import { makeStep } from '../students/offboard-student.ts';
import { readAllStudents } from '../students/read-all-students.ts';
import { type BulkGrantRequest, type EnrollmentResult, enroll, inTurn, withoutSending } from './enroll-list.ts';
import { grantedRefs } from './enroll-once.ts';
import { lookUpStudents, patient, readStudentEvidence, type StudentLookup } from './student-lookup.ts';

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

/** The enrollments with one request each: at most a course and a bundle. */
export interface Pass {
  readonly request: BulkGrantRequest;
  /** One for each line of the list. */
  readonly steps: readonly Step[];
  readonly lookup: StudentLookup;
}

export interface RosterPlan {
  readonly question: RosterQuestion;
  readonly lines: readonly Line[];
  readonly passes: readonly Pass[];
  readonly absent: Absent;
  /** What bundles contain, as all orders show it; undefined if they were not read. */
  readonly contents: BundleContents | undefined;
  /** Students who hold one of the products, other than those who are added. */
  readonly holders: number;
  /** Why nobody is removed, although somebody is not on the list. */
  readonly stop: string | undefined;
  readonly version: string;
  /** What the plan says of each person. */
  readonly states: ReadonlyMap<string, string>;
  /** Requests that reading it took. */
  readonly requests: number;
}

/** Courses and bundles in pairs, as one enrollment takes them. */
export function grantsOf(products: readonly KnownProduct[]): Grant[] {
  const ids = (kind: KnownProduct['kind']) => products.flatMap((one) => (one.kind === kind ? [one.id] : []));
  const download = products.find(({ kind }) => kind === 'digital_product');
  if (download !== undefined) throw refuseInput([`${download.ref} is a download: only a bundle gives it`]);
  const [courses, bundles] = [[...new Set(ids('course'))], [...new Set(ids('bundle'))]];
  return Array.from({ length: Math.max(courses.length, bundles.length) }, (_, index) => ({
    ...(courses[index] === undefined ? {} : { course_id: courses[index] }),
    ...(bundles[index] === undefined ? {} : { bundle_id: bundles[index] }),
  }));
}

function requestsFor({ products, includesDoubtful }: RosterQuestion): BulkGrantRequest[] {
  const titleOf = (ref: string) => products.find((one) => one.ref === ref)?.title;
  return grantsOf(products).map((grant) => {
    const titles = { course_id: titleOf(`course ${grant.course_id}`), bundle_id: titleOf(`bundle ${grant.bundle_id}`) };
    const known = Object.fromEntries(Object.entries(titles).filter(([, title]) => title !== undefined));
    return { grant, titles: known, includesDoubtful };
  });
}

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
async function readFacts(given: ToolContext): Promise<ClassFacts> {
  const context = { ...given, stores: createStores() };
  const period = await resolvePeriod({ timezone: context.timezone }, context.now());
  const all = { maxRequests: Number.POSITIVE_INFINITY };
  const scan = await readOrders({ statuses: [...orderStatuses], period }, all, context);
  if (!scan.isComplete()) throw unread('orders', scan.stopped());
  const students = await readAllStudents(false, all.maxRequests, context);
  if (students.pagesLeft > 0 || students.problem !== undefined) throw unread('students', students.problem);
  return classFacts(scan.all(), students.students);
}

/**
 * What the orders show of a person of the list; who is unclear is read as if alone. So is who has a course only by an order of
 * a bundle alone: it may have been taken off that order.
 */
async function evidenceIn({ email }: Person, { course_id }: Grant, facts: ClassFacts, context: ToolContext) {
  const [orders = [], known] = [facts.orders.get(buyerKey(email)), facts.students.get(buyerKey(email))];
  const isListed = orders.some((order) => holds(order, productRef('course', course_id ?? 0)));
  if (course_id !== undefined && !isListed && ordersOfBundlesAlone(orders).length > 0) return undefined;
  const name = known?.name ?? orders[0]?.name;
  const isStudent = known !== undefined || orders.length > 0;
  const seen = { isStudent, name, unread: undefined, missing: undefined, shown: undefined };
  return { ...seen, orders, recent: await context.recentGrants(email), contents: facts.contents };
}

const nobody: Holdings = { isStudent: false, holdsCourse: false, holdsBundle: false };
const nobodyAbsent: Absent = { leavers: [], paid: [], doubtful: [] };

function statesOf(passes: readonly Pass[], { leavers, paid, doubtful }: Absent, list: ClassList): Map<string, string> {
  const states = new Map<string, string>();
  const isNamed = list.columns === undefined;
  const add = (who: string, state: string) => states.set(who, [states.get(who), state].filter(Boolean).join(', '));
  const words = { enroll: 'to add', skip: 'already there', doubt: 'doubtful', refuse: 'not possible' };
  for (const { steps } of passes)
    for (const [index, step] of steps.entries()) {
      const what = step.do === 'enroll' ? ` ${JSON.stringify(step.grant)}` : '';
      add(isNamed ? step.person.email : `row ${list.rows[index]}`, `${words[step.do]}${what}`);
    }
  for (const { email, orders } of leavers) add(email, `to remove (${orders.map(({ id }) => id).join(', ')})`);
  for (const { email } of paid) add(email, 'kept, paid');
  for (const { email } of doubtful) add(email, 'kept, doubtful');
  return states;
}

function stopOf({ removes, maxRemovals, list }: RosterQuestion, leavers: number, holders: number): string | undefined {
  if (!removes || leavers === 0) return undefined;
  const wrong = list.bad.length;
  if (wrong > 0) return `nobody is removed while ${wrong} of the rows cannot be read: whose they are is not known`;
  const most = maxRemovals ?? removalsAllowed(holders);
  return leavers > most ? `${leavers} of ${holders} holders would be removed, and at most ${most} may be` : undefined;
}

/** Compares a class with its list. Sends read requests only. */
async function planRoster(question: RosterQuestion, given: ToolContext): Promise<RosterPlan> {
  const { list, products, removes, includesDoubtful, isShort } = question;
  const before = given.spent();
  const lines = linesOf(list.people);
  const context = readingNow(given, lines.length);
  const facts = isShort ? undefined : await readFacts(context);
  const holding = facts === undefined ? nobodyAbsent : absentHolders(list.people, products, facts);
  const names = namesOf(holding);
  const renamed = new Set<string>();
  const passes: Pass[] = [];
  for (const request of requestsFor(question)) {
    const known = facts && ((person: Person) => evidenceIn(person, request.grant, facts, context));
    const lookup = await lookUpStudents(list.people, request, given, known);
    const holdingsOf = ({ email }: Person) => lookup.get(buyerKey(email)) ?? nobody;
    const settled = (step: Step): Step => {
      const { email, name = holdingsOf(step.person).name } = step.person;
      const other = step.do === 'enroll' && !includesDoubtful ? names.get(plainName(name)) : undefined;
      if (other === undefined) return step;
      renamed.add(other);
      const why = `${other} has the same name and holds it: did the address change?`;
      return { do: 'doubt', person: { email }, why };
    };
    const steps = planEnrollment(list.people, request.grant, holdingsOf, includesDoubtful).map(settled);
    passes.push({ request, steps, lookup });
  }
  const absent = withoutRenamed(holding, renamed);
  const isHeld = (step: Step) => step.do === 'skip' && step.isHeld === true;
  const held = passes.flatMap(({ steps }) => steps.filter(isHeld).map(({ person }) => buyerKey(person.email)));
  const staying = new Set(held);
  const holders = staying.size + absent.leavers.length + absent.paid.length + absent.doubtful.length;
  const states = statesOf(passes, removes ? absent : nobodyAbsent, list);
  const asked = [list.people, list.rows, list.bad, products.map(({ ref }) => ref), removes, includesDoubtful];
  const version = rosterVersion(asked, [...states]);
  const stop = stopOf(question, absent.leavers.length, holders);
  const requests = given.spent() - before;
  return { question, lines, passes, absent, contents: facts?.contents, holders, stop, version, states, requests };
}

const maxPlans = 5;
const rosterPlans = (now?: () => number) =>
  createTtlCache<RosterPlan>({ ttlMs: planTtlMs, maxEntries: maxPlans, ...(now === undefined ? {} : { now }) });

/** A plan that this program made; undefined if it is no longer known. */
export const knownPlan = (version: string, { stores }: ToolContext) => stores.of(rosterPlans).get(version);

/** A plan of a short list that looks at nobody before it enrolls them. */
function unseenPlan(question: RosterQuestion): RosterPlan {
  const lines = linesOf(question.list.people);
  const passes = requestsFor(question).map((request): Pass => {
    const open = { do: 'enroll', isNew: false, isDoubtful: false, grant: request.grant } as const;
    const steps = lines.map(({ person, isDuplicate }) =>
      isDuplicate ? stepForDuplicate(person) : { ...open, person },
    );
    return { request, steps, lookup: new Map() };
  });
  const none = {
    absent: nobodyAbsent,
    contents: undefined,
    holders: 0,
    stop: undefined,
    states: new Map(),
    requests: 0,
  };
  return { question, lines, passes, ...none, version: rosterVersion('unseen', question.list, question.products) };
}

/**
 * Plans, unless a short list needs none. Throws `stale_version` if the list or the academy has changed since the plan of
 * `base_version`.
 */
export async function keptPlan(
  question: RosterQuestion,
  { isPlan, base_version }: { readonly isPlan: boolean; readonly base_version: string | undefined },
  context: ToolContext,
): Promise<RosterPlan> {
  const isUnseen = !isPlan && question.isShort && base_version === undefined;
  const plan = isUnseen ? unseenPlan(question) : await planRoster(question, context);
  if (base_version !== undefined && base_version !== plan.version) {
    const before = knownPlan(base_version, context);
    const shown = before === undefined ? 'how is no longer known here' : planDifferences(before.states, plan.states);
    throw new AcademyError('stale_version', `the list or the academy has changed since this was planned: ${shown}`, {
      hint: `Show the new plan, without confirm; it is at base_version ${plan.version}.`,
      outcome: 'not_applied',
    });
  }
  context.stores.of(rosterPlans).set(plan.version, plan);
  return plan;
}

interface Addition {
  readonly pass: Pass;
  readonly line: number;
  readonly person: Person;
  /** What the plan gives them: less than the pass, if they hold a part of it. */
  readonly grant: Grant;
}

type Task = Addition | { readonly leaver: Leaver };

/** All changes of a plan, additions first: whoever moves is added before anybody goes. */
function tasksOf({ lines, passes, absent, question }: RosterPlan): Task[] {
  const enrollments = passes.flatMap((pass) =>
    pass.steps.flatMap((step, line) =>
      step.do === 'enroll' ? [{ pass, line, person: lines[line]?.person ?? step.person, grant: step.grant }] : [],
    ),
  );
  return [...enrollments, ...(question.removes ? absent.leavers : []).map((leaver) => ({ leaver }))];
}

const tools = { course: 'revoke_course', bundle: 'revoke_bundle' } as const;

/** Takes what one person holds, if it is still all granted. */
async function remove(
  { email, name = '', products }: Leaver,
  contents: BundleContents,
  context: ToolContext,
): Promise<EnrollmentResult> {
  let isTaken = false;
  for (const product of products) {
    const evidence = await readStudentEvidence(email, context);
    const { orders, missing, isStudent } = evidence;
    if (isStudent === undefined || missing !== undefined) return { state: 'doubtful', why: missing ?? evidence.unread };
    // Their details may still show what an order has just lost: orders decide who goes.
    const judged = judgeHolder(orders, [product], contents);
    if (judged === undefined) continue;
    if ('paid' in judged) return { state: 'kept', why: `they paid, by ${judged.paid}` };
    if ('doubt' in judged) return { state: 'doubtful', why: judged.doubt };
    const { kind, id, title } = product;
    if (kind === 'digital_product') continue;
    const who = { email, name: evidence.name ?? name };
    const result = await makeStep({ tool: tools[kind], id, title }, who, orders, context.api);
    if (result.state !== 'applied') return result;
    isTaken = true;
  }
  return { state: isTaken ? 'removed' : 'already_gone' };
}

/** Two clocks that differ by less than this are taken for one. */
const clockMarginMs = 10_000;

/** The most people whom one call changes: clients end calls that take long. */
const maxChanges = 200;

export interface RosterResult {
  /** For each person of the list, one result for each pass. */
  readonly lines: readonly (readonly EnrollmentResult[])[];
  readonly removed: readonly (EnrollmentResult & { readonly email: string })[];
  /** Ids of the orders that were made, by line of the list, as far as list_orders shows them already. */
  readonly made: ReadonlyMap<number, readonly string[]>;
  /** Where a further call goes on; undefined if all was tried. */
  readonly next: number | undefined;
}

/** The orders of amount 0 since a time. It never fails the call: its results would be lost. */
async function grantedSince(from: number, given: ToolContext): Promise<readonly SoldOrder[]> {
  const { timezone, now } = given;
  const shift = given.clockShiftMs();
  const period = { from: from + shift - clockMarginMs, to: now().getTime() + shift + clockMarginMs, timezone };
  const all = { maxRequests: Number.POSITIVE_INFINITY };
  const reading = readOrders({ statuses: ['paid'], period }, all, { ...given, stores: createStores() });
  return (await reading.catch(() => undefined))?.all().filter(isGrantedOrder) ?? [];
}

function ordersMade(additions: readonly Addition[], orders: readonly SoldOrder[]): RosterResult['made'] {
  const made = new Map<number, string[]>();
  for (const { line, person, grant } of additions) {
    const refs = grantedRefs(grant);
    const own = orders.filter((one) => one.buyer === buyerKey(person.email) && refs.some((ref) => holds(one, ref)));
    made.set(line, [...new Set([...(made.get(line) ?? []), ...own.map(({ id }) => id)])]);
  }
  return made;
}

/** Makes the changes of a plan from a position on. `change`: the change of the journal that this belongs to. */
export async function applyRoster(
  plan: RosterPlan,
  from: number,
  change: ToolContext['change'],
  given: ToolContext,
): Promise<RosterResult> {
  const { question, passes, contents } = plan;
  const later: EnrollmentResult = { state: 'not_started' };
  const all = tasksOf(plan);
  const tasks = all.slice(from, from + maxChanges);
  const origin = { tool: 'sync_roster', caller: given.caller, change };
  const joined: Api = { call: (operation, input, options) => given.api.call(operation, input, { ...options, origin }) };
  const context = change === given.change ? given : { ...given, api: joined };
  const waiting = readingNow(context, tasks.length);
  const startedAt = given.now().getTime();
  const results = await inTurn(
    tasks,
    async (task, terms) => {
      if ('pass' in task) return await enroll(task.person, task.pass.request, context, terms);
      return contents === undefined ? later : await remove(task.leaver, contents, waiting);
    },
    context,
  );
  const lines = question.list.people.map((): EnrollmentResult[] => []);
  for (const { steps } of passes)
    for (const [line, step] of steps.entries()) if (step.do !== 'enroll') lines[line]?.push(withoutSending(step));
  const done = all.slice(from).map((task, index) => ({ task, ...(results[index] ?? later) }));
  for (const { task, ...result } of done) if ('pass' in task) lines[task.line]?.push(result);
  const removed = done.flatMap(({ task, ...result }) =>
    'leaver' in task ? [{ email: task.leaver.email, ...result }] : [],
  );
  const isLeft = from + tasks.length < all.length && results.at(-1)?.state !== 'not_started';
  const applied = done.flatMap(({ task, state }) => ('pass' in task && state === 'applied' ? [task] : []));
  const orders = applied.length > 0 && !given.signal.aborted ? await grantedSince(startedAt, waiting) : [];
  return { lines, removed, made: ordersMade(applied, orders), next: isLeft ? from + tasks.length : undefined };
}
