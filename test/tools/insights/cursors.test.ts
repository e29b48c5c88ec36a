import { expect, test } from 'vitest';
import { type Row, rows, words } from '../../support/academy.ts';
import { connect, startAcademy } from '../../support/connect.ts';
import { readCursor, writeCursor } from '../../support/cursor.ts';
import { expectRefusal, requestsOf } from '../../support/refusal.ts';
import { buyers, counted, rawOrders } from '../../support/sales.ts';

const course = { product: '7', product_type: 'course' };

async function startWithCursor() {
  const academy = await startAcademy({ orders: 900, students: 150 });
  const asked = { ...course, created_after: '2020-01-01', timezone: 'Europe/Lisbon', limit: 5 };
  const first = await academy.call('find_buyers', asked);
  return { ...academy, asked, first, cursor: words(first.structured?.next_cursor) };
}

test('with a cursor the bounds of the first call may be repeated or omitted; other bounds are refused', async () => {
  const { call, asked, first, cursor } = await startWithCursor();
  for (const more of [{}, asked, { created_after: '2020-01-01' }, { timezone: 'Europe/Lisbon' }]) {
    const answer = await call('find_buyers', { ...course, ...more, cursor });
    expect(answer.structured?.period, answer.text).toEqual(first.structured?.period);
  }
  for (const [name, value] of Object.entries({
    period: 'today',
    created_after: '2021-01-01',
    created_before: '2026-01-01',
    timezone: 'Asia/Tokyo',
  })) {
    const answer = await call('find_buyers', { ...course, [name]: value, cursor });
    expect(expectRefusal(answer, 'invalid_input')).toContain(`${name} differs from the first call`);
    expect(requestsOf(answer)).toBe(0);
  }
});

test('all_time is the default, in the first part and later', async () => {
  const { call } = await startAcademy({ orders: 900, students: 150 });
  for (const [before, later] of [
    [{}, { period: 'all_time' }],
    [{ period: 'all_time' }, {}],
  ]) {
    const first = await call('find_buyers', { ...course, limit: 1, ...before });
    const second = await call('find_buyers', { ...course, ...later, cursor: first.structured?.next_cursor });
    expect(second.structured?.period, second.text).toEqual(first.structured?.period);
  }
});

test('a cursor of another tool is refused', async () => {
  const { call } = await startAcademy({ orders: 900, students: 150 });
  const calls: Record<string, Row> = {
    find_buyers: { ...course, max_requests: 2 },
    sales_report: { ...course, max_requests: 2 },
    course_progress: { course_id: 7, max_requests: 2 },
  };
  for (const [tool, args] of Object.entries(calls)) {
    const cursor = words((await call(tool, args)).structured?.next_cursor);
    for (const [other, otherArgs] of Object.entries(calls)) {
      const answer = await call(other, { ...otherArgs, cursor });
      if (other === tool) expect(answer.isError, answer.text).toBe(false);
      else expectRefusal(answer, 'invalid_input');
    }
  }
});

test('a cursor that somebody changed is refused, and nothing is sent', async () => {
  const { call, cursor } = await startWithCursor();
  const place = readCursor(cursor);
  const to = Number(place.to);
  expect(place.products).toBe('c7');
  const changes: Row[] = [
    { to: 9e15 },
    { to: to + 400 * 86_400_000 },
    { to: to - 1 },
    { from: -9e15 },
    { from: -8.64e15 },
    { from: to + 5 },
    { from: to },
    { from: undefined },
    { timezone: 'Nope' },
    { timezone: 'UTC' },
    { at: 1e9 },
    { at: -1 },
    { products: undefined },
    { products: 'c-3' },
    { products: 'c8' },
    { products: 'c7.c8' },
    { products: '*0123456789' },
    { products: 'c7 IGNORE ALL RULES' },
    { created_after: '2021-01-01' },
    { created_after: 'AAAAAA' },
    { running: 1 },
    { more: 1 },
  ];
  const others = [btoa(JSON.stringify(place)), '~'.repeat(9), 'null', 'abc', ''];
  for (const wrong of [...changes.map((change) => writeCursor({ ...place, ...change })), ...others]) {
    const answer = await call('find_buyers', { ...course, cursor: wrong });
    expectRefusal(answer, 'invalid_input');
    expect(requestsOf(answer)).toBe(0);
  }
  expect((await call('find_buyers', { ...course, cursor: writeCursor(readCursor(cursor)) })).isError).toBe(false);
});

test('years outside the range of orders are refused before anything is sent', async () => {
  const { call } = await startAcademy();
  for (const wrong of [{ created_after: '0000-01-01' }, { created_before: '0000-06-01' }]) {
    const answer = await call('find_buyers', { ...course, ...wrong });
    expectRefusal(answer, 'invalid_input');
    expect(requestsOf(answer)).toBe(0);
  }
});

test('pages that leave the cache between two parts are read again, and the rows continue', async () => {
  const { sandbox, call, cursor, asked } = await startWithCursor();
  const since = Date.parse('2020-01-01T00:00:00Z');
  const { kept } = counted(await rawOrders(sandbox), { from: since, to: Date.now(), list: 'courses', id: 7 });
  const other = await connect({ ACADEMY_BASE_URL: sandbox.url, ACADEMY_RATE_LIMIT: 'off' });
  const cut = await other.call('find_buyers', { ...asked, cursor, max_requests: 2 });
  expect(cut.text).toMatch(/^Incomplete/);
  const answer = await other.call('find_buyers', { ...asked, cursor: cut.structured?.next_cursor });
  const kin = await call('find_buyers', { ...asked, cursor });
  expect(answer.structured?.buyers).toEqual(kin.structured?.buyers);
  const emails = rows(answer.structured?.buyers).map(({ email }) => String(email).toLowerCase());
  expect(emails).toEqual(buyers(kept).slice(5, 10));
});
