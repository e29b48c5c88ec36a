import { type Call, html, ok, type Reply } from '../academy/call.ts';
import type { Rules } from '../academy/rules.ts';
import type { Json } from '../academy/state.ts';
import { reads, type Switch, updates } from './switch.ts';

const isWrite = ({ method, route }: Call) => method !== 'GET' && route !== 'courses.completion';
const words = 'Seat limit reached';
const json = (status: number, body: unknown, headers: Record<string, string> = {}): Reply => ({
  status,
  headers,
  body,
});

/** Refuses every write this way. */
function refusal(name: string, kind: Switch['kind'], says: string, reply: Reply, more: Partial<Switch> = {}): Switch {
  const probes = [
    'enroll_student/new',
    'revoke_course',
    'grant_role',
    'create_lesson',
    ...updates,
    'bulk_enroll_students/confirm',
  ];
  const rules: Rules = { before: (call) => (isWrite(call) ? reply : undefined) };
  return { name: `error-${name}`, class: 'errors', kind, says, probes, words, rules, ...more };
}

const cloudflare =
  '<!DOCTYPE html><html><head><title>Attention Required! | Cloudflare</title></head><body>Sorry, you have been blocked</body></html>';
const notAdmin = /not (an? )?admin|admin's key|of an admin|non-admin/i;

/** Answers every read this way, and refuses writes with it. */
function failing(name: string, says: string, reply: Reply, lies?: RegExp): Switch {
  const probes = [
    'find_buyers',
    'list_students',
    'community_digest',
    'student_profile/buyer',
    'get_course_structure',
    'enroll_student/known',
    'update_product',
  ];
  const common = {
    name: `error-${name}`,
    class: 'errors',
    kind: 'departs',
    says,
    probes,
    rules: { before: () => reply },
  } as const;
  return lies === undefined ? common : { ...common, lies };
}

/** The first three requests of each kind meet this. */
function passing(name: string, says: string, reply: (tries: number) => Reply): Switch {
  const rules: Rules = {
    before: ({ route, method }, { log }) => {
      const tries = log.filter((entry) => entry.route === route).length;
      return method === 'GET' && tries === 1 ? reply(tries) : undefined;
    },
  };
  return {
    name: `error-${name}`,
    class: 'errors',
    kind: 'fine',
    says,
    probes: ['list_courses', 'student_profile/buyer', 'get_course_structure', 'list_completed_students'],
    rules,
  };
}

export const errorSwitches: readonly Switch[] = [
  refusal('error-only', 'open', '422 {"error"}', json(422, { error: words })),
  refusal('message', 'departs', '422 {"message"}', json(422, { message: words })),
  refusal(
    'generic',
    'open',
    '422 {"error":"Validation failed","errors":[{"message"}]}',
    json(422, { error: 'Validation failed', errors: [{ message: words }] }),
  ),
  refusal(
    'generic-code',
    'open',
    '422 {"error":"Validation failed","errors":[{"code","message"}]}',
    json(422, { error: 'Validation failed', errors: [{ code: 'limit', message: words }] }),
  ),
  refusal(
    'second',
    'open',
    '422 with the reason in the second of errors',
    json(422, {
      error: 'Validation failed',
      errors: [
        { code: 'first', message: 'Name is odd' },
        { code: 'limit', message: words },
      ],
    }),
  ),
  refusal('texts', 'departs', '422 {"errors":["…"]}', json(422, { errors: [words] })),
  refusal('fields', 'departs', '422 {"errors":{"email":["…"]}}', json(422, { errors: { email: [words] } })),
  refusal(
    'fields-text',
    'departs',
    '422 {"errors":{"base":"…"}}',
    json(422, { error: 'Validation failed', errors: { base: words } }),
  ),
  refusal('object', 'departs', '422 {"error":{"message"}}', json(422, { error: { code: 'limit', message: words } })),
  refusal(
    'problem',
    'departs',
    '422 problem+json',
    json(
      422,
      { type: 'about:blank', title: 'Unprocessable', detail: words },
      { 'content-type': 'application/problem+json' },
    ),
  ),
  refusal('list', 'departs', '422 ["…"]', json(422, [words])),
  refusal('plain', 'departs', '422 in plain text', { ...html(422, words), headers: { 'content-type': 'text/plain' } }),
  refusal('403', 'open', '403 with a reason', json(403, { error: words, errors: [{ code: 'limit', message: words }] })),
  refusal('400', 'open', '400 with a reason', json(400, { error: words })),
  refusal('409', 'open', '409 with a reason', json(409, { error: words })),
  refusal('cloudflare', 'departs', 'Cloudflare: 403 and a web page, for writes', html(403, cloudflare), {
    words: 'forbidden',
    lies: notAdmin,
  }),
  failing('cloudflare-all', 'Cloudflare: 403 and a web page, for everything', html(403, cloudflare), notAdmin),
  failing('503-html', '503 and a web page', html(503, '<html><body>Maintenance</body></html>')),
  failing('401-html', '401 and a web page', html(401, '<html><body>Sign in</body></html>')),
  {
    name: 'error-cut',
    class: 'errors',
    kind: 'departs',
    says: 'every body is cut after 100 bytes',
    probes: [
      'find_buyers',
      'list_students',
      'community_digest',
      'student_profile/buyer',
      'get_course_structure',
      'enroll_student/known',
      'update_product',
    ],
    rules: { after: (reply) => ({ ...reply, cutAfter: 100 }) },
    lies: /not JSON|check the (base )?(url|address)/i,
  },
  {
    name: 'error-short',
    class: 'errors',
    kind: 'departs',
    says: 'every body ends early, as if it were whole',
    probes: [
      'find_buyers',
      'list_students',
      'community_digest',
      'student_profile/buyer',
      'get_course_structure',
      'enroll_student/known',
      'update_product',
    ],
    rules: { after: (reply) => ({ ...reply, raw: JSON.stringify(reply.body).slice(0, -20) }) },
  },
  passing('429-date', 'the first read is refused with 429 and Retry-After as a date', () =>
    json(429, { error: 'Too many requests' }, { 'retry-after': new Date(Date.now() + 1000).toUTCString() }),
  ),
  passing('429-none', 'the first read is refused with 429 without Retry-After', () =>
    json(429, { error: 'Too many requests' }),
  ),
  passing('502', 'the first read is refused with 502 and a web page', () => html(502, '<html></html>')),
];

