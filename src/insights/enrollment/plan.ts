import { createHash } from 'node:crypto';
import { studentEmail, title } from '../../contract/schemas/input-fields.ts';
import { caseless } from '../../shared/clean-text.ts';
import { groupBy } from '../../shared/group-by.ts';
import { firstOf } from '../../shared/invalid-input.ts';
import { type BundleContents, bundleContents } from '../sales/bundle-contents.ts';
import type { KnownProduct } from '../sales/products-in-order.ts';
import {
  buyerKey,
  isGrantedOrder,
  isKnownStatus,
  isSettled,
  listsProduct,
  type SoldOrder,
} from '../sales/sold-order.ts';
import { type Held, type HoldingEvidence, whoHolds } from '../students/holdings.ts';
import { type OrderLoss, orderLosses, refsOfRevocation } from '../students/order-losses.ts';

// A list of people and a product: what is to be done for each of them, and what became of it.

export interface Person {
  readonly email: string;
  readonly name?: string | undefined;
}

export interface Entry extends Person {
  /** The row of a file as a spreadsheet shows it, or the place in a list of arguments. */
  readonly number: number;
  /** Why it cannot be enrolled, by the row alone. The email is as written. */
  readonly problem?: string | undefined;
  /** The row says that the person has left, or names nobody. It neither enrolls nor keeps anyone. */
  readonly isNobody?: boolean;
}

const personName = title('').optional();

function personProblem({ email, name }: Person): string | undefined {
  if (!studentEmail.safeParse(email).success) return 'not an email';
  const wrong = personName.safeParse(name).error?.issues[0]?.message;
  // A message names the requirement, or after a colon the problem.
  return wrong === undefined ? undefined : `name${wrong.startsWith(':') ? '' : ' '}${wrong}`;
}

export const entryOf = (person: Person, number: number): Entry => ({
  ...person,
  number,
  problem: personProblem(person),
});

/**
 * In the order of an answer. `due`: to be enrolled, or to lose it. `already_there`: they hold it. `skipped`: a second entry of the same person. `doubtful`: left
 * out, as it is not known. `removed`, `already_gone`, `kept`: of a person who is not on the list.
 */
export const states = [
  'due',
  'applied',
  'already_there',
  'skipped',
  'removed',
  'already_gone',
  'kept',
  'doubtful',
  'failed',
  'unknown',
  'not_started',
] as const;
export type State = (typeof states)[number];

export interface Fate {
  readonly state: State;
  /** Of a person who is `due`: why it is not known whether they hold it. */
  readonly why?: string | undefined;
}

export interface Addition extends Fate {
  readonly entry: Entry;
  readonly product: KnownProduct;
  /** The name only if it is to be sent. */
  readonly person: Person;
  readonly isNew?: boolean;
  /** The orders that were made, as far as list_orders shows them already. */
  readonly made?: readonly string[];
}

/** Somebody who holds a product and is not on the list: `due` to lose it if all of it was granted, otherwise `kept` or `doubtful`. */
export interface Leaver extends Fate {
  readonly person: Person;
  readonly products: readonly KnownProduct[];
  /** What each order loses, of a bundle also what it contains. */
  readonly losses: readonly OrderLoss[];
}

export type Task = Addition | Leaver;

export interface StudentEvidence extends HoldingEvidence {
  /** Undefined: not known. */
  readonly isStudent: boolean | undefined;
  readonly name: string | undefined;
  readonly unread: string | undefined;
}

/** Why nothing is sent for somebody who is seen to hold it. Any other reason is shown with the person. */
export const alreadyHeld = 'already holds it';

const maxDoubts = 2;

/** Why it is not known whether they lack a product, or are a student; undefined if everything is known. */
export function doubtOf(held: readonly Held[], { isStudent, unread }: StudentEvidence): string | undefined {
  const doubts = held.flatMap((one) => (one.state === 'perhaps' ? one.doubts.slice(0, maxDoubts) : []));
  const who = isStudent === undefined ? [`whether they are a student could not be read (${unread})`] : [];
  return [...new Set([...doubts, ...who])].join('; ') || undefined;
}

