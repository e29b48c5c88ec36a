import fc from 'fast-check';
import { expect, test } from 'vitest';
import { planEntries, type StudentEvidence } from '../../../src/insights/enrollment/plan.ts';
import { buyerKey } from '../../../src/insights/sales/sold-order.ts';
import { product, sold } from '../../support/sold.ts';

const email = 'ana@example.com';
const course = product('course', 1, 'Ink');
const nothing = { orders: [], recent: [], missing: undefined, shown: undefined, unread: undefined };
const newcomer: StudentEvidence = { ...nothing, isStudent: false, name: undefined };
const student: StudentEvidence = { ...newcomer, isStudent: true };
const holder = { ...student, orders: [sold('a', 1, { products: [course] })] };
const unread = { ...student, isStudent: undefined, unread: 'the API answered 403' };
const why = 'whether they are a student could not be read (the API answered 403)';

test.for<[what: string, name: string | undefined, evidence: StudentEvidence | undefined, task: object]>([
  ['new', 'Ana', newcomer, { state: 'due', isNew: true, person: { email, name: 'Ana' } }],
  ['new and has no name', undefined, newcomer, { state: 'failed', why: 'a new student needs a name' }],
  ['there', 'Else', student, { state: 'due', isNew: false, person: { email } }],
  ['there with the same name', 'Ana', { ...student, name: 'Ana' }, { state: 'due', person: { email, name: 'Ana' } }],
  ['there with the course', 'Ana', holder, { state: 'already_there', why: 'already holds it' }],
  ['not readable', 'Ana', unread, { state: 'doubtful', why }],
  ['not looked at', 'Ana', undefined, { state: 'due' }],
])('the plan for a student who is %s is right', ([, name, evidence, task]) => {
  const known = new Map(evidence && [[email, evidence]]);
  const tasks = planEntries([{ email, name, number: 1 }], course, known, false);
  expect(tasks).toEqual([expect.objectContaining(task)]);
});

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
