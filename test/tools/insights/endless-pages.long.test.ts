import { expect, test } from 'vitest';
import { at, type Row, row, words } from '../../support/academy.ts';
import { connect, startAcademy, type ToolAnswer } from '../../support/connect.ts';
import { isLong } from '../../support/long-form.ts';
import {
  hundred,
  orderNumber,
  type PageAnswer,
  postNumber,
  startPaging,
  student,
} from '../../support/paging-server.ts';
import { requestsOf } from '../../support/refusal.ts';
import { everyPart } from '../../support/truth.ts';

const maxPages = 2_000;
const billion = { total_pages: 1_000_000_000, total_orders: 100_000_000_000 };

const calls: Record<string, Row> = {
  find_buyers: { product: '7', product_type: 'course', max_requests: 500 },
  sales_report: { max_requests: 500 },
  course_progress: { course_id: 7, max_requests: 500 },
  student_profile: { email: student, max_requests: 500 },
  diagnose_access: { email: student, product: '7', product_type: 'digital_product' },
  community_digest: { max_requests: 500 },
};

const recordFor = (tool: string) => (tool === 'community_digest' ? postNumber : orderNumber);

async function ask(tool: string, answer: PageAnswer, more: Row = {}) {
  const { url, pages } = await startPaging(answer);
  const { call } = await connect({ ACADEMY_BASE_URL: url, ACADEMY_RATE_LIMIT: 'off' });
  return { ...(await call(tool, { ...calls[tool], ...more })), pages, call };
}

/** Both forms say that something is missing, and why. */
function expectIncomplete({ isError, text, structured }: ToolAnswer, why: RegExp): void {
  expect(isError, text).toBe(false);
  expect(row(structured?.coverage).complete, text).toBe(false);
  expect(row(structured?.coverage).stopped, text).toMatch(why);
  expect(text.split('\n', 1)[0]).toMatch(/^Incomplete/);
  expect(text.split('\n', 1)[0]).toMatch(why);
}

const tools = Object.keys(calls);

type Make = ReturnType<typeof recordFor>;

/** Lists without an end, and why reading them ends. */
const endless: [what: string, why: RegExp, answer: (make: Make) => PageAnswer][] = [
  [
    'repeats a page',
    /page 2 of the (orders|posts of general) only repeats/,
    (make) => () => ({ records: hundred(make) }),
  ],
  [
    'repeats one of a billion',
    /page 2 of the .* only repeats/,
    (make) => () => ({ records: hundred(make), meta: billion }),
  ],
  [
    'repeats records without an id',
    /page 2 of the .* only repeats/,
    (make) => () => ({
      records: hundred(make).map(({ id: _id, ...record }, note) => ({ ...record, note })),
      meta: billion,
    }),
  ],
  [
    'has an empty page that is not the last one claimed',
    /page 2 of the .* is empty, although the API says that there are 1000000000 pages/,
    (make) => (page) => ({ records: page === 1 ? hundred(make) : [], meta: billion }),
  ],
  [
    'repeats two pages in turn',
    /page 3 of the .* only repeats/,
    (make) => (page) => ({ records: hundred(make, (page % 2) * 100), meta: billion }),
  ],
  [
    'repeats three pages in turn and counts none',
    /page 4 of the .* only repeats/,
    (make) => (page) => ({ records: hundred(make, (page % 3) * 100) }),
  ],
  [
    'counts its pages in a text',
    /page 2 of the .* only repeats/,
    (make) => () => ({ records: hundred(make), meta: { total_pages: '999999999' } }),
  ],
  [
    'counts its pages below zero and repeats two in turn',
    /page 3 of the .* only repeats/,
    (make) => (page) => ({
      records: hundred(make, (page % 2) * 100),
      meta: { total_pages: -5, current_page: page },
    }),
  ],
  ['has an empty first page', /page 1 of the .* is empty/, () => () => ({ records: [], meta: billion })],
];

