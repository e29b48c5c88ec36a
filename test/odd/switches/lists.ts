import {
  type Call,
  cut,
  failure,
  metaOf,
  notFound,
  type Page,
  type PageQuestion,
  type Reply,
  type Rules,
} from '../academy/rules.ts';
import type { Json } from '../academy/state.ts';
import { classOf, communityReads, orders, records, type Switch, sales } from './switch.ts';

// Lists of which only a part is sent, whole by their meta block, while something else in the answer says otherwise.

const pageProbes = [
  ...['find_buyers', 'find_buyers/week', 'sales_report/days', 'list_orders'],
  ...communityReads,
  ...['list_students', 'student_profile/many', 'diagnose_access/pending'],
];

const paging = classOf('paging', 'paging', { kind: 'departs', probes: pageProbes });

/** Differences that only tools that read all pages can notice. */
const scanning = classOf('paging', 'paging', {
  kind: 'departs',
  probes: pageProbes.filter((probe) => !['list_orders', 'list_students', 'search_posts'].includes(probe)),
});

function moved({ all, page, size }: PageQuestion) {
  const start = (page - 1) * size;
  const lost = page > 1 ? 6 : 0;
  return [...all.slice(start - lost, start), ...all.slice(start + lost, start + size)];
}

const beyond =
  (reply: () => Reply): NonNullable<Rules['page']> =>
  ({ shown }, { all, page, size }) =>
    page > 1 && (page - 1) * size >= all.length ? reply() : { shown, meta: undefined };
const lastPage = ({ all, size }: PageQuestion) => Math.max(1, Math.ceil(all.length / size));

function without(meta: Page['meta'], ...keys: string[]): Page['meta'] {
  return Object.fromEntries(Object.entries(meta ?? {}).filter(([key]) => !keys.includes(key)));
}

const noSuchRecord = /no (such )?student|there is no (student|channel|order)/i;

export const pagingSwitches: readonly Switch[] = [
  paging('no-meta', 'no meta', { kind: 'open', page: ({ shown }) => ({ shown, meta: undefined }) }),
  paging('no-totals', 'meta without totals', {
    kind: 'open',
    page: ({ shown, meta }, { list }) => ({ shown, meta: without(meta, 'total_pages', `total_${list}`) }),
  }),
  paging('capped', 'at most 20 rows a page, as meta shows', {
    kind: 'open',
    page: (_page, question) => {
      const own = { ...question, size: Math.min(question.size, 20) };
      return { shown: cut(own.all, own.page, own.size), meta: metaOf(own) };
    },
  }),
  paging('low-pages', 'total_pages one too low', {
    page: ({ shown, meta }, question) => ({
      shown,
      meta: { ...meta, total_pages: Math.max(1, lastPage(question) - 1) },
    }),
  }),
  scanning('low-totals', 'the totals of the first page', {
    page: ({ shown, meta }, { list, size, all }) => ({
      shown,
      meta: { ...meta, total_pages: 1, [`total_${list}`]: Math.min(size, all.length) },
    }),
  }),
  paging('zero-totals', 'totals of 0', {
    page: ({ shown, meta }, { list }) => ({ shown, meta: { ...meta, total_pages: 0, [`total_${list}`]: 0 } }),
  }),
  paging('page-ignored', 'always the first page, with the true totals', {
    page: ({ meta }, { all, size }) => ({ shown: cut(all, 1, size), meta: { ...meta, current_page: 1 } }),
  }),
  paging('beyond-404', '404 beyond the end, and no meta', { kind: 'open', lies: noSuchRecord, page: beyond(notFound) }),
  paging('beyond-422', '422 beyond the end, and no meta', {
    kind: 'open',
    page: beyond(() => failure(422, 'invalid_parameter', 'page is not valid')),
  }),
  scanning('moving', 'rows that move: some on two pages, some on none', {
    page: ({ meta }, question) => ({ shown: moved(question), meta }),
  }),
  scanning('hole', 'the second page empty', {
    page: ({ shown, meta }, { page }) => ({ shown: page === 2 ? [] : shown, meta }),
  }),
];

const unpaged = ['courses.list', 'bundles.list', 'digital.list', 'students.completions', 'channels.list'];
const paged = ['orders.list', 'students.list', 'channels.posts'];

