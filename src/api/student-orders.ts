import type * as z from 'zod';
import { order } from '../contract/orders.ts';
import type { Tolerant } from '../contract/schemas/response.ts';
import { studentEmail } from '../contract/schemas/shared-arguments.ts';
import { getStudentDetails } from '../contract/students.ts';
import { joinOrders, ownOrders } from '../insights/sales/orders-of-buyer.ts';
import { buyerKey } from '../insights/sales/sold-order.ts';
import { AcademyError } from '../shared/errors.ts';
import { isObject } from '../shared/json.ts';
import type { Api } from './api.ts';
import { coerce } from './http/coerce.ts';
import { type KnownOrder, type OrdersUnder, type OrdersUnderTerms, ordersUnder } from './orders-by-email.ts';
import { refusalOf } from './partial-failure.ts';

export type { KnownOrder } from './orders-by-email.ts';
export type KnownStudent = Tolerant<z.infer<(typeof getStudentDetails)['response']['schema']>>;

export interface StudentOrders {
  /** Empty where the details could not be read. */
  readonly student: KnownStudent;
  /** Why the details could not be read, where they could not. */
  readonly unread: string | undefined;
  /** Of every status, each once, and of nobody else. */
  readonly orders: readonly KnownOrder[];
  /** Whether the details show the orders that give access beside the list of orders. */
  readonly isWhole: boolean;
  /** How the email was written in the questions: a pending or failed order under another spelling is not seen. */
  readonly spellings: readonly string[];
  /** Pages of orders are missing for want of requests. */
  readonly isCut: boolean;
  /** Why orders may be missing, where the API's answers were the reason. */
  readonly problem: string | undefined;
  /** Orders of others that came although only those of this email were asked for. */
  readonly discarded: number;
  /** Orders that came without an email: whose they are is not known. */
  readonly nameless: number;
  readonly requests: number;
}

export interface StudentOrderTerms extends Omit<OrdersUnderTerms, 'since'> {
  /** The orders alone are wanted: details that the API refuses, or that cannot be read, are done without. */
  readonly ordersAlone?: true;
  /** Leaves out older ones, and asks only for the spelling that the student has. */
  readonly since?: Date;
}

/** The API finds orders by the very letters of the email, and a buyer may have typed it in other capitals. */
const maxSpellings = 4;

/** Nobody is known by anything else, and a long text would not go into a query. */
function isEmail(text: string | undefined): text is string {
  return studentEmail.safeParse(text).success;
}

/** Keys under which the details may show the orders that were paid. */
const orderKeys = ['paid_orders', 'orders', 'purchases'];

function paidIn(student: KnownStudent): KnownOrder[] | undefined {
  const lists = Object.entries(student).filter(([key, value]) => orderKeys.includes(key) && Array.isArray(value));
  const value: unknown = lists[0]?.[1];
  if (!Array.isArray(value)) return undefined;
  // The one place where an order under an undocumented key gets its type: coerce() reads it by the schema of the type.
  return value.filter(isObject).map((entry) => coerce(order, entry, () => {}) as KnownOrder);
}

interface DetailsRead {
  readonly student: KnownStudent;
  readonly unread: string | undefined;
}

/** Some platforms answer with somebody else, or with the caller, for an email that they do not know. */
function checked(student: KnownStudent, email: string): DetailsRead {
  const isOther = student.email !== undefined && buyerKey(student.email) !== buyerKey(email);
  return isOther
    ? { student: {}, unread: 'the API showed the details of another email' }
    : { student, unread: undefined };
}

/** Throws `not_found` where there is no such student, and what ends the whole. */
async function detailsOf(api: Api, email: string, { ordersAlone }: StudentOrderTerms): Promise<DetailsRead> {
  try {
    return checked(await api.call(getStudentDetails, { email }), email);
  } catch (error) {
    const isAbsent = error instanceof AcademyError && error.code === 'not_found';
    const why = isAbsent || ordersAlone !== true ? undefined : refusalOf(error, false);
    if (why === undefined) throw error;
    return { student: {}, unread: why };
  }
}

function problemOf(read: OrdersUnder, joined: string | undefined, nameless: number): string | undefined {
  const unnamed = nameless === 1 ? '1 order has no email' : `${nameless} orders have no email`;
  return read.problem ?? joined ?? (nameless > 0 ? `${unnamed}, so whose they are cannot be told` : undefined);
}

/**
 * A student, and their orders of every status under each spelling of the email that is known: as given, as the student
 * has it, in small letters, as paid orders have it. One request, and one for each spelling and page of 100 orders; throws
 * `not_found` for an unknown student.
 */
export async function ordersOfStudent(api: Api, email: string, terms: StudentOrderTerms = {}): Promise<StudentOrders> {
  const { student, unread } = await detailsOf(api, email, terms);
  const { since } = terms;
  const paid = paidIn(student) ?? [];
  const typed = paid.flatMap(({ user_email }) => (user_email === undefined ? [] : [user_email]));
  const own = isEmail(student.email) ? student.email : email;
  const known = new Set([own, ...(since === undefined ? [email, own.toLowerCase(), ...typed] : [])]);
  const spellings = [...known].filter(isEmail).slice(0, maxSpellings);
  const read = await ordersUnder(api, spellings, { ...terms, ...(since === undefined ? {} : { since }) });
  if (read.refusal !== undefined && unread !== undefined) throw read.refusal;
  const sorted = ownOrders(read.orders, spellings);
  const joined = joinOrders(sorted.own, paid);
  const nameless = sorted.nameless.length;
  // Before the time that was asked for there may be more.
  const isCompared = since === undefined && !read.isCut;
  return {
    student,
    unread,
    orders: joined.orders,
    isWhole: paidIn(student) !== undefined,
    spellings,
    isCut: read.isCut,
    problem: problemOf(read, isCompared ? joined.problem : undefined, nameless),
    discarded: sorted.discarded,
    nameless,
    requests: 1 + read.requests,
  };
}
