import { expect, onTestFinished, test } from 'vitest';
import type { OrderRow } from '../../../src/cli/demo/orders.ts';
import { checkAgainstRaw } from '../../../src/cli/demo/raw-orders.ts';
import { startSandbox } from '../../../src/sandbox/index.ts';

const courseId = 6;

/** An academy, and the purchases of one course in all its time, counted from its state. */
async function academy() {
  const sandbox = await startSandbox({ students: 40, orders: 300 });
  onTestFinished(() => sandbox.close());
  const period = { from: new Date(0), to: new Date(Date.now() + 60_000) };
  const { rows } = sandbox.academy.orders.find({ status: 'all' });
  const sold = rows.filter(
    ({ courses, status }) => courses.includes(courseId) && /^(paid|wallet_executed)$/.test(status),
  );
  const answer = sold.filter(({ amount }) => !/^0(\.00)?$/.test(amount)).map(rowOf);
  const check = (purchases: OrderRow[]) =>
    checkAgainstRaw({ sandbox, signal: AbortSignal.timeout(10_000) }, { period, courseId, answer: purchases });
  return { answer, granted: sold.filter(({ amount }) => /^0(\.00)?$/.test(amount)).map(rowOf), check };
}

function rowOf({ id, amount, currency }: { id: string; amount: string; currency: string }): OrderRow {
  return { id, amount, currency, created_at: '', email: '', name: '', granted: false, bought: {} };
}

test('a right answer agrees with the raw orders', async () => {
  const { answer, check } = await academy();
  expect(answer.length).toBeGreaterThan(5);
  expect(await check(answer)).toBe(300);
});

test('a missing, doubled, granted or changed order is noticed', async () => {
  const { answer, granted, check } = await academy();
  const [first, ...others] = answer;
  if (first === undefined) throw new Error('the seeded data hold no purchase');
  expect(granted.length).toBeGreaterThan(0);
  for (const wrong of [
    others,
    [...answer, first],
    [...answer, ...granted],
    [{ ...first, amount: '1.00' }, ...others],
  ]) {
    await expect(check(wrong)).rejects.toThrow('the raw orders hold');
  }
});
