import { cut, metaOf, type Reply, type Rules } from '../academy/rules.ts';
import { iso, type Json, type Order } from '../academy/state.ts';
import { classOf, everySale, records, type Switch, sales } from './switch.ts';
import { entries } from './writes-meaning.ts';

// Well-formed answers of which one part contradicts another one, or the one before it.

const contradicts = classOf('contradicts', 'contradictions', { kind: 'departs', probes: everySale });

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

export const contradictionSwitches: readonly Switch[] = [
  contradicts('206-later', 'status 206 on the second page alone', {
    probes: sales,
    ...answerOn(2, (reply) => ({ ...reply, status: 206 })),
  }),
  contradicts('warning-later', 'warnings on the second page alone', {
    probes: sales,
    ...answerOn(2, (reply, body) => ({ ...reply, body: { ...body, warnings: ['shard 2 is down'] } })),
  }),
  contradicts('totals-shrink', 'the totals of later pages are those of the rows so far', {
    probes: scans,
    page: ({ shown, meta }, { list, page, size }) => ({
      shown: page > 2 ? [] : shown,
      meta: page === 1 ? meta : { ...meta, total_pages: 2, [`total_${list}`]: 2 * size },
    }),
  }),
  contradicts('two-currencies', 'some orders have a row for each of two currencies', {
    ...doubled(({ currency }) => ({ currency: currency === 'USD' ? 'EUR' : 'USD' })),
  }),
  contradicts('two-statuses', 'some orders have a paid and a failed row', { ...doubled(() => ({ status: 'failed' })) }),
  contradicts('two-buyers', 'some orders have rows with two emails', {
    ...doubled(() => ({ user_email: 'someone.else@example.com' })),
  }),
  contradicts('epoch', 'the time of every fifth order is 1970-01-01', {
    probes: ['find_buyers/week', 'sales_report/days', 'sales_report/edges'],
    order: (shown, { number }) => (number % 5 === 0 ? { ...shown, created_at: '1970-01-01T00:00:00Z' } : shown),
  }),
  contradicts('access-expired', 'courses of the details carry access: {state: "expired"}', {
    ...{ probes: buyers, ...entries({ access: { state: 'expired' } }), hinders: true },
  }),
  contradicts('merged', 'the student carries merged_into', {
    ...{ probes: buyers, hinders: true, details: (shown) => ({ ...shown, merged_into: 77 }) },
  }),
  contradicts('drafts', 'some posts are drafts without published_at', {
    probes: digests,
    ...hidden({ published_at: null, status: 'draft' }, {}),
  }),
  contradicts('deleted-posts', 'some posts carry deleted_at', {
    probes: digests,
    ...hidden({ deleted_at: past }, { deleted_at: null }),
  }),
  contradicts('hidden-posts', 'some posts carry hidden: true', {
    probes: digests,
    ...hidden({ hidden: true }, { hidden: false }),
  }),
  contradicts('retitled', 'a course has another title on the second page', {
    probes: sales,
    page: (page, { list, page: number }) => {
      if (list !== 'orders' || number !== 2) return page;
      const renamed = (one: Json) => ({ ...one, title: `New ${one.id}` });
      return { ...page, shown: page.shown.map((row) => ({ ...row, courses: records(row.courses).map(renamed) })) };
    },
  }),
];
