import type * as z from 'zod';
import { order } from '../contract/orders.ts';
import type { Tolerant } from '../contract/schemas/response.ts';
import { studentEmail } from '../contract/schemas/shared-arguments.ts';
import { getStudentDetails } from '../contract/students.ts';
import { joinOrders, ordersOfBuyer } from '../insights/sales/orders-of-buyer.ts';
import { buyerKey } from '../insights/sales/sold-order.ts';
import { AcademyError } from '../shared/errors.ts';
import { isObject } from '../shared/json.ts';
import type { Api } from './api.ts';
import { coerce } from './http/coerce.ts';
import { unreadablePathsIn } from './http/unreadable-paths.ts';
import {
  type OrderRecord,
  type OrdersByEmail,
  type OrdersByEmailOptions,
  readOrdersByEmail,
} from './orders-by-email.ts';
import { recordFailureOf } from './partial-failure.ts';

export type { OrderRecord } from './orders-by-email.ts';
export type StudentRecord = Tolerant<z.infer<(typeof getStudentDetails)['response']['schema']>>;

export interface StudentOrders {
  /** Empty if the details could not be read. */
  readonly student: StudentRecord;
  /** Why the details could not be read; undefined if they were. */
  readonly detailsProblem: string | undefined;
  /** Orders of every status, each once, and only of this student. */
  readonly orders: readonly OrderRecord[];
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
}

export interface StudentOrdersOptions extends Omit<OrdersByEmailOptions, 'since'> {
  /** Only the orders are needed: continues without details that the API refuses or that cannot be read. */
  readonly ordersAlone?: true;
  /** Leaves out older orders, and requests only the spelling that the student record has. */
  readonly since?: Date;
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
function paidIn(student: StudentRecord): OrderRecord[] | undefined {
  const { paid_orders, orders }: { paid_orders?: unknown; orders?: unknown } = student;
  const list = paid_orders ?? orders;
  if (!Array.isArray(list) || !list.every(isObject)) return undefined;
  // The only cast for orders under an undocumented key: coerce() has read them by the schema of this type.
  return list.map((entry) => coerce(order, entry, () => {}) as OrderRecord);
}

interface DetailsRead {
  readonly student: StudentRecord;
  readonly detailsProblem: string | undefined;
}

/** For an unknown email, some platforms answer with another student or with the caller. */
function checked(student: StudentRecord, email: string): DetailsRead {
  const isOther = student.email !== undefined && buyerKey(student.email) !== buyerKey(email);
  return isOther
    ? { student: {}, detailsProblem: 'the API returned the details of another email' }
    : { student, detailsProblem: undefined };
}

/** Throws `not_found` if there is no such student, and errors that end the job. */
async function detailsOf(api: Api, email: string, { ordersAlone }: StudentOrdersOptions): Promise<DetailsRead> {
  try {
    return checked(await api.call(getStudentDetails, { email }), email);
  } catch (error) {
    const isAbsent = error instanceof AcademyError && error.code === 'not_found';
    const why = isAbsent || ordersAlone !== true ? undefined : recordFailureOf(error, false);
    if (why === undefined) throw error;
    return { student: {}, detailsProblem: why };
  }
}

function problemOf(read: OrdersByEmail, joined: string | undefined, nameless: number): string | undefined {
  const unnamed = nameless === 1 ? '1 order has no email' : `${nameless} orders have no email`;
  return read.problem ?? joined ?? (nameless > 0 ? `${unnamed}, so the buyer is unknown` : undefined);
}

/**
 * A student and their orders of every status, under each known spelling of the email: as given, as in the student
 * record, in lower case, and as in paid orders. Costs one request, and one for each spelling and page of 100 orders.
 * Throws `not_found` for an unknown student.
 */
export async function readStudentOrders(
  api: Api,
  email: string,
  options: StudentOrdersOptions = {},
): Promise<StudentOrders> {
  const { student, detailsProblem } = await detailsOf(api, email, options);
  const { since } = options;
  const paid = paidIn(student) ?? [];
  const typed = paid.flatMap(({ user_email }) => (user_email === undefined ? [] : [user_email]));
  const own = isEmail(student.email) ? student.email : email;
  const known = new Set([own, ...(since === undefined ? [email, own.toLowerCase(), ...typed] : [])]);
  const spellings = [...known].filter(isEmail).slice(0, maxSpellings);
  const read = await readOrdersByEmail(api, spellings, { ...options, ...(since === undefined ? {} : { since }) });
  if (read.refusal !== undefined && detailsProblem !== undefined) throw read.refusal;
  const sorted = ordersOfBuyer(read.orders, spellings);
  const joined = joinOrders(sorted.own, paid);
  const nameless = sorted.nameless.length;
  // Before `since` there may be more orders.
  const isCompared = since === undefined && !read.isCut;
  return {
    student,
    detailsProblem,
    orders: joined.orders,
    isWhole: paidIn(student) !== undefined && !unreadablePathsIn(student).some((path) => leftOut.test(path)),
    spellings,
    isCut: read.isCut,
    problem: problemOf(read, isCompared ? joined.problem : undefined, nameless),
    discarded: sorted.discarded,
    nameless,
    requests: 1 + read.requests,
  };
}
