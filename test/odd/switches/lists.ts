import type { Call, Reply } from '../academy/call.ts';
import { cut, metaOf } from '../academy/pages.ts';
import type { Rules } from '../academy/rules.ts';
import type { Json } from '../academy/state.ts';
import { records } from './helpers.ts';
import { orders, type Switch, sales } from './switch.ts';

// Lists of which only a part is sent, whole by their meta block, while something else in the answer says otherwise.

const unpaged = ['courses.list', 'bundles.list', 'digital.list', 'students.completions', 'channels.list'];
const paged = ['orders.list', 'students.list', 'channels.posts'];

const wholeProbes = ['list_courses', 'list_bundles', 'list_digital_products', 'list_completed_students'];
const pagedProbes = [...sales, 'list_orders', 'list_students', 'community_digest', 'search_posts'];
const probes = [...wholeProbes, ...pagedProbes];

const half = <Item>(all: readonly Item[]) => all.slice(0, Math.ceil(all.length / 2));

const isList = ({ route }: Call) => unpaged.includes(route) || paged.includes(route);

/** Sends the first half of every list, and adds to each answer. */
function halved(add: (reply: Reply, body: Json, total: number) => Reply): Rules {
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
      return add({ ...reply, body: shown }, shown, 900);
    },
  };
}

function list(
  name: string,
  says: string,
  add: (reply: Reply, body: Json, total: number) => Reply,
  some: readonly string[] = probes,
): Switch {
  const rules = halved(add);
  return { name: `lists-${name}`, class: 'whole lists', kind: 'departs', says, probes: some, rules };
}

const header = (name: string, value: (total: number) => string) => (reply: Reply, _body: Json, total: number) => ({
  ...reply,
  headers: { ...reply.headers, [name]: value(total) },
});
const status = (code: number) => (reply: Reply) => ({ ...reply, status: code });
const beside = (fields: (total: number) => Json) => (reply: Reply, body: Json, total: number) => ({
  ...reply,
  body: { ...body, ...fields(total) },
});
const inMeta = (fields: (total: number) => Json) => (reply: Reply, body: Json, total: number) => ({
  ...reply,
  body: { ...body, meta: { ...Object(body.meta), ...fields(total) } },
});

export const listSwitches: readonly Switch[] = [
  list(
    'link-next',
    'Link: rel="next"',
    header('link', () => '</api/v1/x?page=2>; rel="next", </api/v1/x>; rel="first"'),
  ),
  list('x-total', 'X-Total: 900', header('x-total', String)),
  list('x-total-count', 'X-Total-Count: 900', header('x-total-count', String)),
  list(
    'content-range',
    'Content-Range: items 0-9/900',
    header('content-range', (total) => `items 0-9/${total}`),
  ),
  list('status-206', 'status 206', status(206)),
  list('status-203', 'status 203', status(203)),
  list(
    'total',
    'total: 900',
    beside((total) => ({ total })),
  ),
  list(
    'count',
    'count: 900',
    beside((count) => ({ count })),
  ),
  list(
    'meta-total-count',
    'meta.total_count: 900',
    inMeta((total_count) => ({ total_count })),
  ),
  list(
    'total-pages',
    'total_pages: 2',
    beside(() => ({ total_pages: 2 })),
    wholeProbes,
  ),
  list(
    'has-more',
    'has_more: true',
    beside(() => ({ has_more: true })),
  ),
  list(
    'meta-has-next',
    'meta.hasNextPage: true',
    inMeta(() => ({ hasNextPage: true })),
  ),
  list(
    'next',
    'next: an address',
    beside(() => ({ next: '/api/v1/x?cursor=2' })),
  ),
  list(
    'links-next',
    'links.next: an address',
    beside(() => ({ links: { next: '/api/v1/x?cursor=2' } })),
  ),
  list(
    'partial',
    'partial: true',
    beside(() => ({ partial: true })),
  ),
  list(
    'truncated',
    'meta.truncated: true',
    inMeta(() => ({ truncated: true })),
  ),
  list(
    'complete-false',
    'complete: false',
    beside(() => ({ complete: false })),
  ),
  list(
    'warnings',
    'warnings: a shard did not answer',
    beside(() => ({ warnings: ['shard 3 did not answer'] })),
  ),
  list(
    'status-degraded',
    'status: "degraded"',
    beside(() => ({ status: 'degraded' })),
  ),
  {
    name: 'lists-maintenance',
    class: 'whole lists',
    kind: 'departs',
    says: 'status: "maintenance", and every list is empty',
    probes: [...probes, ...orders.filter((name) => name !== 'get_order' && name !== 'list_orders')],
    rules: {
      page: ({ meta }, question) => ({ shown: [], meta: meta && metaOf({ ...question, all: [] }) }),
      after: (reply, call) => {
        if (!isList(call) || reply.status !== 200) return reply;
        const body: Json = { ...Object(reply.body) };
        const emptied = Object.fromEntries(
          Object.entries(body).map(([key, value]) => [key, Array.isArray(value) ? [] : value]),
        );
        return { ...reply, body: { ...emptied, status: 'maintenance' } };
      },
    },
  },
];