test.for(tools.flatMap((tool) => endless.map((list) => [tool, ...list] as const)))(
  '%s ends when the API %s',
  async ([tool, , why, answer]) => {
    const asked = await ask(tool, answer(recordFor(tool)));
    expectIncomplete(asked, why);
    expect(asked.pages.length).toBeLessThanOrEqual(10);
  },
);

test.each(tools)(
  '%s treats a list as complete that ends with its last page or, without a page count, with an empty one',
  async (tool) => {
    const records = hundred(recordFor(tool));
    const none = { records: [], meta: { total_pages: 0 } };
    for (const answer of [
      (page: number) => (page === 1 ? { records, meta: { total_pages: 1 } } : none),
      (page: number) => ({ records: page === 1 ? records : [] }),
      () => none,
    ]) {
      const { structured, text } = await ask(tool, answer);
      expect(text).not.toMatch(/^Incomplete/);
      expect(row(structured?.coverage ?? { complete: true }).complete, text).toBe(true);
    }
  },
);

test.each(['find_buyers', 'sales_report', 'student_profile', 'community_digest'])(
  '%s ends at its limit of requests when each page of the API has one new record without end',
  async (tool) => {
    const make = recordFor(tool);
    const { text, structured, pages } = await ask(tool, (page) => ({ records: [make(page)], meta: billion }));
    expect(row(structured?.coverage).complete, text).toBe(false);
    expect(text).toMatch(/^Incomplete/);
    expect(pages.length).toBeLessThanOrEqual(maxPages);
  },
);

test('a call without a request limit reads 2,000 pages at most', async () => {
  const answer: PageAnswer = (page) => ({ records: [orderNumber(page)], meta: billion });
  const asked = await ask('diagnose_access', answer);
  expectIncomplete(asked, /ended after 2000 pages/);
  expect(asked.structured).toMatchObject({ reason: 'unclear' });
  expect(asked.structured).not.toHaveProperty('holds');
  expect(asked.pages.length).toBe(maxPages);
});

test.runIf(isLong)(
  'the parts of an answer read 2,000 pages together, and the cursor still returns their rows',
  async () => {
    const answer: PageAnswer = (page) => ({
      records: [{ ...orderNumber(page), user_email: `b${page}@example.com` }],
      meta: billion,
    });
    const { pages, call, ...first } = await ask('find_buyers', answer, { limit: 2 });
    let last: ToolAnswer = first;
    const goOn = async () => {
      last = await call('find_buyers', { ...calls.find_buyers, limit: 2, cursor: words(last.structured?.next_cursor) });
    };
    for (let part = 0; part < 10 && row(last.structured?.coverage).pages_left !== undefined; part += 1) await goOn();
    expect(pages.length).toBe(maxPages);
    expectIncomplete(last, /ended after 2000 pages/);
    const shown = last.structured?.buyers;
    await goOn();
    expect(last.structured?.buyers, last.text).not.toEqual(shown);
    expect(pages.length).toBe(maxPages);
  },
  120_000,
);

test('course_progress continues with the buyers that it found if orders end early, and ends too', async () => {
  const records = hundred(orderNumber).map((order, index) => ({ ...order, user_email: `b${index}@example.com` }));
  const asked = { course_id: 7, max_requests: 40 };
  const { url } = await startPaging(() => ({ records, meta: billion }));
  const { call } = await connect({ ACADEMY_BASE_URL: url, ACADEMY_RATE_LIMIT: 'off' });
  const parts = await everyPart(call, 'course_progress', asked);
  expect(parts.length).toBeLessThanOrEqual(10);
  const last = at(parts, parts.length - 1);
  expectIncomplete(last, /page 2 of the orders only repeats/);
  expect(row(last.structured?.coverage).students_read).toBe(100);
});

