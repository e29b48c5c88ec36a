import { type Call, ok } from '../academy/call.ts';
import type { Rules } from '../academy/rules.ts';
import type { Json } from '../academy/state.ts';
import { reads, type Switch } from './switch.ts';

function products(
  name: string,
  kind: Switch['kind'],
  says: string,
  write: (rows: Json[], call: Call) => Json[],
): Switch {
  const rules: Rules = {
    after: (reply, call) => {
      if (call.route !== 'products.search' || reply.status !== 200) return reply;
      const rows = write(Object(reply.body).products, call);
      return ok({ products: rows, count: rows.length });
    },
  };
  return {
    name: `products-${name}`,
    class: 'products',
    kind,
    says,
    probes: ['find_buyers/title', 'find_buyers', 'find_buyers/bundle', 'diagnose_access/bundle'],
    rules,
  };
}

const everything: Json[] = [
  { product_type: 'course', id: 11, title: 'Watercolour Basics', slug: 'watercolour-basics' },
  { product_type: 'course', id: 12, title: 'Sourdough at Home', slug: 'sourdough-at-home' },
  { product_type: 'bundle', id: 31, title: 'Kitchen Bundle', slug: 'kitchen-bundle' },
];

export const productSwitches: readonly Switch[] = [
  products('offers', 'open', 'bundles are called offer', (rows) =>
    rows.map((row) => (row.product_type === 'bundle' ? { ...row, product_type: 'offer' } : row)),
  ),
  products('query-ignored', 'departs', 'the query is ignored', () => everything),
  products('nothing', 'departs', 'nothing is found', () => []),
  products('others-too', 'open', 'similar products, too', (rows) => [
    { product_type: 'course', id: 13, title: 'Street Photography', slug: 'street-photography' },
    ...rows,
  ]),
  products('no-slug', 'fine', 'without slugs', (rows) => rows.map(({ slug: _gone, ...row }) => row)),
  {
    name: 'products-bare',
    class: 'products',
    kind: 'fine',
    says: 'single records bare or under a key',
    probes: [...reads, 'list_courses'],
    rules: {
      after: (reply, { route, method }) => {
        if (reply.status !== 200 || method !== 'GET') return reply;
        const body: Json = Object(reply.body);
        if (route === 'products.get' || route === 'channels.get') return { ...reply, body: Object.values(body)[0] };
        const [, key] = /^(order|course|bundle)s\.get$/.exec(route) ?? [];
        return key === undefined ? reply : { ...reply, body: { [key]: body } };
      },
    },
  },
];