/** The first entry of each person, with the first name that any of their entries gives, by buyer. */
export function distinctPeople(entries: readonly Entry[]): Map<string, Entry> {
  const people = new Map<string, Entry>();
  for (const entry of entries.filter(({ problem }) => problem === undefined)) {
    const known = people.get(buyerKey(entry.email)) ?? entry;
    people.set(buyerKey(entry.email), { ...known, name: known.name ?? entry.name });
  }
  return people;
}

/**
 * The name, unless it would replace the one of somebody who exists, or may exist. The same name changes nothing, and keeps the
 * call identical to an earlier one of unknown outcome that may have created the student.
 */
export function nameToSend(
  name: string | undefined,
  { isStudent, name: known }: Pick<StudentEvidence, 'isStudent' | 'name'>,
): string | undefined {
  return isStudent === false || name === known ? name : undefined;
}

/** In doubt somebody is `due` only with `includesDoubtful`. Without evidence everybody is: they are looked at before the change. */
export function planEntry(
  entry: Entry,
  product: KnownProduct,
  evidence: StudentEvidence | undefined,
  includesDoubtful: boolean,
): Addition {
  const { email, name, problem, isNobody } = entry;
  const task = { entry, product, person: { email } };
  if (problem !== undefined) return { ...task, state: isNobody ? 'skipped' : 'failed', why: problem };
  if (evidence === undefined) return { ...task, state: 'due' };
  const held = whoHolds(product, evidence);
  if (held.state === 'holds') return { ...task, state: 'already_there', why: held.recent ?? alreadyHeld };
  const why = doubtOf([held], evidence);
  if (why !== undefined && !includesDoubtful) return { ...task, state: 'doubtful', why };
  const isNew = evidence.isStudent === false;
  if (isNew && name === undefined) return { ...task, state: 'failed', why: 'a new student needs a name' };
  return { ...task, state: 'due', why, person: { email, name: nameToSend(name, evidence) }, isNew };
}

/** What is to be done for each entry of a list, in order. `evidence`: by buyer. */
export function planEntries(
  entries: readonly Entry[],
  product: KnownProduct,
  evidence: ReadonlyMap<string, StudentEvidence>,
  includesDoubtful: boolean,
): Addition[] {
  const people = distinctPeople(entries);
  return entries.map((entry) => {
    const key = buyerKey(entry.email);
    const person = entry.problem === undefined ? (people.get(key) ?? entry) : entry;
    if (person.number === entry.number) return planEntry(person, product, evidence.get(key), includesDoubtful);
    return { entry, product, person: { email: entry.email }, state: 'skipped', why: 'is in the list twice' };
  });
}

// Who holds the products of a class and is not on its list, and what may be taken from them.

type Named = { readonly [Field in keyof Person]?: Person[Field] | undefined };

/** All orders and students of the academy, as read just now. */
export function classFacts(orders: readonly SoldOrder[], students: readonly Named[]) {
  const named = students.flatMap(({ email, name }) => (email === undefined ? [] : [{ email, name }]));
  return {
    /** By buyer. Also those without an email: somebody unknown holds what they list. */
    orders: groupBy(orders, ({ buyer }) => buyer),
    students: new Map(named.map((one) => [buyerKey(one.email), one])),
    contents: bundleContents(orders),
  };
}

export type ClassFacts = ReturnType<typeof classFacts>;

/** Whether money may have been paid, or may have been paid and given back: anything but a known 0, pending or failed. */
const mayBePaid = (order: SoldOrder) => !isGrantedOrder(order) && (isSettled(order) || !isKnownStatus(order));

/**
 * The order that keeps a product with somebody: it may be paid, and lists the product, or a bundle that may contain it. The API
 * does not show what a bundle contains, and its revocation takes all of that off every order: any paid order keeps a bundle.
 */
