import type * as z from 'zod';
import { listOrders, type order } from '../contract/orders.ts';
import type { Tolerant } from '../contract/schemas/response.ts';
import { isoTime } from '../insights/period.ts';
import { buyerKey } from '../insights/sales/sold-order.ts';
import { AcademyError } from '../shared/errors.ts';
import type { Api } from './api.ts';
import { maxConcurrentRequests } from './concurrency.ts';
import { createPages, type NextPage, nextPages, type Pages, remainingPages } from './pages.ts';
import { recordFailureOf } from './partial-failure.ts';

export type OrderRecord = Tolerant<z.infer<typeof order>>;

const perPage = 100;
const dayMs = 86_400_000;

/** This many orders on a page prove that the API ignores the email, if most of them are of other buyers. */
const minOthers = 20;

/** Why the API did not return a page. */
interface Refusal {
  readonly error: AcademyError;
  readonly why: string;
  /** The API says that there is nothing. For a spelling that is only a guess, that is an empty list. */
  readonly isNothing: boolean;
}

/** The orders under one spelling of an email. */
interface Spelling {
  readonly user_email: string;
  readonly pages: Pages;
  /** The identity of each order that was read. */
  readonly seen: Set<string>;
  /** The largest total that the API gave. */
  total: number;
  refusal: Refusal | undefined;
  /** Most orders are of other buyers. Reading on would read the whole academy. */
  isIgnored: boolean;
}

export interface OrdersByEmailOptions {
  readonly since?: Date;
  /** Requests that may still be sent. */
  readonly left?: () => number;
  /** Receives the number of pages read, and of pages known to exist. */
  readonly progress?: (done: number, total: number) => void;
  /** Continues if the API refuses orders. The answer then names the problem. */
  readonly partly?: true;
}

export interface OrdersByEmail {
  /** As the API sent them, each once. Includes orders of other buyers if the API did not filter. */
  readonly orders: readonly OrderRecord[];
  /** Pages are missing because no requests were left. */
  readonly isCut: boolean;
  /** Why the list may be incomplete, if the answers of the API are the reason. */
  readonly problem: string | undefined;
  /** Why no orders could be read, if the API refused every request. */
  readonly refusal: AcademyError | undefined;
  readonly requests: number;
}

/** Codes of the error for a page beyond the last one. */
const beyondLastPage: ReadonlySet<string> = new Set(['not_found', 'unprocessable']);

type OrderPage = Awaited<ReturnType<typeof readPage>>;

async function readPage(api: Api, { list: { user_email }, page }: NextPage<Spelling>, since: Date | undefined) {
  // The API may read a bound as a whole day.
  const bounds =
    since === undefined ? {} : { created_after: isoTime(since.getTime() - (since.getTime() % 1000) - dayMs) };
  return await api.call(listOrders, { user_email, status: 'all', page, per_page: perPage, ...bounds });
}

async function pageOrRefusal(
  api: Api,
  one: NextPage<Spelling>,
  { since, partly }: OrdersByEmailOptions,
): Promise<OrderPage | Refusal> {
  return await readPage(api, one, since).catch((error: unknown) => {
    const isBeyond = one.page > 1 && error instanceof AcademyError && beyondLastPage.has(error.code);
    const why = partly === true || isBeyond ? recordFailureOf(error, false) : undefined;
    if (why === undefined || !(error instanceof AcademyError)) throw error;
    return { error, why, isNothing: error.code === 'not_found' && one.page === 1 };
  });
}

function nameOf(order: OrderRecord): string {
  return order.id === undefined ? JSON.stringify(order) : `id ${order.id}`;
}

function addPage(list: Spelling, page: number, answer: OrderPage | Refusal): readonly OrderRecord[] {
  if ('why' in answer) {
    if (page > 1 && beyondLastPage.has(answer.error.code)) list.pages.refuse(page);
    else list.refusal ??= answer;
    return [];
  }
  const { items, meta } = answer;
  const { total_pages: totalPages, total_orders: total, per_page: size } = meta ?? {};
  list.pages.add(page, { items, totalPages, total, perPage: size });
  const others = items.filter(
    ({ user_email: email }) => email !== undefined && buyerKey(email) !== buyerKey(list.user_email),
  );
  list.isIgnored = items.length >= minOthers && 2 * others.length > items.length && !list.pages.isDone();
  for (const item of items) list.seen.add(nameOf(item));
  list.total = Math.max(list.total, meta?.total_orders ?? 0);
  return items;
}

/** If the API counts more distinct orders than it showed, some are missing. */
function problemOf(list: Spelling, lists: readonly Spelling[]): string | undefined {
  const { refusal, seen, total, pages } = list;
  const isRead = lists.some((other) => other !== list && other.refusal === undefined && other.seen.size > 0);
  if (refusal !== undefined) {
    return refusal.isNothing && isRead ? undefined : `the orders of the student could not be read (${refusal.why})`;
  }
  if (list.isIgnored) return 'the API ignored the email filter of the orders';
  const isFewer = pages.left() === 0 && seen.size < total;
  return isFewer ? `the API counts ${total} orders of the student, and its pages show ${seen.size}` : undefined;
}

/** Reads the orders of every status under these spellings, one page of each per round. */
export async function readOrdersByEmail(
  api: Api,
  spellings: readonly string[],
  options: OrdersByEmailOptions,
): Promise<OrdersByEmail> {
  const { left = () => maxConcurrentRequests, progress } = options;
  const lists = spellings.map((user_email): Spelling => {
    return {
      user_email,
      pages: createPages({ noun: 'orders', perPage }),
      seen: new Set(),
      total: 0,
      refusal: undefined,
      isIgnored: false,
    };
  });
  const open = () => lists.filter(({ refusal, isIgnored }) => refusal === undefined && !isIgnored);
  const orders = new Map<string, OrderRecord>();
  const next = () => nextPages(open(), Math.min(maxConcurrentRequests, left()), 1);
  let done = 0;
  for (let round = next(); round.length > 0; round = next()) {
    const read = await Promise.all(
      round.map(async (one) => ({ ...one, answer: await pageOrRefusal(api, one, options) })),
    );
    for (const { list, page, answer } of read) {
      for (const order of addPage(list, page, answer)) orders.set(nameOf(order), order);
    }
    done += round.length;
    progress?.(done, done + remainingPages(open()).left);
  }
  const end = remainingPages(open());
  const problems = [end.problem, ...lists.map((list) => problemOf(list, lists))].filter((why) => why !== undefined);
  const refusal = lists.every((list) => list.refusal !== undefined) ? lists[0]?.refusal?.error : undefined;
  return { orders: [...orders.values()], isCut: end.left > 0, problem: problems[0], refusal, requests: done };
}
