import type { AnswerOf } from '../contract/operation.ts';
import { order } from '../contract/orders.ts';
import { studentEmail } from '../contract/schemas/input-fields.ts';
import { getStudentDetails } from '../contract/students.ts';
import type { Freshness } from '../insights/freshness.ts';
import { widerBounds } from '../insights/period.ts';
import {
  type ApiOrder,
  addOrders,
  buyerKey,
  isSettled,
  isUnpaid,
  type SoldOrder,
  soldOrder,
} from '../insights/sales/sold-order.ts';
import { coursesInDetails } from '../insights/students/courses-in-details.ts';
import type { HoldingEvidence } from '../insights/students/holdings.ts';
import { AcademyError } from '../shared/errors.ts';
import { isObject } from '../shared/json.ts';
import type { Api } from './api.ts';
import { unreadablePathsIn } from './http/answer-facts.ts';
import { coerce } from './http/coerce.ts';
import { anotherRecord } from './http/decode.ts';
import { newOrderList, type OrderList, readOrderLists, readOrderPage } from './order-lists.ts';
import { maxConcurrentRequests, remainingPages } from './pages.ts';
import { recordFailureOf } from './partial-failure.ts';

// Reads the orders of a person: the API shows those of one spelling of an email, and the details of the student some.

export type StudentRecord = AnswerOf<typeof getStudentDetails>;

/** This many orders on a page prove that the API ignores the email, if most of them are of other buyers. */
const minOthers = 20;

interface Spelling extends OrderList {
  readonly user_email: string;
  refusal: AcademyError | undefined;
  /** Most orders are of other buyers. Reading on would read the whole academy. */
  isIgnored: boolean;
}

interface OrdersByEmailOptions {
  /** Only orders since then, read when the first answer has given the server's time. */
  readonly since?: () => Date;
  readonly left?: () => number;
  /** Receives the number of pages read, and of pages known to exist. */
  readonly progress?: (done: number, total: number) => void;
  /** Continues if the API refuses orders. The answer then names the problem. */
  readonly partly?: true;
}

function isIgnored({ user_email, orders, pages }: Spelling): boolean {
  const others = [...orders.values()].filter(
    ({ email, buyer }) => email !== undefined && buyer !== buyerKey(user_email),
  );
  return orders.size >= minOthers && 2 * others.length > orders.size && pages.left() > 0;
}

function problemWith({ refusal, isIgnored }: Spelling, isRead: boolean): string | undefined {
  // That there is nothing for a spelling that is only a guess is an empty list.
  if (refusal !== undefined && !(refusal.code === 'not_found' && isRead))
    return `the orders of the student could not be read (${recordFailureOf(refusal, false)})`;
  return isIgnored ? 'the API ignored the email filter of the orders' : undefined;
}

/** `isCut`: no requests were left. `problem`: why it may be incomplete. `refusal`: the API refused every request. */
export async function readOrdersByEmail(api: Api, spellings: readonly string[], options: OrdersByEmailOptions) {
  const { since, left = () => maxConcurrentRequests, partly, progress } = options;
  const bounds = widerBounds({ from: since?.().getTime() });
  const lists = spellings.map((user_email): Spelling => {
    return { user_email, ...newOrderList(), refusal: undefined, isIgnored: false };
  });
  const open = () => lists.filter((list) => list.refusal === undefined && !list.isIgnored);
  const descriptions = new Map<string, string>();
  let requests = 0;

  async function read(list: Spelling, page: number): ReturnType<typeof readOrderPage> {
    const query = { user_email: list.user_email, status: 'all' as const, ...bounds };
    try {
      const answer = await readOrderPage(api, query, page);
      for (const { id, description } of answer?.items ?? []) descriptions.set(id ?? '', description ?? '');
      return answer;
    } catch (error) {
      const mayContinue = partly === true && recordFailureOf(error, false) !== undefined;
      if (!mayContinue || !(error instanceof AcademyError)) throw error;
      list.refusal ??= error;
      return undefined;
    }
  }

  const onRound = (sent: number) => {
    requests += sent;
    for (const list of lists) list.isIgnored ||= isIgnored(list);
    progress?.(requests, requests + remainingPages(open()).left);
  };
  const failure = await readOrderLists(open, { read, left, maxPerList: 1, onRound });
  if (failure !== undefined) throw failure.reason;
  const orders = new Map<string, SoldOrder>();
  for (const list of lists) addOrders(orders, [...list.orders.values()]);
  const end = remainingPages(open());
  const isRead = lists.some((list) => list.refusal === undefined && list.orders.size > 0);
  const problem = lists.map((list) => problemWith(list, isRead)).find((why) => why !== undefined) ?? end.problem;
  const refusal = lists.every((list) => list.refusal !== undefined) ? lists[0]?.refusal : undefined;
  return { orders: [...orders.values()], descriptions, isCut: end.left > 0, problem, refusal, requests };
}