function envelope(
  name: string,
  kind: Switch['kind'],
  says: string,
  write: (body: Json, call: Call) => unknown,
  probes: readonly string[] = [...reads, 'list_courses'],
): Switch {
  const rules: Rules = {
    after: (reply, call) =>
      reply.status === 200 && call.method === 'GET' ? { ...reply, body: write(Object(reply.body), call) } : reply,
  };
  return { name: `envelope-${name}`, class: 'envelopes', kind, says, probes, rules };
}

const camel = (key: string) => key.replaceAll(/_(\w)/g, (_all, letter: string) => letter.toUpperCase());

function rewriteKeys(value: unknown, rewrite: (key: string) => string): unknown {
  if (Array.isArray(value)) return value.map((one) => rewriteKeys(one, rewrite));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [rewrite(key), rewriteKeys(one, rewrite)]));
}

const listOf = (body: Json) => Object.entries(body).find(([, value]) => Array.isArray(value));

/** {data: [{id, type, attributes}], meta}. */
function jsonApi(body: Json): unknown {
  const [name, list] = listOf(body) ?? [];
  if (name === undefined || !Array.isArray(list) || 'paid_orders' in body || 'courses' in Object(list[0])) return body;
  const { [name]: _gone, ...others } = body;
  return { ...others, data: list.map(({ id, ...attributes }: Json) => ({ id: String(id), type: name, attributes })) };
}

export const envelopeSwitches: readonly Switch[] = [
  envelope('data', 'departs', '{"data": the whole}', (body) => ({ data: body })),
  envelope('data-list', 'departs', 'lists under data', (body, { route }) => {
    const [name, list] = route.endsWith('.list') ? (listOf(body) ?? []) : [];
    if (name === undefined) return body;
    const { [name]: _gone, ...others } = body;
    return { ...others, data: list };
  }),
  envelope('json-api', 'departs', 'JSON:API', jsonApi),
  envelope('camel', 'departs', 'keys in camelCase', (body) => rewriteKeys(body, camel)),
  envelope('pascal', 'departs', 'keys in PascalCase', (body) =>
    rewriteKeys(body, (key) => key.charAt(0).toUpperCase() + camel(key).slice(1)),
  ),
  envelope('result', 'departs', '{"result": the whole, "status": "ok"}', (body) => ({ status: 'ok', result: body })),
];

const wrap = (name: string) => (body: Json) => ({ [name]: body });

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
  products('capitals', 'open', '"Course"', (rows) =>
    rows.map((row) => ({
      ...row,
      product_type: String(row.product_type).replace(/^./, (letter) => letter.toUpperCase()),
    })),
  ),
  products('query-ignored', 'departs', 'the query is ignored', () => everything),
  products('nothing', 'departs', 'nothing is found', () => []),
  products('twice', 'departs', 'everything twice', (rows) => [...rows, ...rows]),
  products('others-too', 'open', 'what is like it, too', (rows) => [
    { product_type: 'course', id: 13, title: 'Street Photography', slug: 'street-photography' },
    ...rows,
  ]),
  products('type-key', 'departs', 'type in place of product_type', (rows) =>
    rows.map(({ product_type: type, ...row }) => ({ ...row, type })),
  ),
  products('no-slug', 'fine', 'without slugs', (rows) => rows.map(({ slug: _gone, ...row }) => row)),
  envelope('product-bare', 'fine', 'single records bare or under a key', (body, { route }) => {
    if (route === 'products.get' || route === 'channels.get') return Object.values(body)[0];
    if (route === 'orders.get') return wrap('order')(body);
    if (route === 'courses.get') return wrap('course')(body);
    return route === 'bundles.get' ? wrap('bundle')(body) : body;
  }),
];
