import { gzipSync } from 'node:zlib';
import { hundred, orderNumber, postNumber } from '../../support/paging-server.ts';
import type { Reply } from './api.ts';
import { type Attack, unless } from './attack.ts';

const mebibyte = 2 ** 20;

const bodies: readonly [words: string, reply: Reply, isLong?: boolean][] = [
  ['200,001 records under an unknown key', () => `{"courses":[],"more":[${'{},'.repeat(200_000)}{}]}`],
  ['a list nested 100,000 levels deep', () => `{"courses":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
  ['3,000,001 numbers in one record', () => `{"courses":[{"id":1,"n":[${'1,'.repeat(3_000_000)}1]}]}`, true],
  ['300,000 keys that each hold a record', () => `{${Array.from({ length: 300_000 }, (_, n) => `"${n}":{}`).join()}}`],
  ['40 MiB of spaces after a valid answer', () => `{"courses":[]}${' '.repeat(40 * mebibyte)}`, true],
  [
    '64 MiB in 64 KiB of gzip',
    (_asked, _request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
      response.end(gzipSync(`{"courses":["${'x'.repeat(64 * mebibyte)}"]}`));
    },
    true,
  ],
  [
    '40 MiB in an error',
    (_asked, _request, response) => {
      response.statusCode = 422;
      return { error: 'x'.repeat(40 * mebibyte) };
    },
    true,
  ],
];

export const bodyAttacks: readonly Attack[] = bodies.map(([words, reply, isLong = false]) => ({
  point: 3,
  words: `the API answers with ${words}`,
  isLong,
  attempt: async (ground) => {
    let isGood = false;
    const { call } = await ground.over((...request) => (isGood ? { courses: [{ id: 1 }] } : reply(...request)));
    const { code, text } = await call('list_courses', {});
    isGood = true;
    const next = await call('list_courses', {});
    return unless(code !== 'ok' && text.length < 4_096 && next.code === 'ok', `${code}, then ${next.code}: ${text}`);
  },
}));

type Page = (make: typeof orderNumber, page: number) => { records: object[]; meta?: object };
const meta = (total_pages: unknown, current_page: unknown = 1) => ({ total_pages, current_page });

const lies: readonly [words: string, page: Page][] = [
  ['the first page repeatedly, of a billion', (make) => ({ records: hundred(make), meta: meta(1e9) })],
  ['two pages in turn', (make, page) => ({ records: hundred(make, (page % 2) * 100), meta: meta(1e9, page) })],
  ['full pages without any total', (make, page) => ({ records: hundred(make, (page % 3) * 100) })],
  ['a number of pages as text', (make) => ({ records: hundred(make), meta: meta('999999999') })],
  ['a negative number of pages', (make, page) => ({ records: hundred(make, (page % 2) * 100), meta: meta(-5, page) })],
  ['endless pages with one new record each', (make, page) => ({ records: [make(page)], meta: meta(1e9, page) })],
];

const readers: readonly [tool: string, args: Record<string, unknown>][] = [
  ['sales_report', { period: 'all_time', max_requests: 500 }],
  ['find_buyers', { product: '7', product_type: 'course', period: 'all_time', max_requests: 500 }],
  ['community_digest', { period: 'all_time', max_requests: 500 }],
  ['student_profile', { email: 'ina@example.com' }],
  ['revoke_course', { email: 'ina@example.com', name: 'Ina', course_id: 7 }],
];

function pageBody({ pathname, searchParams }: URL, page: Page): unknown {
  const number = Number(searchParams.get('page') ?? 1);
  const listed = (key: string, make: typeof orderNumber) => {
    const { records, ...rest } = page(make, number);
    return { [key]: records, ...rest };
  };
  if (pathname.endsWith('/orders')) return listed('orders', orderNumber);
  if (pathname.endsWith('/posts')) return listed('posts', postNumber);
  if (pathname.endsWith('/channels')) return { channels: [{ id: 1, name: 'General', slug: 'general' }] };
  if (pathname.includes('/products')) return { product: { id: 7, title: 'Seven' } };
  if (pathname.endsWith('/details')) return { id: 1, name: 'Ina', email: 'ina@example.com' };
  return { id: 7, title: 'Seven', course_completion_percent: 40 };
}

const maxRequestsAllowed = 2_010;

export const pageAttacks: readonly Attack[] = lies.flatMap(([words, page], lie) =>
  readers.map(([tool, args], reader) => ({
    point: 4,
    words: `${tool} of an API that shows ${words}`,
    isLong: lie % readers.length !== reader,
    attempt: async (ground) => {
      const { call, requests } = await ground.over((url) => pageBody(url, page));
      const { text, code } = await call(tool, args);
      const isTold = /incomplete|could not|not all|stopped|brought no new|more than|split the call/i.test(text);
      return unless(requests() <= maxRequestsAllowed && isTold, `${requests()} requests, ${code}: ${text}`);
    },
  })),
);
