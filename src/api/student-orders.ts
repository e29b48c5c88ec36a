import type * as z from 'zod';
import type { Tolerant } from '../contract/answer.ts';
import { studentEmail } from '../contract/fields.ts';
import { listOrders, type order } from '../contract/orders.ts';
import { getStudentDetails } from '../contract/students.ts';
import { isoTime } from '../insights/period.ts';
import { buyerKey } from '../insights/sales/sold-order.ts';
import { AcademyError } from '../shared/errors.ts';
import type { Api } from './api.ts';
import { createPages, type NextPage, nextRound, type Pages, reached } from './pages.ts';

export type KnownOrder = Tolerant<z.infer<typeof order>>;
export type KnownStudent = Tolerant<z.infer<(typeof getStudentDetails)['response']['schema']>>;

export interface StudentOrders {
  readonly student: KnownStudent;
  readonly orders: readonly KnownOrder[];
  /** Whether the orders that give access are all there, so that what none of them lists is not held. */
  readonly isWhole: boolean;
  /** How the email was written in the questions: a pending or failed order under another spelling is not seen. */
  readonly spellings: readonly string[];
  /** Pages of orders are missing for want of requests. */
  readonly isCut: boolean;
  /** Why the pages of orders ended before their end, where the API's answers were the reason. */
  readonly problem: string | undefined;
  /** Orders of other emails that came although they were not asked for; they are left out. */
  readonly discarded: number;
}

export interface StudentOrderTerms {
  /** The orders alone are wanted: details that cannot be read, which the document does not show, are done without. */
  readonly ordersAlone?: true;
  /** Leaves out older ones, and asks only for the spelling that the student has. */
  readonly since?: Date;
  /** Requests that may still be sent; as many as `pages.ts` allows where it is left out. */
  readonly left?: () => number;
  /** Hears the number of pages that have been read, and of those known to be there. */
  readonly progress?: (done: number, total: number) => void;
}

/** The API finds orders by the very letters of the email, and a buyer may have typed it in other capitals. */
const maxSpellings = 4;

/** Nobody is known by anything else, and a long text would not go into a query. */
function isEmail(text: string | undefined): text is string {
  return studentEmail.safeParse(text).success;
}

/** The orders under one spelling. */
interface Spelling {
  readonly user_email: string;
  readonly pages: Pages;
  /** The API sends mostly orders of others: to read them all would be to read the academy. */
  isIgnored: boolean;
}

const perPage = 100;
const dayMs = 86_400_000;
const beyond: ReadonlySet<string> = new Set(['not_found', 'unprocessable']);

/** Undefined where the API refuses a page that may lie beyond the last. A refused first page says nothing of the student. */
async function readPage(api: Api, { list: { user_email }, page }: NextPage<Spelling>, since: Date | undefined) {
  // A bound may be read as a whole day.
  const bounds =
    since === undefined ? {} : { created_after: isoTime(since.getTime() - (since.getTime() % 1000) - dayMs) };
  const asked = { user_email, status: 'all', page, per_page: perPage, ...bounds } as const;
  return await api.call(listOrders, asked).catch((error: unknown) => {
    if (!(error instanceof AcademyError) || !beyond.has(error.code)) throw error;
    if (page > 1) return undefined;
    throw error.code === 'not_found'
      ? new AcademyError('unexpected_response', `orders: ${error.message}`, error)
      : error;
  });
}

type Answer = Awaited<ReturnType<typeof readPage>>;

/** Keeps the orders of the student; the others are counted. */
function takePage({ list, page }: NextPage<Spelling>, answer: Answer, own: ReadonlySet<string>): KnownOrder[] {
  if (answer === undefined) {
    list.pages.refuse(page);
    return [];
  }
  const { items, meta } = answer;
  const { total_pages: totalPages, total_orders: total, per_page: size } = meta ?? {};
  list.pages.add(page, { items, totalPages, total, perPage: size });
  const kept = items.filter(({ user_email }) => user_email === undefined || own.has(buyerKey(user_email)));
  list.isIgnored = items.length >= 20 && 2 * kept.length < items.length && !list.pages.isDone();
  return kept;
}

/** A page of each spelling, then the next ones of those that have more. */
async function ordersUnder(api: Api, spellings: readonly string[], terms: StudentOrderTerms) {
  const { since, left = () => maxSpellings, progress } = terms;
  const lists = spellings.map(
    (user_email): Spelling => ({ user_email, pages: createPages({ noun: 'orders', perPage }), isIgnored: false }),
  );
  const orders: KnownOrder[] = [];
  const own = new Set(spellings.map(buyerKey));
  const open = () => lists.filter(({ isIgnored }) => !isIgnored);
  const next = () => nextRound(open(), Math.min(maxSpellings, left()), 1);
  let discarded = 0;
  let done = 0;
  for (let round = next(); round.length > 0; round = next()) {
    const read = await Promise.all(round.map(async (one) => ({ ...one, answer: await readPage(api, one, since) })));
    for (const { answer, ...one } of read) {
      const kept = takePage(one, answer, own);
      orders.push(...kept);
      discarded += (answer?.items.length ?? 0) - kept.length;
    }
    done += round.length;
    progress?.(done, done + reached(open()).left);
  }
  const { left: missing, problem } = reached(open());
  const ignored = open().length < lists.length ? 'the API ignored the email that orders were asked for' : undefined;
  return { orders, isCut: missing > 0, problem: problem ?? ignored, discarded };
}

function uniqueById(orders: readonly KnownOrder[]): KnownOrder[] {
  return [...new Map(orders.map((order) => [order.id ?? order, order])).values()];
}

async function detailsOf(api: Api, email: string, { ordersAlone }: StudentOrderTerms): Promise<KnownStudent> {
  return await api.call(getStudentDetails, { email }).catch((error: unknown) => {
    const isUnreadable = error instanceof AcademyError && error.code === 'unexpected_response';
    if (ordersAlone && isUnreadable) return {};
    throw error;
  });
}

/**
 * A student, and their orders of every status under each spelling of the email that is known: as given, as the student
 * has it, in small letters, as paid orders have it. One request, and one for each spelling and page of 100 orders; throws
 * `not_found` for an unknown student.
 */
export async function ordersOfStudent(api: Api, email: string, terms: StudentOrderTerms = {}): Promise<StudentOrders> {
  const student = await detailsOf(api, email, terms);
  const paid = student.paid_orders;
  const typed = (paid ?? []).flatMap(({ user_email }) => (user_email === undefined ? [] : [user_email]));
  const own = isEmail(student.email) ? student.email : email;
  const known = new Set([own, ...(terms.since === undefined ? [email, own.toLowerCase(), ...typed] : [])]);
  const spellings = [...known].filter(isEmail).slice(0, maxSpellings);
  const { orders, ...end } = await ordersUnder(api, spellings, terms);
  const all = uniqueById([...orders, ...(paid ?? [])]);
  return { student, orders: all, isWhole: paid !== undefined, spellings, ...end };
}