const wholeProbes = ['list_courses', 'list_bundles', 'list_digital_products', 'list_completed_students'];
const pagedProbes = [...sales, 'list_orders', 'list_students', 'community_digest', 'search_posts'];
const listProbes = [...wholeProbes, ...pagedProbes];

const half = <Item>(all: readonly Item[]) => all.slice(0, Math.ceil(all.length / 2));

const isList = ({ route }: Call) => unpaged.includes(route) || paged.includes(route);

type Add = (reply: Reply, body: Json) => Reply;

function halved(add: Add): Rules {
  return {
    page: (page, question) => {
      const all = half(question.all);
      return { shown: cut(all, question.page, question.size), meta: page.meta && metaOf({ ...question, all }) };
    },
    after: (reply, call) => {
      if (!isList(call) || reply.status !== 200 || typeof reply.body !== 'object' || reply.body === null) return reply;
      const body: Json = { ...reply.body };
      const key = Object.keys(body).find((name) => Array.isArray(body[name])) ?? '';
      const list = records(body[key]);
      const shown = unpaged.includes(call.route) ? { ...body, [key]: half(list) } : body;
      return add({ ...reply, body: shown }, shown);
    },
  };
}

const list = classOf('lists', 'whole lists', { kind: 'departs', probes: listProbes });

/** Headers, fields beside the list and fields of `meta` by which an answer says that its list is not whole. */
const headers: Readonly<Record<string, readonly [name: string, value: string]>> = {
  'link-next': ['link', '</api/v1/x?page=2>; rel="next", </api/v1/x>; rel="first"'],
  'x-total': ['x-total', '900'],
  'x-total-count': ['x-total-count', '900'],
  'content-range': ['content-range', 'items 0-9/900'],
  'warning-header': ['warning', '199 - "shard 3 did not answer"'],
  'x-truncated': ['x-truncated', 'true'],
};
const beside: Readonly<Record<string, Json>> = {
  total: { total: 900 },
  count: { count: 900 },
  'has-more': { has_more: true },
  next: { next: '/api/v1/x?cursor=2' },
  'links-next': { links: { next: '/api/v1/x?cursor=2' } },
  partial: { partial: true },
  'complete-false': { complete: false },
  warnings: { warnings: ['shard 3 did not answer'] },
  'incomplete-results': { incomplete_results: true },
  notice: { notice: 'Only the first 10 results are shown' },
  'status-degraded': { status: 'degraded' },
};
const inMeta: Readonly<Record<string, Json>> = {
  'meta-total-count': { total_count: 900 },
  'meta-has-next': { hasNextPage: true },
  truncated: { truncated: true },
  'meta-limited': { limited: true },
};

export const listSwitches: readonly Switch[] = [
  ...Object.entries(headers).map(([name, [header, value]]) =>
    list(name, `${header}: ${value}`, {
      ...halved((reply) => ({ ...reply, headers: { ...reply.headers, [header]: value } })),
    }),
  ),
  ...[203, 206].map((status) =>
    list(`status-${status}`, `status ${status}`, { ...halved((reply) => ({ ...reply, status })) }),
  ),
  ...Object.entries(beside).map(([name, fields]) =>
    list(name, JSON.stringify(fields), { ...halved((reply, body) => ({ ...reply, body: { ...body, ...fields } })) }),
  ),
  ...Object.entries(inMeta).map(([name, fields]) =>
    list(name, `meta: ${JSON.stringify(fields)}`, {
      ...halved((reply, body) => ({ ...reply, body: { ...body, meta: { ...Object(body.meta), ...fields } } })),
    }),
  ),
  list('total-pages', 'total_pages: 2', {
    probes: wholeProbes,
    ...halved((reply, body) => ({ ...reply, body: { ...body, total_pages: 2 } })),
  }),
  list('maintenance', 'status: "maintenance", and every list is empty', {
    probes: [...listProbes, ...orders.filter((name) => name !== 'get_order' && name !== 'list_orders')],
    page: ({ meta }, question) => ({ shown: [], meta: meta && metaOf({ ...question, all: [] }) }),
    after: (reply, call) => {
      if (!isList(call) || reply.status !== 200) return reply;
      const shown = Object.entries(Object(reply.body)).map(([key, value]) => [key, Array.isArray(value) ? [] : value]);
      return { ...reply, body: { ...Object.fromEntries(shown), status: 'maintenance' } };
    },
  }),
];
