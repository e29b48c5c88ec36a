import type { Sandbox } from '../../src/sandbox/index.ts';
import { addByTime } from '../../src/sandbox/state/collections.ts';
import type { NewOrder, OrderRecord } from '../../src/sandbox/state/orders.ts';
import type { StudentRecord } from '../../src/sandbox/state/students.ts';
import type { Act, Exchange } from '../reliability/fault-server.ts';
import { type Row, row } from './academy.ts';

// Adds records to an academy that its seed does not contain.

export function daysAgo(days: number): number {
  return Date.now() - days * 86_400_000;
}

/** A student who joined and has no orders and no activity. */
export function newcomer({ academy }: Sandbox, email = 'ina.newcomer@example.com'): StudentRecord {
  return academy.students.join({ email, name: 'Ina Newcomer', createdAt: daysAgo(400) });
}

/** Four students of the seed, by the names that tests give them. */
export function peopleIn({ academy }: Sandbox) {
  const [, ana, ben, cyd, dan] = academy.students.all();
  if (ana === undefined || ben === undefined || cyd === undefined || dan === undefined) throw new Error('no students');
  return { ana, ben, cyd, dan };
}

/** An order of a student; default: from yesterday, paid, ten dollars. It lists only the given products. */
export function addOrder({ academy }: Sandbox, { id, email }: StudentRecord, order: Partial<NewOrder>): OrderRecord {
  return academy.orders.add({
    student_id: id,
    user_email: email,
    amount: '10.00',
    currency: 'USD',
    description: 'A checkout',
    status: 'paid',
    affiliate_id: null,
    created_at: daysAgo(1),
    courses: [],
    digital_products: [],
    bundles: [],
    ...order,
  });
}

/** A post in a topic of a channel; the topic is new if no other post has its id. */
export function addPost(
  { academy }: Sandbox,
  channel: number,
  post: { topic: number; daysAgo: number; content?: string },
) {
  const { posts } = academy.community;
  const created_at = daysAgo(post.daysAgo);
  const id = 90_000 + posts.length;
  const topic = { id: post.topic, channel_id: channel, title: `Topic ${post.topic}`, slug: `topic-${post.topic}` };
  const author = { name: 'Ina Newcomer', slug: 'ina-newcomer' };
  const times = { created_at, updated_at: created_at, published_at: created_at };
  addByTime(posts, { id, topic, author, content: post.content ?? 'Does anybody know?', ...times });
  return id;
}

/** Cuts the connection after the request was received: its outcome is unknown. */
export const cut: Act = { at: 'body', act: ({ socket }) => socket.destroy() };

/** Lets the academy do its work, and changes the record in its answer. */
export function altering(change: (body: Row) => Row): Act {
  const act = async ({ answer, work }: Exchange) => {
    const done = await work();
    const body = JSON.stringify(change(row(JSON.parse(done.body))));
    answer({ ...done, body });
  };
  return { at: 'body', act };
}

/** Answers with this status, without the academy. */
export function refusing(status: number, said?: Row): Act {
  const body = said === undefined ? '' : JSON.stringify(said);
  const done = { status, headers: { 'content-type': 'application/json' }, body };
  return { at: 'body', act: ({ answer }) => answer(done) };
}

export const down = refusing(503);
