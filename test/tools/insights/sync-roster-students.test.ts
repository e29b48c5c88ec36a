import { expect, test } from 'vitest';
import type { Sandbox } from '../../../src/sandbox/index.ts';
import { type Row, row } from '../../support/academy.ts';
import { addOrder, newcomer, refusing } from '../../support/arrange.ts';
import { startAcademy } from '../../support/connect.ts';
import { startGuarded } from '../../support/guarded.ts';
import { expectPlan, expectRefusal, requestsOf } from '../../support/refusal.ts';
import { rawOrders } from '../../support/sales.ts';

const tool = 'sync_roster';

/** "course 1" or "bundle 2", for each order of each of these students, oldest first. */
async function grantsTo(sandbox: Sandbox, ...emails: string[]): Promise<string[][]> {
  const orders = (await rawOrders(sandbox)).reverse();
  return emails.map((email) =>
    orders
      .filter(({ user_email }) => user_email.toLowerCase() === email.toLowerCase())
      .map(({ bundles: [bundle], courses: [course] }) => (bundle ? `bundle ${bundle.id}` : `course ${course?.id}`)),
  );
}

/** One of each kind: new, there already, holds it (a bare email), twice, and new without a name. */
function mixed(sandbox: Sandbox) {
  newcomer(sandbox, 'there@example.com');
  addOrder(sandbox, newcomer(sandbox, 'Holder@example.com'), { courses: [1] });
  return [
    { email: 'new@example.com', name: 'New One' },
    { email: 'there@example.com', name: 'Another Name' },
    'holder@Example.com',
    { email: 'NEW@example.com', name: 'New Two' },
    { email: 'nameless@example.com' },
  ];
}

const mixedEmails = ['new@example.com', 'there@example.com', 'holder@example.com', 'nameless@example.com'];

test('without confirm the plan lists new, existing, skipped and impossible students, and writes nothing', async () => {
  const { sandbox, call, writes, between } = await startGuarded();
  const answer = await call(tool, { students: mixed(sandbox), product: 'course 1' });
  const text = expectPlan(answer);
  for (const line of [
    /gives course 1 to those of 5 students who do not hold it/,
    /^Products: course 1 "Spreadsheets for Busy People"\.$/m,
    /^To enroll: 2 students, 1 of them new\. Skipped: 2\. Not possible: 1\.$/m,
    /^New: new@example\.com "New One"\.$/m,
    /^Existing students: there@example\.com\.$/m,
    /^Skipped: holder@Example\.com \(already holds it\), NEW@example\.com \(is in the list twice\)\.$/m,
    /^Not possible: nameless@example\.com \(a new student needs a name\)\.$/m,
    /^Cost: at most 12 requests, less than a minute; more after a wait for the rate limit, an unclear write or sales meanwhile\.$/m,
  ]) {
    expect(text).toMatch(line);
  }
  expect(text).toContain('Outcome: not_applied');
  // The course, four people, the orders of one who is there, and those of one of three spellings.
  // One more tells whether access of who holds the course has ended.
  expect(requestsOf(answer)).toBe(10);
  expect(between.log).toHaveLength(10);
  expect(writes()).toEqual([]);
  expect(await grantsTo(sandbox, ...mixedEmails)).toEqual([[], [], ['course 1'], []]);
});

test('a plan that enrolls nobody gives the reason for each student, and asks for no consent', async () => {
  const { sandbox, call, writes } = await startGuarded();
  addOrder(sandbox, newcomer(sandbox, 'holder@example.com'), { courses: [1] });
  const holder = { email: 'holder@example.com' };
  const done = expectPlan(await call(tool, { students: [holder], product: 'course 1' }));
  expect(done).toContain('Skipped: holder@example.com (already holds it).');
  expect(done).toContain('Nothing is left to do');
  const students = [holder, { email: 'nameless@example.com' }];
  const text = expectPlan(await call(tool, { students, product: 'course 1' }));
  expect(text).toContain('Not possible: nameless@example.com (a new student needs a name).');
  expect(text).toContain('Outcome: not_applied');
  for (const said of [done, text]) expect(said).not.toMatch(/confirm|agree, call|Cost:/);
  expect(writes()).toEqual([]);
});

test('wrong entries of a list are refused one by one, by their number, and the others are enrolled', async () => {
  const { sandbox, call, writes } = await startGuarded();
  const good = [
    { email: 'one@example.com', name: 'One' },
    { email: 'two@example.com', name: 'Two' },
  ];
  const students = [good[0], { email: 'x@' }, good[1], { email: '' }, { email: 'blank@example.com', name: ' ' }];
  const text = expectPlan(await call(tool, { students, product: 'course 1' }));
  expect(text).toMatch(/^To enroll: 2 students, 2 of them new\. Skipped: 0\. Not possible: 3\.$/m);
  expect(text).toMatch(
    /^Not possible: 2\. not an email: "x@", 4\. not an email: "", 5\. name must not be empty: "blank@example\.com"\.$/m,
  );
  expect(writes()).toEqual([]);
  const { structured = {} } = await call(tool, { students, product: 'course 1', confirm: true });
  expect(structured.totals).toEqual({ applied: 2, failed: 3 });
  expect(row(structured.students)).toMatchObject({ '2. x@': 'failed: not an email', '4. ': 'failed: not an email' });
  expect(await grantsTo(sandbox, 'one@example.com', 'two@example.com', 'blank@example.com')).toEqual([
    ['course 1'],
    ['course 1'],
    [],
  ]);
  const none = expectPlan(await call(tool, { students: [{ email: 'x@' }], product: 'course 1' }));
  expect(none).toContain('no student is left to enroll');
});

