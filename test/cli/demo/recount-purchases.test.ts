import { PassThrough } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { createDemoContext, createScreen } from '../../../src/cli/demo/connection.ts';
import { checkAgainstRaw, type FoundBuyers } from '../../../src/cli/demo/sales.ts';
import { startSandbox } from '../../../src/sandbox/index.ts';
import { buyers, counted, type RawOrder, rawOrders, sums } from '../../support/sales.ts';

const courseId = 6;

function answerOf(orders: readonly RawOrder[], granted: number, to: number): FoundBuyers {
  const rows = buyers(orders).map((email) => {
    const own = orders.filter(({ user_email }) => user_email.toLowerCase() === email);
    const date = (own[0]?.created_at ?? '').slice(0, 10);
    return { email: email.toUpperCase(), name: '', orders: own.length, amount: sums(own), date };
  });
  return {
    product: { id: courseId },
    period: { from: new Date(0).toISOString(), to: new Date(to).toISOString() },
    totals: { buyers: rows.length, orders: orders.length, granted_excluded: granted, order_total: sums(orders) },
    buyers: rows,
    coverage: { complete: true },
  };
}

/** An academy, and all buyers of one course, counted from its raw orders. */
async function academy() {
  const sandbox = await startSandbox({ students: 40, orders: 300 });
  onTestFinished(() => sandbox.close());
  const to = Date.now() + 60_000;
  const { kept, granted } = counted(await rawOrders(sandbox), { to, list: 'courses', id: courseId });
  const call = () => Promise.reject(new Error('the server is not asked'));
  const { signal } = new AbortController();
  const demo = createDemoContext({ call }, { screen: createScreen(new PassThrough(), false), sandbox, signal });
  const check = (answer: FoundBuyers) => checkAgainstRaw(demo, answer);
  return { answer: answerOf(kept, granted, to), check };
}

test('a correct answer agrees with the raw orders', async () => {
  const { answer, check } = await academy();
  expect(answer.totals.orders).toBeGreaterThan(5);
  expect(answer.totals.granted_excluded).toBeGreaterThan(0);
  expect(await check(answer)).toBe(300);
});

test('a missing, duplicate, changed or incomplete answer is detected', async () => {
  const { answer, check } = await academy();
  const { totals, buyers: rows } = answer;
  const [first, ...others] = rows;
  if (first === undefined) throw new Error('the seeded data hold no purchase');
  for (const wrong of [
    { ...answer, buyers: others },
    { ...answer, buyers: [...rows, first] },
    { ...answer, buyers: [{ ...first, orders: first.orders + 1 }, ...others] },
    { ...answer, buyers: [{ ...first, amount: { USD: '1.00' } }, ...others] },
    { ...answer, totals: { ...totals, granted_excluded: 0, orders: totals.orders + totals.granted_excluded } },
    { ...answer, totals: { ...totals, order_total: { USD: '1.00' } } },
    { ...answer, product: { id: courseId + 1 } },
    { ...answer, coverage: { complete: false } },
  ]) {
    await expect(check(wrong)).rejects.toThrow('the raw orders hold');
  }
});
