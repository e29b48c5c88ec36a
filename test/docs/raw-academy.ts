import type { Sandbox } from '../../src/sandbox/index.ts';
import { type Row, row, rows, words } from '../support/academy.ts';
import { truth, truths } from '../support/truth.ts';

// The academy as the pages of the API show it, read over plain HTTP. Nothing here may come from src/.

type RawOrder = ReturnType<typeof orderOf>;

type RawAcademy = Awaited<ReturnType<typeof readRawAcademy>>;

async function everyPage(sandbox: Sandbox, path: string, list: string, size: number): Promise<Row[]> {
  const found: Row[] = [];
  for (let page = 1; ; page += 1) {
    const some = await truths(sandbox, `${path}page=${page}`, list);
    found.push(...some);
    if (some.length < size) return found;
  }
}

const kinds = { courses: 'course', bundles: 'bundle', digital_products: 'digital_product' };

function orderOf(order: Row) {
  const created = words(order.created_at);
  const products = Object.entries(kinds).flatMap(([list, kind]) =>
    rows(order[list]).map(({ id, title }) => ({ kind, id: Number(id), title: words(title) })),
  );
  return {
    id: words(order.id),
    key: words(order.user_email).toLowerCase(),
    email: words(order.user_email),
    cents: Math.round(Number(order.amount) * 100),
    currency: words(order.currency),
    country: words(order.billing_country),
    status: words(order.status),
    at: Date.parse(created),
    day: created.slice(0, 10),
    month: created.slice(0, 7),
    products,
  };
}

function studentOf(student: Row) {
  const created = words(student.created_at);
  return {
    key: words(student.email).toLowerCase(),
    name: words(student.name),
    day: created.slice(0, 10),
    month: created.slice(0, 7),
    percent: Number(student.completion_percent),
  };
}

async function courseOf(sandbox: Sandbox, { id, title }: Row) {
  const structure = await truth(sandbox, `/api/v1/courses/${id}/lessons`);
  const inModules = rows(structure.modules).reduce((sum, module) => sum + rows(module.lessons).length, 0);
  const ungrouped = Array.isArray(structure.ungrouped_lessons) ? structure.ungrouped_lessons.length : 0;
  return { id: Number(id), title: words(title), lessons: inModules + ungrouped };
}

async function postsOf(sandbox: Sandbox) {
  const channels = await truths(sandbox, '/api/v1/community/channels?limit=50', 'channels');
  const posts = await Promise.all(
    channels.map(({ slug }) =>
      everyPage(sandbox, `/api/v1/community/channels/${slug}/posts?per_page=100&`, 'posts', 100),
    ),
  );
  return posts.flat().map(({ topic, author, created_at }) => ({
    topic: Number(row(topic).id),
    author: words(row(author).name),
    at: Date.parse(words(created_at)),
  }));
}

export async function readRawAcademy(sandbox: Sandbox) {
  const orders = await everyPage(sandbox, '/api/v1/orders?status=all&per_page=100&', 'orders', 100);
  const students = await everyPage(sandbox, '/api/v1/students?', 'students', 50);
  const completed = await truths(sandbox, '/api/v1/students/completions', 'students');
  const courses = await truths(sandbox, '/api/v1/courses', 'courses');
  return {
    orders: orders.map(orderOf),
    students: students.map(studentOf),
    completed: completed.map(({ email }) => words(email).toLowerCase()),
    courses: await Promise.all(courses.map((course) => courseOf(sandbox, course))),
    posts: await postsOf(sandbox),
  };
}

// What each question of docs/data.md counts, over raw pages. Nothing here may come from src/.

const isPaid = ({ status }: RawOrder) => status === 'paid' || status === 'wallet_executed';
const cameIn = (order: RawOrder) => isPaid(order) && order.cents > 0;

/** The items by key, in the order of the first of each. */
export function groups<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> {
  const found = new Map<string, Item[]>();
  for (const item of items) found.set(keyOf(item), [...(found.get(keyOf(item)) ?? []), item]);
  return found;
}

const cents = (orders: readonly RawOrder[]) => orders.reduce((sum, order) => sum + order.cents, 0);
const byTime = (orders: readonly RawOrder[]) => orders.toSorted((one, other) => one.at - other.at);
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);

/** Buyers with their paid orders, the oldest first. */
const buyersOf = ({ orders }: RawAcademy) => [...groups(byTime(orders.filter(cameIn)), ({ key }) => key)];

/** Who holds what: "key kind id" to the orders that give it, the oldest first. */
const holdingsOf = ({ orders }: RawAcademy) =>
  groups(
    byTime(orders.filter(isPaid)).flatMap((order) =>
      order.products.map(({ kind, id }) => ({ order, holding: `${order.key}\n${kind}\n${id}` })),
    ),
    ({ holding }) => holding,
  );

function holdersOf(academy: RawAcademy, course: number): Set<string> {
  const suffix = `\ncourse\n${course}`;
  return new Set(
    [...holdingsOf(academy).keys()].filter((one) => one.endsWith(suffix)).map((one) => one.replace(suffix, '')),
  );
}

const holdersOfAny = (academy: RawAcademy) => new Set([...holdingsOf(academy).keys()].map((one) => one.split('\n')[0]));

/** In the sandbox, an order of one bundle lists its contents too. */
function pairsIn({ products }: RawOrder): string[] {
  const bundles = products.filter(({ kind }) => kind === 'bundle');
  const own = bundles.length > 0 ? bundles : products;
  return own.flatMap((one, index) => own.slice(index + 1).map((other) => [one.title, other.title].sort().join(' + ')));
}

