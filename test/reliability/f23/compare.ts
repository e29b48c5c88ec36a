import type { Sandbox } from '../../../src/sandbox/index.ts';
import { type Row, request } from './world.ts';

// The rows of the copy beside those of the raw API, read without any code of the program.

type Ask = (sql: string) => Promise<Row[]>;

/** The rows of a table by their key, in the form of the copy: without empty values. */
type Rows = ReadonlyMap<string, string>;

interface Compared {
  readonly table: string;
  readonly sql: string;
  read(get: Get): Promise<Row[]>;
  key(row: Row): string;
}

type Get = (path: string) => Promise<Row>;

async function allPages(get: Get, path: string, list: string): Promise<Row[]> {
  const rows: Row[] = [];
  for (let page = 1; ; page += 1) {
    const answer = await get(`${path}${path.includes('?') ? '&' : '?'}page=${page}`);
    const some = answer[list] as Row[];
    rows.push(...some);
    if (some.length === 0 || page >= Number((answer.meta as Row).total_pages)) return rows;
  }
}

const orders = (get: Get) => allPages(get, '/api/v1/orders?status=all&per_page=100', 'orders');
const flag = (value: unknown) => (value === undefined || value === null ? undefined : Number(value));
const list = (answer: Row | Row[], name: string) => (Array.isArray(answer) ? answer : (answer[name] as Row[]));
const kinds = { courses: 'course', bundles: 'bundle', digital_products: 'digital_product' } as const;
const withoutBundles = "kind || ' ' || product_id";

async function structures(get: Get): Promise<Row[]> {
  const courses = list(await get('/api/v1/courses'), 'courses');
  return await Promise.all(courses.map(async ({ id }) => ({ id, ...(await get(`/api/v1/courses/${id}/lessons`)) })));
}

export const compared: readonly Compared[] = [
  {
    table: 'orders',
    sql: 'SELECT id, email, name, created_ms, status, amount, currency, country FROM orders ORDER BY id',
    read: async (get) =>
      (await orders(get)).map(
        ({ id, user_email, user_name, created_at, status, amount, currency, billing_country }) => ({
          id,
          email: user_email,
          name: user_name,
          created_ms: Date.parse(String(created_at)),
          status,
          amount,
          currency,
          country: billing_country || undefined,
        }),
      ),
    key: ({ id }) => String(id),
  },
  {
    table: 'order_items',
    sql: `SELECT order_id, group_concat(item, '; ') AS items FROM
      (SELECT order_id, ${withoutBundles} || ' ' || ifnull(title, '') AS item FROM order_items ORDER BY order_id, item) GROUP BY order_id ORDER BY order_id`,
    read: async (get) =>
      (await orders(get)).flatMap((order) => {
        const items = Object.entries(kinds).flatMap(([name, kind]) =>
          (order[name] as Row[]).map(({ id, title }) => `${kind} ${id} ${title}`),
        );
        return items.length === 0 ? [] : [{ order_id: order.id, items: items.sort().join('; ') }];
      }),
    key: ({ order_id }) => String(order_id),
  },
  {
    table: 'students',
    sql: 'SELECT id, email, name, created_ms, location, enrolled, admin, is_active, sign_in_count, points, completion_percent FROM students ORDER BY id',
    read: async (get) =>
      (await allPages(get, '/api/v1/students', 'students')).map((one) => ({
        id: one.id,
        email: one.email,
        name: one.name,
        created_ms: Date.parse(String(one.created_at)),
        location: one.location || undefined,
        enrolled: flag(one.enrolled),
        admin: flag(one.admin),
        is_active: flag(one.is_active),
        sign_in_count: one.sign_in_count,
        points: one.points,
        completion_percent: one.completion_percent,
      })),
    key: ({ id }) => String(id),
  },
  {
    table: 'completions',
    sql: 'SELECT student_id, email FROM completions ORDER BY student_id',
    read: async (get) =>
      list(await get('/api/v1/students/completions'), 'students').map(({ id, email }) => ({ student_id: id, email })),
    key: ({ student_id }) => String(student_id),
  },
  {
    table: 'courses',
    sql: 'SELECT id, title, price FROM courses ORDER BY id',
    read: async (get) =>
      list(await get('/api/v1/courses'), 'courses').map(({ id, title, price }) => ({ id, title, price })),
    key: ({ id }) => String(id),
  },
  {
    table: 'products',
    sql: "SELECT product_id AS id, title, price FROM products WHERE is_listed = 1 AND kind = 'digital_product' ORDER BY product_id",
    read: async (get) =>
      list(await get('/api/v1/digital_products'), 'digital_products').map(({ id, title, price }) => ({
        id,
        title,
        price,
      })),
    key: ({ id }) => String(id),
  },
  {
    table: 'bundles',
    sql: 'SELECT id, title FROM bundles ORDER BY id',
    read: async (get) => list(await get('/api/v1/bundles'), 'bundles').map(({ id, title }) => ({ id, title })),
    key: ({ id }) => String(id),
  },
  {
    table: 'lessons',
    sql: 'SELECT id, course_id, title, sequence, is_published FROM lessons ORDER BY id',
    read: async (get) =>
      (await structures(get)).flatMap(({ id: course_id, modules, ungrouped_lessons }) => {
        const inModules = (modules as Row[]).flatMap(({ lessons }) => lessons as Row[]);
        return [...inModules, ...(ungrouped_lessons as Row[])].map(({ id, title, sequence, is_published }) => ({
          id,
          course_id,
          title,
          sequence,
          is_published: flag(is_published),
        }));
      }),
    key: ({ id }) => String(id),
  },
  {
    table: 'posts',
    sql: 'SELECT channel, count(*) AS posts FROM posts GROUP BY channel ORDER BY channel',
    read: async (get) => {
      const { channels } = await get('/api/v1/community/channels?limit=50');
      const counts = await Promise.all(
        (channels as Row[]).map(async ({ slug }) => {
          const { meta } = await get(`/api/v1/community/channels/${slug}/posts?page=1&per_page=1`);
          return { channel: slug, posts: Number((meta as Row).total_posts) };
        }),
      );
      return counts.filter(({ posts }) => posts > 0);
    },
    key: ({ channel }) => String(channel),
  },
];

const written = (row: Row): string =>
  JSON.stringify(
    Object.entries(row)
      .filter(([, value]) => value !== null && value !== undefined)
      .sort(([one], [other]) => (one < other ? -1 : 1)),
  );

const byKey = (rows: readonly Row[], { key }: Compared): Rows => new Map(rows.map((row) => [key(row), written(row)]));

/** Rows of one answer of query_data. */
const partSize = 200;

export async function rowsOfCopy(one: Compared, ask: Ask): Promise<Rows> {
  const rows: Row[] = [];
  for (;;) {
    const some = await ask(`${one.sql} LIMIT ${partSize} OFFSET ${rows.length}`);
    rows.push(...some.map(({ untrusted, ...row }) => ({ ...row, ...(untrusted as Row | undefined) })));
    if (some.length < partSize) return byKey(rows, one);
  }
}

export async function rowsOfApi(one: Compared, sandbox: Sandbox): Promise<Rows> {
  return byKey(await one.read((path) => request(sandbox, 'GET', path)), one);
}

export function differing(copy: Rows, api: Rows): string[] {
  return [...new Set([...copy.keys(), ...api.keys()])].filter((key) => copy.get(key) !== api.get(key));
}
