import type { Page, PageQuestion, Reply, Rules } from '../academy/rules.ts';
import { cut, metaOf } from '../academy/rules.ts';
import { iso, type Json, type Order } from '../academy/state.ts';
import { everySale, records, type Switch, sales } from './switch.ts';

// Well-formed answers of which one part contradicts another one, or the one before it.

type Case = readonly [name: string, says: string, probes: readonly string[], rules: Rules, kind?: Switch['kind']];

const switchOf = ([name, says, probes, rules, kind = 'departs']: Case): Switch => ({
  name: `contradicts-${name}`,
  class: 'contradictions',
  kind,
  says,
  probes,
  rules,
});

const isUndone = ({ number, amount }: Order) => number % 9 === 0 && Number(amount) > 0;

/** Every ninth order is undone, and shows these fields; the others show other values. */
const undone = (shown: Json, otherwise: Json): Rules => ({
  seed: ({ orders: all }) => {
    for (const order of all) order.undone = isUndone(order);
  },
  order: (given, order) => ({ ...given, ...(order.undone === true ? shown : otherwise) }),
});

const onPage =
  (number: number, change: (page: Page, question: PageQuestion) => Page): NonNullable<Rules['page']> =>
  (page, question) =>
    question.list === 'orders' && question.page === number ? change(page, question) : page;

const answerOn = (number: number, change: (reply: Reply, body: Json) => Reply): Rules => ({
  // The page shows the first half of its rows.
  page: (page, question) =>
    question.page === number ? { ...page, shown: page.shown.slice(0, Math.ceil(page.shown.length / 2)) } : page,
  after: (reply, { query }) =>
    reply.status === 200 && Number(query.page ?? 0) === number ? change(reply, Object(reply.body)) : reply,
});

/** Rows of one id, the second with these fields. */
const doubled = (fields: (order: Order) => Json): Rules => ({
  page: (page, question) => {
    if (question.list !== 'orders') return page;
    const all = question.all.flatMap((row, index) => {
      const order = question.academy.state.orders.find(({ id }) => id === row.id);
      return index % 20 === 3 && order !== undefined ? [row, { ...row, ...fields(order) }] : [row];
    });
    return { shown: cut(all, question.page, question.size), meta: page.meta && metaOf({ ...question, all }) };
  },
});

const entries = (fields: Json): Rules => ({
  hinders: true,
  details: (shown) => ({
    ...shown,
    enrolled_courses: records(shown.enrolled_courses).map((one) => ({ ...one, ...fields })),
  }),
});
const person = (fields: Json): Rules => ({ hinders: true, details: (shown) => ({ ...shown, ...fields }) });

/** The posts of some topics are hidden, and show these fields; the others show other values. */
const hidden = (shown: Json, otherwise: Json): Rules => ({
  seed: ({ posts }) => {
    for (const post of posts) post.gone = post.topic % 5 === 0;
  },
  post: (given, { gone }) => ({ ...given, ...(gone === true ? shown : otherwise) }),
});

const past = iso(Date.now() - 90 * 86_400_000);
const digests = ['community_digest', 'community_digest/week'];
const buyers = ['diagnose_access/buyer', 'diagnose_access/wallet', 'diagnose_access/granted'];
const scans = ['find_buyers', 'sales_report', 'sales_report/days', 'course_progress'];

const cases: readonly Case[] = [
  ['charged-back', 'charged_back: true', everySale, undone({ charged_back: true }, { charged_back: false })],
  ['type-refund', 'type: "refund"', everySale, undone({ type: 'refund' }, { type: 'sale' })],
  ['206-later', 'status 206 on the second page alone', sales, answerOn(2, (reply) => ({ ...reply, status: 206 }))],
  [
    'warning-later',
    'warnings on the second page alone',
    sales,
    answerOn(2, (reply, body) => ({ ...reply, body: { ...body, warnings: ['shard 2 is down'] } })),
  ],
  [
    'totals-shrink',
    'the totals of later pages are those of the rows so far',
    scans,
    {
      page: ({ shown, meta }, { list, page, size }) => ({
        shown: page > 2 ? [] : shown,
        meta: page === 1 ? meta : { ...meta, total_pages: 2, [`total_${list}`]: 2 * size },
      }),
    },
  ],
  [
    'two-currencies',
    'some orders have a row for each of two currencies',
    everySale,
    doubled(({ currency }) => ({ currency: currency === 'USD' ? 'EUR' : 'USD' })),
  ],
  ['two-statuses', 'some orders have a paid and a failed row', everySale, doubled(() => ({ status: 'failed' }))],
  [
    'two-buyers',
    'some orders have rows with two emails',
    everySale,
    doubled(() => ({ user_email: 'someone.else@example.com' })),
  ],
  [
    'epoch',
    'the time of every fifth order is 1970-01-01',
    ['find_buyers/week', 'sales_report/days', 'sales_report/edges'],
    {
      order: (shown, { number }) => (number % 5 === 0 ? { ...shown, created_at: '1970-01-01T00:00:00Z' } : shown),
    },
  ],
  ['valid-until', 'courses of the details carry a past valid_until', buyers, entries({ valid_until: past })],
  ['ends-on', 'courses of the details carry a past ends_on', buyers, entries({ ends_on: past.slice(0, 10) })],
  ['access-until', 'courses of the details carry a past access_until', buyers, entries({ access_until: past })],
  ['access-none', 'courses of the details carry access: "none"', buyers, entries({ access: 'none' })],
  [
    'access-expired',
    'courses of the details carry access: {state: "expired"}',
    buyers,
    entries({ access: { state: 'expired' } }),
  ],
  ['state-expired', 'courses of the details carry state: "expired"', buyers, entries({ state: 'expired' })],
  ['days-left', 'courses of the details carry days_left: 0', buyers, entries({ days_left: 0 })],
  ['unenrolled-at', 'courses of the details carry unenrolled_at', buyers, entries({ unenrolled_at: past })],
  ['closed-at', 'courses of the details carry closed_at', buyers, entries({ closed_at: past })],
  ['left-at', 'courses of the details carry left_at', buyers, entries({ left_at: past })],
  ['banned', 'the student carries banned_at', buyers, person({ banned_at: past })],
  ['merged', 'the student carries merged_into', buyers, person({ merged_into: 77 })],
  [
    'account-closed',
    'the student carries account: {status: "closed"}',
    buyers,
    person({ account: { status: 'closed' } }),
  ],
  [
    'drafts',
    'some posts are drafts without published_at',
    digests,
    hidden({ published_at: null, status: 'draft' }, {}),
  ],
  ['deleted-posts', 'some posts carry deleted_at', digests, hidden({ deleted_at: past }, { deleted_at: null })],
  ['hidden-posts', 'some posts carry hidden: true', digests, hidden({ hidden: true }, { hidden: false })],
  [
    'retitled',
    'a course has another title on the second page',
    sales,
    {
      page: onPage(2, (page) => ({
        ...page,
        shown: page.shown.map((row) => ({
          ...row,
          courses: records(row.courses).map((one) => ({ ...one, title: `New ${one.id}` })),
        })),
      })),
    },
  ],
];

export const contradictionSwitches: readonly Switch[] = cases.map(switchOf);