test.each([
  ['enroll_student', { email: student, name: 'Ina', course_id: 8 }],
  ['revoke_course', { email: student, name: 'Ina', course_id: 8, confirm: true }],
])('%s is of unknown outcome where its effect is looked for in pages without end', async (tool, args) => {
  const { url, pages } = await startPaging(() => ({ records: hundred(orderNumber), meta: billion }));
  const { call } = await connect({ ACADEMY_BASE_URL: url, ACADEMY_RATE_LIMIT: 'off', ACADEMY_CONFIRM: 'argument' });
  const { text } = await call(tool, args);
  expect(text).toContain('Outcome: outcome_unknown');
  expect(pages.length).toBeLessThanOrEqual(30);
});

test('the next page is behind the requested one, whatever page number the API returns', async () => {
  const meta = { total_pages: 5, total_orders: 100, current_page: 1, per_page: 25 };
  const { url } = await startPaging(() => ({ records: [orderNumber(1)], meta }));
  const { call } = await connect({ ACADEMY_BASE_URL: url, ACADEMY_RATE_LIMIT: 'off' });
  expect((await call('list_orders', { page: 3 })).structured?.next_page).toBe(4);
  expect((await call('list_orders', { page: 5 })).structured?.next_page).toBeUndefined();
});

test.for(endless)('a preview of a revocation says that it may affect more when the API %s', async ([, why, answer]) => {
  const revocation = { email: student, name: 'Ana', course_id: 7 };
  const { text, pages } = await ask('revoke_course', answer(orderNumber), revocation);
  expect(text).toMatch(/^confirmation_required/);
  expect(text).toMatch(/^Not all orders could be read \(.*\): more may be affected than is shown\.$/m);
  expect(text).toMatch(why);
  expect(pages.length).toBeLessThanOrEqual(10);
});

test('a revocation from orders without end, each with one new record, is refused: no question can show them all', async () => {
  const revocation = { email: student, name: 'Ana', course_id: 7 };
  const newOnes: PageAnswer = (page) => ({ records: [orderNumber(page)], meta: billion });
  const { text, pages } = await ask('revoke_course', newOnes, revocation);
  expect(text).toMatch(/^invalid_input: .*\nHint: Split the call/);
  expect(pages.length).toBeLessThanOrEqual(maxPages);
});

test.for([-5, 0])('%s pages of a list with records are no number of pages: reading continues', async (total_pages) => {
  for (const size of [100, 25]) {
    const pages = [0, 1, 2].map((page) => hundred(orderNumber, page * size).slice(0, page === 2 ? 7 : size));
    const answer = await ask('sales_report', (page) => ({ records: pages[page - 1] ?? [], meta: { total_pages } }));
    expect(answer.structured).toMatchObject({
      totals: { orders: 2 * size + 7 },
      coverage: { complete: true, orders_scanned: 2 * size + 7 },
    });
  }
});

test('under auto the plan is read once, and a report then uses all that the academy plan allows', async () => {
  const { call, log } = await startAcademy(
    { orders: 7_000, plan: 'academy', rateLimit: 300 },
    { ACADEMY_RATE_LIMIT: 'auto' },
  );
  const report = await call('sales_report', { period: 'all_time' });
  expect(row(report.structured?.coverage).complete, report.text).toBe(true);
  expect(Number(requestsOf(report))).toBeGreaterThan(54);
  await call('find_buyers', { product: '7', product_type: 'course', period: 'today' });
  expect(log.filter((line) => line.includes('account.getAccount'))).toHaveLength(1);
});

test('a call without max_requests sends what the limit still allows, and no more', async () => {
  const { call } = await startAcademy({ orders: 7_000 }, { ACADEMY_RATE_LIMIT: '70' });
  for (let page = 1; page <= 20; page += 1) await call('list_orders', { page });
  const report = await call('sales_report', { period: 'all_time' });
  // 90% of 70 are 63.
  expect(requestsOf(report)).toBe(43);
  expect(row(report.structured?.coverage).complete).toBe(false);
});

test('without a limit a call without max_requests reads everything', async () => {
  const { call } = await startAcademy({ orders: 7_000 });
  const report = await call('sales_report', { period: 'all_time' });
  expect(row(report.structured?.coverage).complete, report.text).toBe(true);
});
