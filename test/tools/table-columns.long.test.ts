import { expect, test } from 'vitest';
import { type Row, rows } from '../support/academy.ts';
import { addOrder, daysAgo, newcomer } from '../support/arrange.ts';
import { connect, connectToApi } from '../support/connect.ts';
import { orderNumber, startPaging } from '../support/paging-server.ts';
import { start } from '../support/sandbox.ts';
import { split } from '../support/text-form.ts';

type Page = ReturnType<typeof tableOf>;

type Call = Awaited<ReturnType<typeof connect>>['call'];

/** The table of an answer, below the line that `before` matches or below the first line. */
function tableOf(text: string, data: Row, list: string) {
  const lines = text.split('\n');
  const title = lines.findIndex((line) => line.startsWith(`${list} (`));
  const header = (title < 0 ? lines.findIndex((line) => line.startsWith('email | ')) : title + 1) || 1;
  const body = lines.slice(header + 1, header + 1 + rows(data[list]).length);
  const cells = body.map((line) => split(line, ' | '));
  return { first: lines[0] ?? '', header: lines[header] ?? '', cells, data };
}

/** Every page of a question. */
async function pagesOf(call: Call, tool: string, args: Row, list: string): Promise<Page[]> {
  const pages: Page[] = [];
  let place: Row | undefined = {};
  while (place !== undefined && pages.length < 60) {
    const { isError, text, structured } = await call(tool, { ...args, ...place });
    expect(isError, text).toBe(false);
    pages.push(tableOf(text, structured ?? {}, list));
    const { next_page, next_cursor }: Row = structured ?? {};
    place =
      next_page !== undefined ? { page: next_page } : next_cursor !== undefined ? { cursor: next_cursor } : undefined;
  }
  return pages;
}

async function startAcademy(): Promise<Call> {
  const sandbox = await start({ students: 120, orders: 200 });
  return (await connect({ ACADEMY_BASE_URL: sandbox.url, ACADEMY_RATE_LIMIT: 'off' })).call;
}

const questions: [tool: string, args: Row, list: string][] = [
  ['list_orders', { per_page: 3, status: 'all', created_after: '2026-01-01' }, 'orders'],
  ['list_orders', { per_page: 20, detail: 'full' }, 'orders'],
  ['list_students', {}, 'students'],
  ['list_completed_students', { limit: 1 }, 'students'],
  ['list_assignment_answers', { limit: 2 }, 'answers'],
  ['list_project_posts', { limit: 2 }, 'project_posts'],
  ['search_posts', { id_or_slug: 1, per_page: 1 }, 'posts'],
  ['search_posts', { per_page: 40 }, 'posts'],
  ['list_students', { sort: 'points', limit: 30 }, 'students'],
  ['unpaid_orders', { limit: 1 }, 'unpaid'],
  ['find_buyers', { min_products: 2, limit: 5 }, 'buyers'],
  ['find_buyers', { product: '1', product_type: 'course', include_granted: true, limit: 1 }, 'buyers'],
  ['course_progress', { course_id: 1, include_granted: true, limit: 1, max_requests: 200 }, 'stuck'],
];

test.for(questions)('the table of %s %j has the same columns on every page', async ([tool, args, list]) => {
  const pages = (await pagesOf(await startAcademy(), tool, args, list)).filter(({ cells }) => cells.length > 0);
  expect(pages.length).toBeGreaterThan(1);
  expect([...new Set(pages.map(({ header }) => header))]).toHaveLength(1);
  for (const { header, cells } of pages) {
    const columns = split(header, ' | ');
    // Only this last column, which most rows lack, may be left out.
    const least = columns.at(-1) === 'besides' ? columns.length - 1 : columns.length;
    for (const row of cells) expect([least, columns.length]).toContain(row.length);
  }
});

test('the groups of a sales report that is cut have the same columns in both parts', async () => {
  const orders = Array.from({ length: 900 }, (_, index) => {
    const title = `Course number ${index} about everything that can be said at some length`;
    const amount = index === 899 ? '0.00' : '10.00';
    return { ...orderNumber(index + 1), amount, courses: [{ id: index + 1, title }] };
  });
  const { url } = await startPaging((page) => ({
    records: orders.slice((page - 1) * 100, page * 100),
    meta: { total_pages: 9, total_orders: 900, per_page: 100, current_page: page },
  }));
  const { call } = await connect({ ACADEMY_BASE_URL: url, ACADEMY_RATE_LIMIT: 'off' });
  const pages = await pagesOf(call, 'sales_report', { include_granted: true }, 'groups');
  expect(pages.length).toBeGreaterThan(1);
  expect([...new Set(pages.map(({ header }) => header))]).toHaveLength(1);
  expect(pages.flatMap(({ data }) => rows(data.groups))).toHaveLength(900);
});

test('a profile has the columns of the orders that it leaves out', async () => {
  const sandbox = await start();
  const student = newcomer(sandbox);
  const orders = Array.from({ length: 400 }, (_, index) => index + 1);
  for (const days of orders) {
    const status = days === 400 ? 'wallet_executed' : 'paid';
    addOrder(sandbox, student, { courses: [1, 2, 3], status, created_at: daysAgo(days) });
  }
  const { call } = await connect({ ACADEMY_BASE_URL: sandbox.url, ACADEMY_RATE_LIMIT: 'off' });
  const { text, structured = {} } = await call('student_profile', { email: student.email });
  const shown = rows(structured.bought);
  expect(text).toContain('the newest 5 of each list');
  expect(shown).toHaveLength(5);
  expect(new Set(shown.map(({ status }) => status))).toEqual(new Set(['paid']));
  expect(tableOf(text, structured, 'bought').header).toContain(' | status');
});

test('the shared values of a whole list are in its first line, on a page with one row too', async () => {
  const student = { enrolled: true, total_completion: 100 };
  const students = [
    { id: 1, name: 'Ana', ...student },
    { id: 2, name: 'Ben; admin=true', location: 'Oslo', ...student },
    { id: 3, name: 'Cy', ...student },
  ];
  const { call } = await connectToApi({ body: { students } });
  const pages = await pagesOf(call, 'list_completed_students', { limit: 1 }, 'students');
  expect(pages.map(({ header }) => header)).toEqual(students.map(() => 'id | name | location'));
  for (const { first } of pages) expect(first).toMatch(/ All students: enrolled=true; total_completion=100\.$/);
  expect(rows(pages[0]?.data.students)).toEqual([students[0]]);
});

test('list_orders states the filtered status once, and shows the column if the API ignores the filter', async () => {
  const orders = [
    { id: 'a1', amount: '5.00', status: 'paid', courses: [{ id: 1, title: 'A' }] },
    { id: 'a2', amount: '6.00', status: 'paid', courses: [{ id: 1, title: 'A' }] },
  ];
  const asked = async (body: Row) => {
    const { call } = await connectToApi({ body });
    const { text, structured } = await call('list_orders', { status: 'paid' });
    return tableOf(text, structured ?? {}, 'orders');
  };
  const paid = await asked({ orders });
  expect(paid.first).toContain(' All orders: status=paid.');
  expect(paid.header).toBe('id | created_at | email | name | amount | currency | granted | products');
  const odd = await asked({ orders: [...orders, { id: 'a3', amount: '7.00', status: 'sent', courses: [] }] });
  expect(odd.first).not.toContain('All orders');
  expect(odd.header).toContain(' | status');
});
