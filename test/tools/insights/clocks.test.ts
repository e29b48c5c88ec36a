import { expect, onTestFinished, test } from 'vitest';
import type { Rules } from '../../odd/academy/rules.ts';
import { startOddAcademy } from '../../odd/academy/server.ts';
import { connectInMemory } from '../../reliability/in-memory.ts';
import { row } from '../../support/academy.ts';

// Whose clock a period follows, and how far back a cache on the way moves the time of an answer.

const hour = 3_600_000;

async function start(...rules: Rules[]) {
  const academy = await startOddAcademy(rules);
  onTestFinished(academy.close);
  const settings = { ACADEMY_RATE_LIMIT: 'off', ACADEMY_BASE_URL: academy.url, ACADEMY_API_KEY: academy.key };
  const program = await connectInMemory({ settings, app: { pace: 0.01 } });
  onTestFinished(program.close);
  const call = async (tool: string, args: Record<string, unknown> = {}) => {
    const { text, data } = await program.call(tool, args);
    return { text, data: row(data ?? {}) };
  };
  return { academy, call };
}

const timeOf = (value: unknown) => Date.parse(String(value));
const midnight = (at: number) => Math.floor(at / (24 * hour)) * 24 * hour;

for (const hours of [26, -26, 7]) {
  test(`the first question of a machine ${hours} hours off is about the day of the server, and says so`, async () => {
    for (const tool of ['sales_report', 'find_buyers', 'unpaid_orders', 'community_digest']) {
      const { academy, call } = await start({ clockMs: hours * hour });
      const before = academy.now();
      const { data } = await call(tool, { period: 'today' });
      const { from, to } = row(data.period);
      expect([midnight(before), midnight(academy.now())], tool).toContain(timeOf(from));
      expect(timeOf(to), tool).toBeGreaterThan(before - 60_000);
      expect(timeOf(to), tool).toBeLessThan(academy.now() + 60_000);
      const way = hours > 0 ? 'behind' : 'ahead of';
      if (tool !== 'unpaid_orders') {
        expect(data.note, tool).toContain(`this machine is ${Math.abs(hours)} hours ${way} the clock of the API`);
      }
    }
  });
}

test('a closed day of the server is whole, even if it is not over on this machine', async () => {
  const { academy, call } = await start({ clockMs: 30 * hour });
  const today = midnight(academy.now());
  const date = (at: number) => new Date(at).toISOString().slice(0, 10);
  const { data } = await call('sales_report', {
    created_after: date(today - 7 * 24 * hour),
    created_before: date(today),
  });
  expect(timeOf(row(data.period).to)).toBe(today);
  const isCounted = ({ at, status, amount }: (typeof academy.state.orders)[number]) =>
    at >= today - 7 * 24 * hour && at < today && /^(paid|wallet_executed)$/.test(status) && Number(amount) > 0;
  expect(row(data.totals).orders).toBe(academy.state.orders.filter(isCounted).length);
});

test('orders dated after now count in a period that ends now, and are named', async () => {
  const { academy, call } = await start({
    seed: ({ orders }, now) => {
      for (const order of orders.slice(0, 3)) {
        Object.assign(order, { at: now + 50 * hour, status: 'paid', amount: '49.90', currency: 'USD', courses: [11] });
      }
    },
  });
  const isCounted = ({ status, amount, at }: (typeof academy.state.orders)[number]) =>
    at > academy.now() - 24 * hour && /^(paid|wallet_executed)$/.test(status) && Number(amount) > 0;
  const from = new Date(academy.now() - 24 * hour).toISOString();
  for (const group_by of ['country', 'day']) {
    const { data } = await call('sales_report', { group_by, created_after: from });
    expect(row(data.totals).orders).toBe(academy.state.orders.filter(isCounted).length);
    expect(data.note).toMatch(/3 orders dated after now \(up to .*\) counted/);
    if (group_by === 'day') expect(JSON.stringify(data.groups)).toContain('after_now');
  }
  const { data } = await call('find_buyers', { product: '11', product_type: 'course', created_after: from });
  expect(data.note).toMatch(/3 orders dated after now/);
});

test('the age of an answer moves its time back, and is no difference of clocks', async () => {
  const { academy, call } = await start({
    after: (reply) => ({
      ...reply,
      headers: { ...reply.headers, age: '5400', date: new Date(Date.now() - 5_400_000).toUTCString() },
    }),
  });
  const questions: [tool: string, args: Record<string, unknown>][] = [
    ['sales_report', { period: 'last_week' }],
    ['find_buyers', { product: '11', product_type: 'course' }],
    ['course_progress', { course_id: 11 }],
    ['unpaid_orders', { period: 'last_week' }],
    ['list_students', { sort: 'name' }],
    ['community_digest', {}],
    ['student_profile', { email: academy.state.students[0]?.email }],
    ['diagnose_access', { email: academy.state.students[0]?.email, product: '11', product_type: 'course' }],
  ];
  for (const [tool, args] of questions) {
    const { data } = await call(tool, args);
    const asOf = timeOf(row(data.coverage ?? data).as_of ?? data.as_of);
    expect(Math.abs(Date.now() - 5_400_000 - asOf), tool).toBeLessThan(600_000);
    expect(String(data.note ?? ''), tool).not.toContain('clock');
  }
});
