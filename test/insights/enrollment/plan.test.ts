import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Grant, type Holdings, planEnrollment } from '../../../src/insights/enrollment/plan.ts';

const email = 'ana@example.com';
const newcomer: Holdings = { isStudent: false, holdsCourse: false, holdsBundle: false };
const student: Holdings = { ...newcomer, isStudent: true };
const both = { course_id: 1, bundle_id: 2 };

const cases: [what: string, name: string | undefined, grant: Grant, holdings: Holdings, step: object][] = [
  ['new', 'Ana', both, newcomer, { do: 'enroll', isNew: true, person: { email, name: 'Ana' }, grant: both }],
  ['new and has no name', undefined, both, newcomer, { do: 'refuse', why: 'a new student needs a name' }],
  ['there', 'Else', both, student, { do: 'enroll', isNew: false, person: { email }, grant: both }],
  [
    'there with the course',
    undefined,
    both,
    { ...student, holdsCourse: true },
    { do: 'enroll', grant: { bundle_id: 2 } },
  ],
  [
    'there with the bundle',
    undefined,
    both,
    { ...student, holdsBundle: true },
    { do: 'enroll', grant: { course_id: 1 } },
  ],
  ['there with both', 'Ana', both, { isStudent: true, holdsCourse: true, holdsBundle: true }, { do: 'skip' }],
  [
    'there with the course alone asked for',
    undefined,
    { course_id: 1 },
    { ...student, holdsCourse: true },
    { do: 'skip' },
  ],
  [
    'there with what is not asked for',
    undefined,
    { course_id: 1 },
    { ...student, holdsBundle: true },
    { do: 'enroll' },
  ],
];

test.for(cases)('the step for a student who is %s is right', ([, name, grant, holdings, step]) => {
  const steps = planEnrollment([{ email, name }], grant, () => holdings);
  expect(steps).toEqual([expect.objectContaining(step)]);
});

const spelled = fc.constantFrom('a@x.y', 'A@x.y', 'a@X.Y', 'b@x.y', ' b@x.y', 'c@x.y');
const people = fc.array(fc.record({ email: spelled, name: fc.constantFrom('Name', 'Another', undefined) }), {
  maxLength: 8,
});

test('each line of a list has its step, and nobody is enrolled twice, however they are written', () => {
  fc.assert(
    fc.property(people, fc.boolean(), (list, isStudent) => {
      const steps = planEnrollment(list, both, () => ({ ...newcomer, isStudent }));
      expect(steps.map(({ person }) => person.email)).toEqual(list.map((person) => person.email));
      const keys = steps.flatMap((step) => (step.do === 'enroll' ? step.person.email.trim().toLowerCase() : []));
      expect(new Set(keys).size).toBe(keys.length);
      const all = new Set(list.map((person) => person.email.trim().toLowerCase()));
      if (isStudent) expect(new Set(keys)).toEqual(all);
    }),
  );
});