test('with confirm each student gets the missing products, and the same list again writes nothing', async () => {
  const { sandbox, call } = await startAcademy();
  const asked = { students: mixed(sandbox), products: ['course 1', 'bundle 2'], confirm: true };
  const { structured = {}, text } = await call(tool, asked);
  expect(structured.totals).toEqual({ applied: 3, skipped: 1, failed: 1 });
  expect(structured.students).toEqual({
    'new@example.com': 'applied',
    'there@example.com': 'applied',
    'holder@Example.com': 'applied',
    'NEW@example.com': 'skipped: is in the list twice',
    'nameless@example.com': 'failed: a new student needs a name',
  });
  expect(text).toMatch(
    /^Course 1 "Spreadsheets for Busy People" and bundle 2 "Freelancer Starter Pack" for 5 students: 3 applied, 1 skipped, 1 failed\.$/m,
  );
  const sorted = (await grantsTo(sandbox, ...mixedEmails)).map((grants) => grants.sort());
  const both = ['bundle 2', 'course 1'];
  expect(sorted).toEqual([both, both, both, []]);
  const { students } = sandbox.academy;
  const namesNow = mixedEmails.map((email) => students.withEmail(email)?.name);
  expect(namesNow).toEqual(['New One', 'Ina Newcomer', 'Ina Newcomer', undefined]);

  const again = await call(tool, asked);
  expect(again.structured?.totals).toEqual({ already_there: 3, skipped: 1, failed: 1 });
  expect(row(again.structured?.students)['there@example.com']).toBe('already_there: already holds it');
  expect((await grantsTo(sandbox, ...mixedEmails)).flat()).toHaveLength(6);
});

test('a student who is in the list twice is enrolled under the name from either line', async () => {
  const { sandbox, call } = await startGuarded();
  const students = [{ email: 'dd@example.com' }, { email: 'DD@example.com', name: 'Dora Double' }];
  const asked = { students, product: 'course 1' };
  expect(expectPlan(await call(tool, asked))).toMatch(/^New: dd@example\.com "Dora Double"\.$/m);
  const { structured = {} } = await call(tool, { ...asked, confirm: true });
  expect(structured.students).toEqual({
    'dd@example.com': 'applied',
    'DD@example.com': 'skipped: is in the list twice',
  });
  expect(sandbox.academy.students.withEmail('dd@example.com')?.name).toBe('Dora Double');
});

const people = Array.from({ length: 4 }, (_, index) => ({ email: `p${index}@example.com`, name: `P ${index}` }));
const isOf = (email: string) => (method: string, _path: string, body: string) =>
  method === 'POST' && body.includes(email);

test.for<[status: number, totals: Row]>([
  [422, { applied: 3, failed: 1 }],
  [403, { applied: 1, failed: 1, not_started: 2 }],
])(
  'a student whom the API refuses with %i has failed, and students who were not reached are listed',
  async ([status, totals]) => {
    const { call, between } = await startGuarded();
    between.arm({ name: 'refuse', fault: refusing(status), match: isOf('p1@') });
    const asked = { students: people, product: 'course 1', confirm: true };
    const { structured = {} } = await call(tool, asked);
    expect(structured.totals).toEqual(totals);
    expect(structured.next).toContain('send the list again');
    const again = await call(tool, asked);
    expect(again.structured?.totals).toEqual({ already_there: totals.applied, applied: 4 - Number(totals.applied) });
  },
);

test("failed and unknown students have a short reason with the API's words, and the next step is stated once", async () => {
  const { call, between } = await startGuarded({ ACADEMY_PREFLIGHT: 'true' });
  const locked = refusing(422, { errors: [{ code: 'locked', message: 'Enrollment is\nlocked' }] });
  between.arm({ name: 'refuse', fault: locked, match: isOf('p1@') });
  between.arm({ name: 'cut', fault: refusing(500, { error: 'Out of order' }), match: isOf('p2@') });
  const { structured = {} } = await call(tool, { students: people, product: 'course 1', confirm: true });
  expect(structured.students).toMatchObject({
    'p1@example.com': 'failed: unprocessable: the API answered 422 (locked: "Enrollment is locked")',
    'p2@example.com': 'unknown: the API answered 500 ("Out of order")',
  });
  expect(structured.next).toMatch(/unknown: the change was sent, .* student_profile before you repeat it/);
});

test('a missing course, or no product at all, is reported before anybody is looked up', async () => {
  const { call, between } = await startGuarded();
  const students = people;
  for (const confirm of [{}, { confirm: true }]) {
    expectRefusal(await call(tool, { students, product: 'course 9999', ...confirm }), 'not_found');
    expectRefusal(await call(tool, { students, product: 'bundle 9999', ...confirm }), 'not_found');
    expectRefusal(await call(tool, { students, ...confirm }), 'invalid_input');
  }
  expect(between.log.map(({ path }) => path).filter((path) => path.includes('students'))).toEqual([]);
});
