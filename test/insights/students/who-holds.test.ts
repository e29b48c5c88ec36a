import fc from 'fast-check';
import { expect, test } from 'vitest';
import { coursesInDetails } from '../../../src/insights/students/courses-in-details.ts';
import { diagnose } from '../../../src/insights/students/diagnosis.ts';
import { holdingsOf, whoHolds } from '../../../src/insights/students/holdings.ts';
import { now, product, sold } from '../../support/sold.ts';

// The profile, a diagnosis and an enrollment answer "who holds it" from the same orders and details.

const course = product('course', 7, 'Ink');
const other = product('course', 8, 'Clay');
const bundle = product('bundle', 2, 'Art Year');

const anyOrder = fc.record({
  age: fc.integer({ min: 1, max: 5 }),
  amount: fc.constantFrom('0', '5.00', '-5.00'),
  status: fc.constantFrom('paid', 'wallet_executed', 'pending', 'failed'),
  products: fc.subarray([course, other, bundle], { minLength: 1 }),
});

const anyDetails = fc.option(
  fc.subarray([
    { id: 7, title: 'Ink' },
    { id: 8, title: 'Clay' },
  ]),
  { nil: undefined },
);

test('profile, diagnosis and enrollment never contradict each other on who holds a course', () => {
  fc.assert(
    fc.property(fc.array(anyOrder, { maxLength: 6 }), anyDetails, (given, enrolled_courses) => {
      const orders = given.map(({ age, ...order }, index) => sold(`order ${index}`, age, order));
      const shown = coursesInDetails(enrolled_courses === undefined ? {} : { enrolled_courses });
      const { state, doubts, carriers } = whoHolds(course, { orders, shown, missing: undefined, recent: [] });
      const held = state === 'perhaps' ? undefined : state === 'holds';
      const holding = holdingsOf(orders, shown).find(({ ref }) => ref === course.ref);
      const isSure = holding !== undefined && holding.doubt === undefined;
      const diagnosis = diagnose({
        orders,
        product: course,
        student: { shown },
        others: [],
        descriptions: new Map(),
        completion: 0,
        isPublished: true,
        daysOfAccess: undefined,
        now,
        against: [],
        recent: [],
      });
      const text = JSON.stringify({ held, holding, diagnosis });
      // What the profile shows without a doubt, an enrollment sends nothing for, and a diagnosis finds it held.
      if (isSure) expect([held, diagnosis.holds], text).toEqual([true, true]);
      // What an enrollment is sent for, the profile does not show, and a diagnosis does not find held.
      if (held === false) expect([holding, diagnosis.holds], text).toEqual([undefined, false]);
      if (held === false) expect([doubts, shown === undefined ? carriers : []], text).toEqual([[], []]);
      // A diagnosis that finds it held contradicts neither.
      if (diagnosis.holds) expect(held, text).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});