/** By question, the rows that its statement must give, in any order. */
export const countByQuestion: Readonly<Record<string, (academy: RawAcademy) => unknown[][]>> = {
  'revenue by month and currency': ({ orders }) =>
    [...groups(orders.filter(cameIn), ({ month, currency }) => `${month} ${currency}`)].map(([key, some]) => [
      ...key.split(' '),
      cents(some),
      some.length,
    ]),
  'who holds course 1 and not course 2': (academy) => {
    const others = holdersOf(academy, 2);
    return [...holdersOf(academy, 1)]
      .filter((key) => !others.has(key))
      .map((key) => [key, holdingsOf(academy).get(`${key}\ncourse\n1`)?.[0]?.order.at]);
  },
  'repeat buyers by month of the first purchase': (academy) =>
    [...groups(buyersOf(academy), ([, [first]]) => first?.month ?? '')].map(([month, buyers]) => [
      month,
      buyers.length,
      buyers.filter(([, orders]) => orders.length > 1).length,
    ]),
  'who paid in the last 90 days and has completed nothing': ({ orders, students }) => {
    const recent = new Set(orders.filter((order) => cameIn(order) && order.day >= daysAgo(90)).map(({ key }) => key));
    return students.filter(({ key, percent }) => percent === 0 && recent.has(key)).map(({ key, name }) => [key, name]);
  },
  'lessons of each course': ({ courses }) => courses.map(({ title, lessons }) => [title, lessons]),
  'who holds both course 1 and course 2': (academy) => {
    const others = holdersOf(academy, 2);
    return [...holdersOf(academy, 1)].filter((key) => others.has(key)).map((key) => [key, 2]);
  },
  'orders and buyers of each product, best sellers first': ({ orders }) => {
    const sold = orders.filter(cameIn).flatMap(({ key, products }) => products.map((product) => ({ key, ...product })));
    return [...groups(sold, ({ kind, id }) => `${kind} ${id}`)].map(([product, some]) => [
      product,
      some.length,
      new Set(some.map(({ key }) => key)).size,
    ]);
  },
  'the best customers: what each has paid, by currency': ({ orders }) =>
    [...groups(orders.filter(cameIn), ({ key, currency }) => `${key} ${currency}`)]
      .map(([, some]) => [cents(some)])
      .sort(([one = 0], [other = 0]) => other - one)
      .slice(0, 50),
  'students who hold nothing': (academy) => {
    const holders = holdersOfAny(academy);
    return academy.students.filter(({ key }) => !holders.has(key)).map(({ key, name }) => [key, name]);
  },
  'orders, revenue and the average order, by country and currency': ({ orders }) =>
    [...groups(orders.filter(cameIn), ({ country, currency }) => `${country}\n${currency}`)].map(([key, some]) => [
      ...key.split('\n'),
      some.length,
      cents(some),
      Math.round(cents(some) / some.length),
    ]),
  'new students by month': ({ students }) =>
    [...groups(students, ({ month }) => month)].map(([month, some]) => [month, some.length]),
  'payments that failed or are pending, by people who have paid nothing since': ({ orders }) =>
    orders
      .filter(({ status }) => status === 'pending' || status === 'failed')
      .filter((open) => !orders.some((other) => other.key === open.key && isPaid(other) && other.at > open.at))
      .map(({ id, key, status, cents, currency, day }) => [id, key, status, cents, currency, day]),
  'people who hold products and have never paid': (academy) =>
    [...groups([...holdingsOf(academy)], ([holding]) => holding.split('\n')[0] ?? '')]
      .filter(([, held]) => held.every(([, given]) => given.every(({ order }) => order.cents === 0)))
      .map(([key, held]) => [key, held.length]),
  'products that are bought in the same order, as pairs': ({ orders }) =>
    [...groups(orders.filter(cameIn).flatMap(pairsIn), (pair) => pair)].map(([pair, some]) => [pair, some.length]),
  'who has completed everything, and when they joined': ({ completed, students }) =>
    students.filter(({ key }) => completed.includes(key)).map(({ key, name, day }) => [key, name, day]),
  'sales by day of the week (0 is Sunday)': ({ orders }) =>
    [...groups(orders.filter(cameIn), ({ at }) => String(new Date(at).getUTCDay()))].map(([day, some]) => [
      day,
      some.length,
    ]),
  'listed courses without a sale': ({ orders, courses }) => {
    const sold = new Set(
      orders.filter(cameIn).flatMap(({ products }) => products.map(({ kind, id }) => `${kind} ${id}`)),
    );
    return courses.filter(({ id }) => !sold.has(`course ${id}`)).map(({ id, title }) => [id, title]);
  },
  'the last post of each topic of the community, the longest silent first': ({ posts }) =>
    [...groups(posts, ({ topic }) => String(topic)).values()].map((some) => {
      const newest = some.toSorted((one, other) => other.at - one.at)[0];
      return [newest?.topic, newest?.author, newest?.at];
    }),
  'who writes most in the community': ({ posts }) =>
    [...groups(posts, ({ author }) => author).values()]
      .map((some) => [some.length])
      .sort(([one = 0], [other = 0]) => other - one)
      .slice(0, 20),
  'days from the first to the second purchase, on average': (academy) => {
    const waits = buyersOf(academy).flatMap(([, [first, second]]) =>
      first === undefined || second === undefined ? [] : [(second.at - first.at) / 86_400_000],
    );
    const sum = waits.reduce((one, other) => one + other, 0);
    return [[waits.length, Math.round((sum / waits.length) * 10) / 10]];
  },
};
