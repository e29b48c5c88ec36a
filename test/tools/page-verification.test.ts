import { expect, test } from 'vitest';
import { type Row, row, rows } from '../support/academy.ts';
import { connectToApi, type ToolAnswer } from '../support/connect.ts';

type Rule = (page: number, size: number) => { records: unknown[]; meta?: Row };

const student = (id: number): Row => ({
  id,
  name: `Student ${id}`,
  email: `s${id}@example.com`,
  completion_percent: 5,
});
const post = (id: number): Row => ({ id, content: 'Words', created_at: '2026-01-05T10:00:00Z', topic: { id: 1 } });

async function start(rule: Rule) {
  return await connectToApi(({ path, query }) => {
    const asked = new Map(query);
    const { records, meta } = rule(Number(asked.get('page') ?? 1), Number(asked.get('per_page') ?? 50));
    const key = path.endsWith('/students') ? 'students' : 'posts';
    return { body: { [key]: records, ...(meta === undefined ? {} : { meta }) } };
  });
}

type Call = Awaited<ReturnType<typeof start>>['call'];

/** What an agent sees that follows next_page. */
async function everyPage(call: Call, tool: string, args: Row, list: string) {
  const answers: ToolAnswer[] = [];
  for (let page: unknown = 1; page !== undefined && answers.length < 20; page = answers.at(-1)?.structured?.next_page) {
    answers.push(await call(tool, { ...args, page }));
  }
  return { ids: answers.flatMap(({ structured = {} }) => rows(structured[list] ?? []).map(({ id }) => id)), answers };
}

const lists = [
  ['list_students', {}, 'students', student],
  ['search_posts', { id_or_slug: 'general', per_page: 50 }, 'posts', post],
] as const;

const all = (make: (id: number) => Row, count = 110) => Array.from({ length: count }, (_, index) => make(index + 1));
const cut = <Entry>(list: readonly Entry[], page: number, size: number) => list.slice((page - 1) * size, page * size);
const totals = (total: number) => ({ total_students: total, total_posts: total });

test.for(
  lists.flatMap((list) =>
    (
      [
        ['pages are cut and the API returns no total', 20, undefined, undefined],
        ['a page has fewer than it should', 25, 3, /^Incomplete \(this page has 25 records instead of 50/],
        ['the number of pages is too low for the number of records', 50, 2, undefined],
      ] as const
    ).map(([why, ...rule]) => [list[0], why, rule, list] as const),
  ),
)('%s is read to its end if %s', async ([, , [size, pages, says], [tool, args, list, make]]) => {
  const meta = pages === undefined ? {} : { meta: { ...totals(110), total_pages: pages } };
  const { call } = await start((page) => ({ records: cut(all(make), page, size), ...meta }));
  const { ids, answers } = await everyPage(call, tool, args, list);
  expect(ids).toHaveLength(110);
  if (says !== undefined) expect(answers[0]?.text).toMatch(says);
});

test.each(lists)('%s ends and says so if every page is the first', async (tool, args, list, make) => {
  const { call } = await start((_page, size) => ({ records: cut(all(make), 1, size) }));
  const { answers } = await everyPage(call, tool, args, list);
  expect(answers).toHaveLength(2);
  expect(answers[1]?.text).toMatch(/^Incomplete \(page 2 has the same records as page 1/);
});

test.each(lists)('%s counts entries that are not records, and shows the others', async (tool, args, list, make) => {
  const meta = { ...totals(3), total_pages: 1 };
  const { call } = await start(() => ({ records: [make(1), null, make(2)], meta }));
  const { isError, structured = {}, text } = await call(tool, args);
  expect(isError, text).toBe(false);
  expect(rows(structured[list])).toHaveLength(2);
  expect(row(structured.coverage).complete).toBe(false);
  expect(text).toMatch(/^Incomplete \(1 entries of this page are not records/);
});

test('search_posts leaves out and counts posts outside the bounds, and names the bound', async () => {
  const records = [post(1), { ...post(2), created_at: '2026-01-04T10:00:00Z' }];
  const { call } = await start(() => ({ records, meta: { ...totals(2), total_pages: 1 } }));
  const asked = { id_or_slug: 'general', created_after: '2026-01-05T00:00:00Z' };
  const { structured = {} } = await call('search_posts', asked);
  expect(rows(structured.posts).map(({ id }) => id)).toEqual([1]);
  expect(structured).toMatchObject({ discarded: 1, ignored_filters: ['created_after'] });
});

test('list_students keeps fields that the document does not list, and counts completions that it cannot read', async () => {
  const more = { paying_student: true, total_completion: 40, cohort: 'spring' };
  const records = [
    { ...student(1), ...more },
    { ...student(2), completion_percent: 0.4 },
  ];
  const { call } = await start(() => ({ records, meta: { ...totals(2), total_pages: 1 } }));
  const { structured = {} } = await call('list_students');
  expect(rows(structured.students)[0]).toMatchObject(more);
  expect(rows(structured.students)[1]).not.toHaveProperty('completion_percent');
  expect(row(structured.coverage)).toMatchObject({ complete: false, unreadable: { percentages: 1 } });
});

test('a list that the API sends whole counts the entries that are not records', async () => {
  const body = { courses: [{ id: 1, title: 'One' }, null], products: [{ id: 1, title: 'One' }, null], count: 1 };
  const { call } = await connectToApi({ body });
  const { structured = {}, text } = await call('list_courses');
  expect(rows(structured.courses)).toHaveLength(1);
  expect(row(structured.coverage).complete).toBe(false);
  expect(text).toMatch(/^Incomplete \(1 entries are not records/);
});

test('a list of 100 groups, the most that the API lists, is reported as incomplete', async () => {
  const groups = Array.from({ length: 100 }, (_, id) => ({ id, name: `Group ${id}`, position: id, channel_count: 0 }));
  const { call } = await connectToApi({ body: { groups } });
  const { structured = {}, text } = await call('list_community_groups', { limit: 500 });
  expect(row(structured.coverage).complete).toBe(false);
  expect(text).toMatch(/^Incomplete \(the API lists at most 100: there may be more\)/);
});
