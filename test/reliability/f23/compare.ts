import type { Sandbox } from '../../../src/sandbox/index.ts';
import type { Row } from '../../support/academy.ts';
import { truth, truths } from '../../support/truth.ts';

// The rows of the copy beside those of the raw API, read without any code of the program.

type Ask = (sql: string) => Promise<Row[]>;

/** The rows of a table by their key, in the form of the copy: without empty values. */
type Rows = ReadonlyMap<string, string>;

interface Compared {
  readonly table: string;
  /** The columns that are compared; the first one is the key. */
  readonly columns: readonly string[];
  /** What they are selected from, if not the table as it is. */
  readonly from?: string;
  /** The records of the API, each with these columns and perhaps others. */
  read(sandbox: Sandbox): Promise<Row[]>;
}

async function allPages(sandbox: Sandbox, path: string, list: string): Promise<Row[]> {
  const rows: Row[] = [];
  for (let page = 1; ; page += 1) {
    const answer = await truth(sandbox, `${path}${path.includes('?') ? '&' : '?'}page=${page}`);
    const some = answer[list] as Row[];
    rows.push(...some);
    if (some.length === 0 || page >= Number((answer.meta as Row).total_pages)) return rows;
  }
}

const orders = (sandbox: Sandbox) => allPages(sandbox, '/api/v1/orders?status=all&per_page=100', 'orders');
const flag = (value: unknown) => (value === undefined || value === null ? undefined : Number(value));
const listAt = (path: string, name: string) => (sandbox: Sandbox) => truths(sandbox, `/api/v1/${path}`, name);
const timeOf = ({ created_at }: Row) => Date.parse(String(created_at));
const kinds = { courses: 'course', bundles: 'bundle', digital_products: 'digital_product' } as const;
const columnsOf = (names: string) => names.split(' ');

/** The products of an order in one text, and the kinds of the copy as the API names them. */
const itemsOfOrders = `(SELECT order_id, group_concat(item, '; ') AS items FROM (SELECT order_id, kind || ' ' || product_id
  || ' ' || ifnull(title, '') AS item FROM order_items ORDER BY order_id, item) GROUP BY order_id)`;
const downloads =
  "(SELECT product_id AS id, title, price FROM products WHERE is_listed = 1 AND kind = 'digital_product')";

export const compared: readonly Compared[] = [
  {
    table: 'orders',
    columns: columnsOf('id email name created_ms status amount currency country'),
    read: async (sandbox) =>
      (await orders(sandbox)).map((order) => ({
        ...order,
        email: order.user_email,
        name: order.user_name,
        created_ms: timeOf(order),
        country: order.billing_country || undefined,
      })),
  },
  {
    table: 'order_items',
    columns: columnsOf('order_id items'),
    from: itemsOfOrders,
    read: async (sandbox) =>
      (await orders(sandbox)).flatMap((order) => {
        const items = Object.entries(kinds).flatMap(([name, kind]) =>
          (order[name] as Row[]).map(({ id, title }) => `${kind} ${id} ${title}`),
        );
        return items.length === 0 ? [] : [{ order_id: order.id, items: items.sort().join('; ') }];
      }),
  },
  {
    table: 'students',
    columns: columnsOf(
      'id email name created_ms location enrolled admin is_active sign_in_count points completion_percent',
    ),
    read: async (sandbox) =>
      (await allPages(sandbox, '/api/v1/students', 'students')).map((one) => ({
        ...one,
        created_ms: timeOf(one),
        location: one.location || undefined,
        enrolled: flag(one.enrolled),
        admin: flag(one.admin),
        is_active: flag(one.is_active),
      })),
  },
  {
    table: 'completions',
    columns: columnsOf('student_id email'),
    read: async (sandbox) =>
      (await listAt('students/completions', 'students')(sandbox)).map((one) => ({ ...one, student_id: one.id })),
  },
  { table: 'courses', columns: columnsOf('id title price'), read: listAt('courses', 'courses') },
  {
    table: 'products',
    columns: columnsOf('id title price'),
    from: downloads,
    read: listAt('digital_products', 'digital_products'),
  },
  { table: 'bundles', columns: columnsOf('id title'), read: listAt('bundles', 'bundles') },
  {
    table: 'lessons',
    columns: columnsOf('id course_id title sequence is_published'),
    read: async (sandbox) => {
      const courses = await listAt('courses', 'courses')(sandbox);
      const ofEach = courses.map(async ({ id: course_id }) => {
        const { modules, ungrouped_lessons } = await truth(sandbox, `/api/v1/courses/${course_id}/lessons`);
        const inModules = (modules as Row[]).flatMap(({ lessons }) => lessons as Row[]);
        return [...inModules, ...(ungrouped_lessons as Row[])].map((lesson) => ({
          ...lesson,
          course_id,
          is_published: flag(lesson.is_published),
        }));
      });
      return (await Promise.all(ofEach)).flat();
    },
  },
  {
    table: 'posts',
    columns: columnsOf('channel posts'),
    from: '(SELECT channel, count(*) AS posts FROM posts GROUP BY channel)',
    read: async (sandbox) => {
      const channels = await listAt('community/channels?limit=50', 'channels')(sandbox);
      const counts = await Promise.all(
        channels.map(async ({ slug }) => {
          const { meta } = await truth(sandbox, `/api/v1/community/channels/${slug}/posts?page=1&per_page=1`);
          return { channel: slug, posts: Number((meta as Row).total_posts) };
        }),
      );
      return counts.filter(({ posts }) => posts > 0);
    },
  },
];

function byKey(rows: readonly Row[], { columns: [key = '', ...others] }: Compared): Rows {
  const valuesOf = (row: Row) => JSON.stringify(others.map((name) => row[name] ?? null));
  return new Map(rows.map((row) => [String(row[key]), valuesOf(row)]));
}

/** Rows of one answer of query_data. */
const partSize = 200;

export async function rowsOfCopy(one: Compared, ask: Ask): Promise<Rows> {
  const { table, columns, from = table } = one;
  const rows: Row[] = [];
  for (;;) {
    const part = `ORDER BY ${columns[0]} LIMIT ${partSize} OFFSET ${rows.length}`;
    const some = await ask(`SELECT ${columns.join(', ')} FROM ${from} ${part}`);
    rows.push(...some.map(({ untrusted, ...row }) => ({ ...row, ...(untrusted as Row | undefined) })));
    if (some.length < partSize) return byKey(rows, one);
  }
}

export async function rowsOfApi(one: Compared, sandbox: Sandbox): Promise<Rows> {
  return byKey(await one.read(sandbox), one);
}

export function differing(copy: Rows, api: Rows): string[] {
  return [...new Set([...copy.keys(), ...api.keys()])].filter((key) => copy.get(key) !== api.get(key));
}
