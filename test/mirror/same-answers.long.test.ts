import fc from 'fast-check';
import { test } from 'vitest';
import type { Row } from '../support/academy.ts';
import { inScope } from '../support/at-end.ts';
import { generatedOrder, place } from '../support/generated-orders.ts';
import { runsOf } from '../support/long-form.ts';
import { bothWays, expectSame, type Question } from './both-ways.ts';
import { questions } from './questions.ts';
import { startRewriting } from './rewriting.ts';

test('over generated orders, each answer of the mirror is that of the API', async () => {
  const cases = fc.tuple(fc.array(generatedOrder, { maxLength: 60 }), questions);
  const run = async ([orders, asked]: [Parameters<typeof place>[1], Question[]]) => {
    const both = await bothWays({ students: 8, orders: 0 }, { arrange: (sandbox) => place(sandbox, orders) });
    for (const question of asked) await expectSame(both, question);
  };
  const property = fc.asyncProperty(cases, (given) => inScope(() => run(given)));
  await fc.assert(property, { numRuns: runsOf(60), endOnFailure: true });
});

test('over seeded academies, each answer of the mirror is that of the API', async () => {
  const seeds = fc.integer({ min: 1, max: 1_000 });
  const run = async ([seed, asked]: [number, Question[]]) => {
    const both = await bothWays({ students: 60, orders: 250, seed });
    for (const question of asked) await expectSame(both, question);
  };
  const property = fc.asyncProperty(fc.tuple(seeds, questions), (given) => inScope(() => run(given)));
  await fc.assert(property, { numRuns: runsOf(30), endOnFailure: true });
});

/** A number that is always the same for a text. */
const numberOf = (text: unknown) => [...String(text)].reduce((sum, one) => (sum * 31 + one.charCodeAt(0)) % 997, 7);

/** The same order as another platform may write it. */
function oddOrder(order: Row): Row {
  const odd: ((one: Row) => Row)[] = [
    (one) => ({ ...one, courses: [...(one.courses as Row[])].reverse(), amount: ` ${one.amount} ` }),
    ({ digital_products: _digital, ...one }) => ({ ...one, currency: String(one.currency).toLowerCase() }),
    (one) => ({ ...one, status: String(one.status).toUpperCase(), user_name: `  ${'Very long '.repeat(40)}` }),
    (one) => ({ ...one, created_at: String(one.created_at).replace('Z', '+00:00'), billing_country: '' }),
    (one) => ({ ...one, courses: (one.courses as Row[]).map(({ id }) => ({ id, title: `\u200bA\n${id}` })) }),
    ({ courses, ...one }) => ({ ...one, items: [courses].flat().map((course) => ({ type: 'course', course })) }),
    (one) => ({ ...one, user_name: null, amount: '12.34567' }),
    (one) => ({ ...one, amount: 'twelve', currency: null }),
    (one) => one,
  ];
  return odd[numberOf(order.id) % odd.length]?.(order) ?? order;
}

test('values in odd forms are the same in both', async () => {
  const run = async (asked: Question[]) => {
    const both = await bothWays(
      { students: 40, orders: 150 },
      { through: (url) => startRewriting(url, { orders: oddOrder }) },
    );
    for (const question of asked) await expectSame(both, question);
  };
  const property = fc.asyncProperty(questions, (given) => inScope(() => run(given)));
  await fc.assert(property, { numRuns: runsOf(20), endOnFailure: true });
});