/** What was read of a student: their details, and their orders of every status, each once, and of no other student. */
export interface StudentOrders extends HoldingEvidence {
  /** Empty if the details could not be read. */
  readonly student: StudentRecord;
  readonly detailsProblem: string | undefined;
  /** The description of each order, by id. Not of orders from the copy. */
  readonly descriptions: ReadonlyMap<string, string>;
  /** Whether the details list the orders that give access, in addition to the list of orders. */
  readonly isWhole: boolean;
  /** The spellings of the email that were requested. A pending or failed order under another spelling is missing. */
  readonly spellings: readonly string[];
  /** Pages of orders are missing because no requests were left. */
  readonly isCut: boolean;
  /** Why orders may be missing, if the answers of the API are the reason. */
  readonly problem: string | undefined;
  /** Orders of other buyers that the API returned for this email. */
  readonly discarded: number;
  /** Orders without an email. Their buyer is unknown. */
  readonly nameless: number;
  readonly requests: number;
  /** Other students of the same name, if a list shows some. `readStudent` adds it. */
  readonly namesakes?: string;
  readonly copied?: Freshness | undefined;
}

export interface StudentOrdersOptions extends OrdersByEmailOptions {
  /** Only the orders are needed: continues without details that the API refuses or that cannot be read. */
  readonly ordersAlone?: true;
  /** The orders of these people from the copy, in place of the API; undefined if it does not have all of them. */
  readonly copy?: (
    buyers: readonly string[],
  ) => Promise<(Freshness & { readonly orders: readonly SoldOrder[] }) | undefined>;
}

/** The API matches the email letter by letter, and a buyer may have typed other capitals. */
const maxSpellings = 4;

/** Only an email identifies a buyer, and a long text does not fit into a query. */
function isEmail(text: string | undefined): text is string {
  return studentEmail.safeParse(text).success;
}

/** Entries of the paid orders, or the whole list, that were left out because they are no records. */
const leftOut = /^\$\.paid_orders(\.\d+)?$/;

/** The paid orders in the details: whole records, under `paid_orders` or `orders`. Undefined if they show no such list. */
function paidIn(student: StudentRecord): SoldOrder[] | undefined {
  const { paid_orders, orders }: { paid_orders?: unknown; orders?: unknown } = student;
  const list = paid_orders ?? orders;
  if (!Array.isArray(list) || !list.every(isObject)) return undefined;
  // The only cast for orders under an undocumented key: coerce() has read them by the schema of this type.
  return list.map((entry) => soldOrder(coerce(order, entry, () => {}) as ApiOrder));
}

/** Throws `not_found` if there is no such student, and errors that end the job. */
async function detailsOf(
  api: Api,
  email: string,
  { ordersAlone }: StudentOrdersOptions,
): Promise<Pick<StudentOrders, 'student' | 'detailsProblem'>> {
  try {
    return { student: await api.call(getStudentDetails, { email }), detailsProblem: undefined };
  } catch (error) {
    // For an unknown email, some platforms answer with another student or with the caller.
    if (error instanceof AcademyError && error.message === anotherRecord)
      return { student: {}, detailsProblem: 'the API returned the details of another email' };
    const isAbsent = error instanceof AcademyError && error.code === 'not_found';
    const why = isAbsent || ordersAlone !== true ? undefined : recordFailureOf(error, false);
    if (why === undefined) throw error;
    return { student: {}, detailsProblem: why };
  }
}

/** The orders of one person among those that were requested under spellings of their email. Ignores case. */
export function ordersOfBuyer(orders: readonly SoldOrder[], spellings: readonly string[]) {
  const keys = new Set(spellings.map(buyerKey));
  const named = orders.filter(({ email }) => email?.trim());
  const own = named.filter(({ buyer }) => keys.has(buyer));
  return { own, discarded: named.length - own.length, nameless: orders.length - named.length };
}

const hasId = ({ unreadable }: SoldOrder) => !unreadable.includes('orders');

