import fc from 'fast-check';
import { expect, test } from 'vitest';
import { planEntries, type StudentEvidence } from '../../../src/insights/enrollment/plan.ts';
import { buyerKey } from '../../../src/insights/sales/sold-order.ts';
import { product } from '../../support/sold.ts';

const course = product('course', 1, 'Ink');
const student: StudentEvidence = { orders: [], recent: [], isStudent: true, name: undefined, unread: undefined };

const spelled = fc.constantFrom('a@x.y', 'A@x.y', 'a@X.Y', 'b@x.y', ' b@x.y', 'c@x.y');
const people = fc.array(fc.record({ email: spelled, name: fc.constantFrom('Name', 'Another', undefined) }), {
  maxLength: 8,
});

test('each entry of a list has its task, and nobody is enrolled twice, however they are written', () => {
  fc.assert(
    fc.property(people, fc.boolean(), (list, isStudent) => {
      const evidence = new Map(list.map((one) => [buyerKey(one.email), { ...student, isStudent }]));
      const entries = list.map((one, index) => ({ ...one, number: index + 1 }));
      const tasks = planEntries(entries, course, evidence, false);
      expect(tasks.map(({ person }) => person.email)).toEqual(list.map((person) => person.email));
      const keys = tasks.flatMap(({ state, person }) => (state === 'due' ? person.email.trim().toLowerCase() : []));
      expect(new Set(keys).size).toBe(keys.length);
      const all = new Set(list.map((person) => person.email.trim().toLowerCase()));
      if (isStudent) expect(new Set(keys)).toEqual(all);
    }),
  );
});
