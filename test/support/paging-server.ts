import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { type Row, row } from './academy.ts';
import { listen } from './recorder.ts';

/** The answer to one page of a list. */
export type PageAnswer = (page: number) => { records: Row[]; meta?: Row };

export const student = 'ina@example.com';

const created_at = new Date(Date.now() - 3_600_000).toISOString();

export function orderNumber(number: number): Row {
  const buyer = { user_email: student, user_name: 'Ina' };
  const courses = [{ id: 7, title: 'Seven' }];
  return { id: `order-${number}`, amount: '10.00', currency: 'USD', status: 'paid', created_at, ...buyer, courses };
}

export function postNumber(number: number): Row {
  const topic = { id: number, title: 'Topic', slug: 'topic', path: '/topic' };
  return { id: number, content: 'Words', created_at, topic };
}

/** A hundred records: a full page. */
export function hundred(make: (number: number) => Row, from = 0): Row[] {
  return Array.from({ length: 100 }, (_, index) => make(from + index + 1));
}

/** The posts of one topic, on one page. */
function ofTopic({ records }: { records: Row[] }, topic: string): { records: Row[]; meta?: Row } {
  return { records: records.filter((record) => String(row(record.topic).id) === topic) };
}

/** Gives orders the requested status. */
function withStatus(records: Row[], status: string | null): Row[] {
  return status === null || status === 'all' ? records : records.map((order) => ({ ...order, status }));
}

/** The student whose completion was asked for. */
function emailIn(sent: string): string | undefined {
  const email = /"user_email":"([^"]+)"|user_email=([^&]+)/.exec(sent)?.slice(1).find(Boolean);
  return email && decodeURIComponent(email);
}

function bodyOf({ pathname: path, searchParams }: URL, page: number, answer: PageAnswer, sent: string): unknown {
  const topic = searchParams.get('topic_id');
  const listed = (key: string) => {
    const { records, meta } = topic === null ? answer(page) : ofTopic(answer(page), topic);
    const shown = key === 'orders' ? withStatus(records, searchParams.get('status')) : records;
    return { [key]: shown, ...(meta === undefined ? {} : { meta }) };
  };
  if (path.endsWith('/orders')) return listed('orders');
  if (path.endsWith('/posts')) return listed('posts');
  if (path.endsWith('/details'))
    return { id: 1, name: 'Ina', email: student, enrolled_courses: [{ id: 7 }], paid_orders: [] };
  if (path.endsWith('/channels')) return { channels: [{ id: 1, name: 'General', slug: 'general' }] };
  if (path.includes('/products')) return { product: { id: 7, title: 'Seven', attributes: {} } };
  if (path.endsWith('/completion-percentage')) return { email: emailIn(sent), course_completion_percent: 40 };
  return { id: 7, title: 'Seven' };
}

/** An API whose lists of orders and posts answer each page as scripted by the test; records the requested pages. */
export async function startPaging(answer: PageAnswer) {
  const pages: number[] = [];
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    const page = Number(url.searchParams.get('page') ?? 1);
    if (/\/(orders|posts)$/.test(url.pathname) && !url.searchParams.has('topic_id')) pages.push(page);
    if (url.pathname.includes('/student/')) {
      // A write is answered with an empty body.
      request.socket.destroy();
      return;
    }
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(bodyOf(url, page, answer, await text(request))));
  });
  return { url: await listen(server), pages };
}
