import { expect, test } from 'vitest';
import { type Row, rows, words } from '../support/academy.ts';
import { type Connection, connectToApi, startAcademy, type ToolAnswer } from '../support/connect.ts';
import { ids, truths } from '../support/truth.ts';
import { wholeStructure } from '../support/whole-rows.ts';

const longest = 40_000;

function expectReadable({ text, structured, isError }: ToolAnswer): Row {
  expect(isError, text).toBe(false);
  expect(text.length).toBeLessThanOrEqual(longest);
  expect(JSON.stringify(structured).length).toBeLessThanOrEqual(longest);
  return structured ?? {};
}

/** Where an answer that was cut says to go on, or one that was not. */
function nextOf({ cut, next_page, next_cursor }: Row): Row | undefined {
  const told = /^cut to \d+ of \d+ records .*; go on with per_page (\d+), page (\d+)$/.exec(words(cut ?? ''));
  if (told !== null) return { per_page: Number(told[1]), page: Number(told[2]) };
  if (next_cursor !== undefined) return { cursor: next_cursor };
  return next_page === undefined ? undefined : { page: next_page };
}

async function readAll(call: Connection['call'], name: string, list: string, args: Row) {
  const found: Row[] = [];
  let cuts = 0;
  for (let next: Row | undefined = args; next !== undefined; ) {
    const asked: Row = { ...args, ...next };
    const answer = await call(name, asked);
    const data = expectReadable(answer);
    found.push(...rows(data[list] ?? []));
    if (data.cut !== undefined) {
      cuts += 1;
      expect(answer.text).toContain(`cut: ${data.cut}`);
    }
    const further = nextOf(data);
    // The page size that was asked for last stays until another one is named.
    next = further === undefined ? undefined : { ...asked, ...further };
  }
  return { found, cuts };
}

test('a page of whole orders that is too long is cut, and reading on gives every order once', async () => {
  const { sandbox, call } = await startAcademy({ orders: 300 });
  const orders = await truths(sandbox, '/api/v1/orders?status=all', 'orders');
  const args = { status: 'all', detail: 'full', per_page: 100, page: 2 };
  const { found, cuts } = await readAll(call, 'list_orders', 'orders', args);
  expect(cuts).toBeGreaterThan(0);
  expect(ids(found)).toEqual(ids(orders.slice(100)));
});

test('a page of long posts is cut, and reading on gives every post once', async () => {
  const posts = Array.from({ length: 230 }, (_, index) => ({
    id: index + 1,
    content: 'word '.repeat(150 + (index % 90)),
  }));
  const { call } = await connectToApi(({ query }) => {
    const { page = '1', per_page = '25' } = Object.fromEntries(query);
    const size = Number(per_page);
    const total_pages = Math.ceil(posts.length / size);
    const meta = { current_page: Number(page), per_page: size, total_pages, total_posts: posts.length };
    return { body: { posts: posts.slice((Number(page) - 1) * size, Number(page) * size), meta } };
  });
  const { found, cuts } = await readAll(call, 'search_posts', 'posts', { id_or_slug: 1, per_page: 97 });
  expect(cuts).toBeGreaterThan(0);
  expect(ids(found)).toEqual(ids(posts));
});

test('a long list that the API sends whole is cut, and its cursor continues behind the cut', async () => {
  const { sandbox, call } = await startAcademy({ students: 800, orders: 3000 });
  const answers = await truths(sandbox, '/api/v1/students/answers', 'answers');
  const { found, cuts } = await readAll(call, 'list_assignment_answers', 'answers', { limit: 500 });
  expect(cuts).toBeGreaterThan(0);
  expect(ids(found)).toEqual(ids(answers).reverse());
});

test('a course with too many lessons is cut, and its cursor continues behind the cut', async () => {
  const lesson = (id: number) => ({
    id,
    title: `Lesson ${id}`,
    sequence: id,
    is_published: id % 7 > 0,
    lesson_type: 'Text',
  });
  const lessons = Array.from({ length: 2400 }, (_, index) => lesson(index + 1));
  const module = (id: number, from: number, to: number) => ({
    id,
    title: `Module ${id}`,
    lessons: lessons.slice(from, to),
  });
  const modules = [module(1, 0, 30), { id: 2, title: 'Without lessons', lessons: [] }, module(3, 30, 1000)];
  const body = { course: { id: 5, title: 'Vast' }, modules, ungrouped_lessons: lessons.slice(1000) };
  const { call } = await connectToApi({ body });
  const parts: Row[] = [];
  for (let next: Row | undefined = {}; next !== undefined; next = nextOf(parts.at(-1) ?? {})) {
    parts.push(expectReadable(await call('get_course_structure', { course_id: 5, ...next })));
  }
  const whole = parts.map(wholeStructure);
  const shownModules = whole.flatMap(({ modules = [] }) => rows(modules));
  const shown = [
    ...shownModules.flatMap((shownModule) => rows(shownModule.lessons ?? [])),
    ...whole.flatMap(({ ungrouped_lessons = [] }) => rows(ungrouped_lessons)),
  ];
  expect(parts.length).toBeGreaterThan(2);
  expect(shown).toEqual(lessons);
  expect([...new Set(ids(shownModules))]).toEqual([1, 2, 3]);
  expect(parts.every(({ lesson_count }) => lesson_count === 2400)).toBe(true);
});

test('a single long text is cut, and says how much is missing', async () => {
  const { call } = await connectToApi({ body: { id: 1, title: 'One', description: 'x'.repeat(90_000) } });
  const answer = await call('get_course', { course_id: 1 });
  expect(JSON.stringify(expectReadable(answer))).toMatch(/x… \[\d+ more characters left out\]/);
  expect(answer.text).toMatch(/x… \[\d+ more characters left out\]/);
});

test('the widest pages of every list of a big academy stay readable', async () => {
  const { call } = await startAcademy({ students: 1500, orders: 6000 });
  const widest: [string, Row][] = [
    ['list_orders', { status: 'all', per_page: 100, detail: 'full' }],
    ['list_orders', { status: 'all', per_page: 100 }],
    ['list_students', {}],
    ['list_completed_students', { limit: 500 }],
    ['list_assignment_answers', { limit: 500 }],
    ['list_project_posts', { limit: 500 }],
    ['search_posts', { id_or_slug: 3, per_page: 100 }],
    ['search_products', { limit: 25 }],
    ['search_channels', { limit: 50 }],
  ];
  for (const [name, args] of widest) expectReadable(await call(name, args));
});
