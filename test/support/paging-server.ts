import { type Row, row } from './academy.ts';
import { startRecorder } from './recorder.ts';

/** The answer to one page of a list, whose records `make` makes. */
export type PageAnswer = (page: number, make: (number: number) => Row) => { records: Row[]; meta?: Row };

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

/** An API whose lists of orders and posts answer each page as scripted by the test; records the requested pages. */
export async function startPaging(answer: PageAnswer) {
  const pages: number[] = [];
  const { url, requests } = await startRecorder(({ path, query, body, raw }) => {
    const { topic_id: topic, status = 'all', page: number = '1' } = Object.fromEntries<string | undefined>(query);
    const page = Number(number);
    if (/\/(orders|posts)$/.test(path) && topic === undefined) pages.push(page);
    // A write is answered with an empty body.
    if (path.includes('/student/')) return 'cut';
    if (path.endsWith('/orders')) {
      const { records, ...meta } = answer(page, orderNumber);
      return { body: { orders: records.map((order) => ({ ...order, ...(status !== 'all' && { status }) })), ...meta } };
    }
    if (path.endsWith('/posts')) {
      const { records, ...meta } = answer(page, postNumber);
      if (topic === undefined) return { body: { posts: records, ...meta } };
      return { body: { posts: records.filter((record) => String(row(record.topic).id) === topic) } };
    }
    // The student whose completion was asked for.
    const { user_email: email } = { ...Object.fromEntries(new URLSearchParams(raw)), ...Object(body) };
    return { body: recordAt(path, email) };
  });
  return { url, pages, requests };
}

function recordAt(path: string, email: unknown): Row {
  if (path.endsWith('/details'))
    return { id: 1, name: 'Ina', email: student, enrolled_courses: [{ id: 7 }], paid_orders: [] };
  if (path.endsWith('/channels')) return { channels: [{ id: 1, name: 'General', slug: 'general' }] };
  if (path.includes('/products')) return { product: { id: 7, title: 'Seven', attributes: {} } };
  if (path.endsWith('/completion-percentage')) return { email, course_completion_percent: 40 };
  return { id: 7, title: 'Seven' };
}
