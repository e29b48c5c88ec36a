import type { Academy } from '../../src/sandbox/state/academy.ts';
import { addByTime } from '../../src/sandbox/state/collections.ts';
import type { OrderRecord } from '../../src/sandbox/state/orders.ts';
import type { StudentRecord } from '../../src/sandbox/state/students.ts';
import type { Row } from '../support/academy.ts';
import type { Raw } from './academy.ts';

// A plain walk over the records. It shares no code with the tools, so a fault of theirs cannot be in the truth too.

/** Inclusive and exclusive, as days of UTC; named as in the API. */
interface Period {
  readonly created_after: string;
  readonly created_before: string;
}

interface Sold extends Partial<Period> {
  /** Titles. A bundle's courses count as sold with it. */
  readonly course?: string;
  readonly bundle?: string;
  readonly statuses?: readonly string[];
  /** Orders of amount 0 alone; default: all others alone. */
  readonly free?: boolean;
}

const received = ['paid', 'wallet_executed'];

export function sold(academy: Academy, { course, bundle, statuses = received, free = false, ...period }: Sold) {
  const { created_after: from = '2000-01-01', created_before: before = '2100-01-01' } = period;
  const { courses, bundles } = academy.catalogue;
  const courseId = course === undefined ? undefined : idOf(courses.all(), course);
  const bundleId = bundle === undefined ? undefined : idOf(bundles.all(), bundle);
  return academy.orders.all().filter((order) => {
    const isInPeriod = order.created_at >= Date.parse(from) && order.created_at < Date.parse(before);
    const isOfProduct =
      (courseId === undefined || order.courses.includes(courseId)) &&
      (bundleId === undefined || order.bundles.includes(bundleId));
    return isInPeriod && isOfProduct && statuses.includes(order.status) && (Number(order.amount) === 0) === free;
  });
}

export function idOf(rows: readonly { readonly id: number; readonly title: string }[], title: string): number {
  const found = rows.find((row) => row.title === title);
  if (found === undefined) throw new Error(`no "${title}"`);
  return found.id;
}

export const courseId = ({ catalogue }: Academy, title: string): number => idOf(catalogue.courses.all(), title);

/** The emails of the accounts of buyers: at the checkout they may be spelt otherwise. */
export function buyers({ students }: Academy, orders: readonly OrderRecord[]): string[] {
  return [...new Set(orders.map(({ student_id }) => students.get(student_id)?.email ?? ''))];
}

export function person({ students }: Academy, email: string): StudentRecord {
  const found = students.withEmail(email);
  if (found === undefined) throw new Error(`no ${email}`);
  return found;
}

export function lesson({ lessons }: Academy, title: string) {
  const found = lessons.all().find((one) => one.title === title);
  if (found === undefined) throw new Error(`no lesson "${title}"`);
  return found;
}

export const access = (path: string, body: Row): Raw => ['POST', `/api/v1/student/${path}`, body];

export const editLesson = (id: number, fields: Row): Raw => ['PATCH', `/api/v1/lessons/${id}`, fields];

/** All orders of a period, which an agent of the bare API must add up. */
export const ordersOf = (period: Period, statuses = received): string[] =>
  statuses.map((status) => `/api/v1/orders?status=${status}&${new URLSearchParams({ ...period })}`);

export const productNamed = (title: string) => `/api/v1/products?query=${encodeURIComponent(title)}`;

export function addPost(
  academy: Academy,
  channel: string,
  post: { author: string; at: string; content: string },
): void {
  const { posts, topics } = academy.community;
  const id = channelId(academy, channel);
  const topic = topics.find(({ channel_id }) => channel_id === id);
  if (topic === undefined) throw new Error(`${channel} has no topic`);
  const at = Date.parse(post.at);
  const author = { name: post.author, slug: post.author.toLowerCase().replaceAll(' ', '-') };
  const times = { created_at: at, updated_at: at, published_at: at };
  addByTime(posts, { id: 90_000 + (at % 9_973), topic, author, content: post.content, ...times });
}

export function channelId({ community }: Academy, name: string): number {
  return idOf(
    community.channels.all().map((channel) => ({ ...channel, title: channel.name })),
    name,
  );
}

export function postsOf(academy: Academy, channel: string, from: string, before: string) {
  const id = channelId(academy, channel);
  const [start, end] = [Date.parse(from), Date.parse(before)];
  return academy.community.posts.filter(
    ({ topic, created_at }) => topic.channel_id === id && created_at >= start && created_at < end,
  );
}