/** The list wins for an order in both. If no id of the details is in it, they are of another kind, and only it counts. */
export function joinOrders(listed: readonly SoldOrder[], shown: readonly SoldOrder[]) {
  const ids = new Set(listed.map(({ id }) => id));
  const extra = shown.filter(({ id }) => !ids.has(id));
  const settled = listed.filter((one) => !isUnpaid(one)).length;
  const isOfOneKind = extra.length < shown.length || settled === 0;
  const sure = isOfOneKind ? extra.filter((one) => hasId(one) || settled === 0) : [];
  const isShort = shown.length > settled + sure.length && extra.length > sure.length;
  const problem = `get_student_details shows ${shown.length} paid orders, list_orders only ${settled} of them`;
  return { orders: [...listed, ...sure], problem: isShort ? problem : undefined };
}

/** What a paid order gives: two readings that agree on it agree on access. */
const meaningOf = ({ id, status, amount, currency, products }: SoldOrder) =>
  JSON.stringify([id, status, amount, currency, products.map(({ ref }) => ref).sort()]);

/** With more orders of others than this, and than their own, the API does not filter by email. */
const mostStrays = 3;

/** Why orders may be missing: one that shows another email may be theirs, under an email that they had or gave then. */
export function strayProblem({ own, discarded, nameless }: ReturnType<typeof ordersOfBuyer>): string | undefined {
  const orders = (count: number, one: string, several: string) =>
    count === 1 ? `1 order ${one}` : `${count} orders ${several}`;
  if (nameless > 0) return `${orders(nameless, 'has', 'have')} no email, so the buyer is unknown`;
  const isFiltered = discarded > 0 && discarded <= Math.max(mostStrays, own.length);
  return isFiltered
    ? `the API returned ${orders(discarded, 'for this email that shows', 'for this email that show')} another email`
    : undefined;
}

/** The orders of the copy, if it has exactly the paid orders that the details show at this moment. */
async function readCopy(
  spellings: readonly string[],
  paid: readonly SoldOrder[] | undefined,
  copy: StudentOrdersOptions['copy'],
) {
  const found = paid && (await copy?.([...new Set(spellings.map(buyerKey))]));
  const known = new Set(found?.orders.filter(isSettled).map(meaningOf));
  const agrees = paid?.length === known.size && paid.every((one) => known.has(meaningOf(one)));
  if (found === undefined || !agrees) return undefined;
  const { newUpTo, changesAsOf } = found;
  // In the order of the API, which is asked for one spelling after the other.
  const rank = ({ email }: SoldOrder) => spellings.indexOf(email ?? '') >>> 0;
  const orders = found.orders.toSorted((one, other) => rank(one) - rank(other));
  const whole = { isCut: false, problem: undefined, discarded: 0, nameless: 0, requests: 1 };
  return { orders, descriptions: new Map<string, string>(), ...whole, copied: { newUpTo, changesAsOf } };
}

/** Under each known spelling: one request, and one for each spelling and page. Throws `not_found`. */
export async function readStudentOrders(
  api: Api,
  email: string,
  options: StudentOrdersOptions = {},
): Promise<StudentOrders> {
  const { student, detailsProblem } = await detailsOf(api, email, options);
  const isAll = options.since === undefined;
  const paid = paidIn(student);
  const isWhole = paid !== undefined && !unreadablePathsIn(student).some((path) => leftOut.test(path));
  const own = isEmail(student.email) ? student.email : email;
  const more = isAll ? [email, own.toLowerCase(), ...(paid ?? []).flatMap((one) => one.email ?? [])] : [];
  const spellings = [...new Set([own, ...more])].filter(isEmail).slice(0, maxSpellings);
  const about = { student, detailsProblem, isWhole, spellings, shown: coursesInDetails(student) };
  const copied = isWhole ? await readCopy(spellings, paid, options.copy) : undefined;
  if (copied !== undefined) return { ...about, ...copied, missing: detailsProblem };
  const { refusal, descriptions, isCut, ...read } = await readOrdersByEmail(api, spellings, options);
  if (refusal !== undefined && detailsProblem !== undefined) throw refusal;
  const sorted = ordersOfBuyer(read.orders, spellings);
  const { own: listed, ...others } = sorted;
  const { orders, problem: lack } = joinOrders(listed, paid ?? []);
  // Before `since` there may be more orders.
  const problem = read.problem ?? (isAll && !isCut ? lack : undefined) ?? strayProblem(sorted);
  const missing = problem ?? (isCut ? 'pages were not read' : detailsProblem);
  return { ...about, orders, descriptions, isCut, problem, missing, ...others, requests: 1 + read.requests };
}