function paidOrderOf(
  orders: readonly SoldOrder[],
  { ref, kind }: KnownProduct,
  contents: BundleContents,
): SoldOrder | undefined {
  return orders.filter(mayBePaid).find((order) => {
    if (order.unread.length > 0) return true;
    if (kind === 'bundle') return order.products.length > 0;
    if (listsProduct(order, { ref, kind }) !== false) return true;
    // An order that lists more than bundles lists what came in them.
    const isAlone = order.products.every((one) => one.kind === 'bundle');
    return order.products.some((one) => one.kind === 'bundle' && (contents(order, one.ref, ref) ?? isAlone));
  });
}

/** What may be taken from one holder, or why nothing is. Undefined if they hold nothing of it. */
export function judgeHolder(
  person: Person,
  orders: readonly SoldOrder[],
  products: readonly KnownProduct[],
  contents: BundleContents,
): Leaver | undefined {
  const judged = products.map((product) => ({ product, ...whoHolds(product, { orders, contents }) }));
  const open = judged.filter(({ state }) => state !== 'not');
  if (open.length === 0) return undefined;
  const stays = (state: State, why: string): Leaver => ({ person, state, why, products: [], losses: [] });
  const [paid] = open.flatMap(({ product }) => paidOrderOf(orders, product, contents) ?? []);
  if (paid !== undefined) return stays('kept', `order ${paid.id}`);
  const doubt = open.find(({ state, listing }) => state === 'perhaps' || listing.length === 0);
  if (doubt !== undefined)
    return stays('doubtful', doubt.doubts[0] ?? `it came with a bundle, by order ${doubt.carriers[0]?.id}`);
  if (!studentEmail.safeParse(person.email).success) return stays('doubtful', 'no readable address');
  const taken = open.map(({ product }) => product);
  const losses = orderLosses(
    orders,
    taken.flatMap((product) => refsOfRevocation(orders, product)),
  );
  return { person, state: 'due', products: taken, losses };
}

export function absentHolders(
  listed: { has(buyer: string): boolean },
  products: readonly KnownProduct[],
  { orders: all, students, contents }: ClassFacts,
): Leaver[] {
  return [...all].flatMap(([buyer, orders]) => {
    if (listed.has(buyer)) return [];
    const { email = orders[0]?.email ?? buyer, name = orders[0]?.name }: Named = students.get(buyer) ?? {};
    return judgeHolder({ email, name }, orders, products, contents) ?? [];
  });
}

/**
 * Adds and removes no person whose address may only have changed: one with the name of a holder who is not on the list.
 * `nameOf`: the name of somebody on the list.
 */
export function withoutRenamed(
  tasks: readonly Addition[],
  absent: readonly Leaver[],
  nameOf: (task: Addition) => string | undefined,
): { tasks: readonly Addition[]; absent: readonly Leaver[] } {
  const byName = new Map(absent.map(({ person }) => [caseless(person.name), person.email]));
  byName.delete('');
  const renamed = new Set<string>();
  const left = tasks.map((task): Addition => {
    const other = task.state === 'due' ? byName.get(caseless(nameOf(task))) : undefined;
    if (other === undefined) return task;
    renamed.add(other);
    return { ...task, state: 'doubtful', why: `${other} has the same name and holds it: did the address change?` };
  });
  const why = 'the list has the same name with another address';
  const isRenamed = ({ state, person }: Leaver) => state === 'due' && renamed.has(person.email);
  return { tasks: left, absent: absent.map((one) => (isRenamed(one) ? { ...one, state: 'doubtful', why } : one)) };
}

/** 16 hexadecimal digits that change with the list and with everything that the plan says of the academy. */
export function rosterVersion(...facts: unknown[]): string {
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 16);
}

const maxDifferences = 12;

export function planDifferences(before: ReadonlyMap<string, string>, now: ReadonlyMap<string, string>): string {
  const people = [...new Set([...before.keys(), ...now.keys()])].filter((one) => before.get(one) !== now.get(one));
  const changes = people.map((one) => `${one}: ${before.get(one) ?? 'not there'} -> ${now.get(one) ?? 'not there'}`);
  return firstOf(changes, maxDifferences, '; ');
}
