import type { Sandbox } from '../../src/sandbox/index.ts';
import { type Row, row, rows, words } from '../support/academy.ts';
import { truth, truths } from '../support/truth.ts';

// The academy as the pages of the API show it, read over plain HTTP. Nothing here may come from src/.

export interface RawOrder {
  id: string;
  key: string;
  email: string;
  cents: number;
  currency: string;
  country: string;
  status: string;
  at: number;
  day: string;
  month: string;
  /** "course 5". */
  products: { kind: string; id: number; title: string }[];
}

export interface RawStudent {
  key: string;
  name: string;
  day: string;
  month: string;
  percent: number;
}

export interface RawAcademy {
  orders: RawOrder[];
  students: RawStudent[];
  completed: string[];
  courses: { id: number; title: string; lessons: number }[];
  posts: { topic: number; author: string; at: number }[];
}

async function everyPage(sandbox: Sandbox, path: string, list: string, size: number): Promise<Row[]> {
  const found: Row[] = [];
  for (let page = 1; ; page += 1) {
    const some = await truths(sandbox, `${path}page=${page}`, list);
    found.push(...some);
    if (some.length < size) return found;
  }
}

const kinds = { courses: 'course', bundles: 'bundle', digital_products: 'digital_product' };

function orderOf(order: Row): RawOrder {
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

function studentOf(student: Row): RawStudent {
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

export async function readRawAcademy(sandbox: Sandbox): Promise<RawAcademy> {
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
