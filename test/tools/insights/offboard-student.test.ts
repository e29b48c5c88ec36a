import { readFile } from 'node:fs/promises';
import type { ElicitResult } from '@modelcontextprotocol/sdk/types.js';
import { expect, test } from 'vitest';
import type { Sandbox } from '../../../src/sandbox/index.ts';
import { row, rows } from '../../support/academy.ts';
import { addOrder, daysAgo, newcomer, refusing } from '../../support/arrange.ts';
import { linesOf } from '../../support/audit-lines.ts';
import type { Human } from '../../support/connect.ts';
import { codeIn, startGuarded } from '../../support/guarded.ts';
import { expectPlan, expectRefusal } from '../../support/refusal.ts';
import { temporaryFile } from '../../support/sandbox.ts';

const refusal = refusing(422, { error: 'no', errors: [{ code: 'locked', message: 'Order is locked' }] });

/** A student with a bundle, a course bought alone, a download bought alone, a pending order and a role. */
function leaver(sandbox: Sandbox) {
  const student = newcomer(sandbox);
  student.role_ids = [1];
  student.paying_student = true;
  const bundle = addOrder(sandbox, student, { bundles: [3], courses: [5, 6, 8], created_at: daysAgo(9) });
  const course = addOrder(sandbox, student, { courses: [1], amount: '49.00', created_at: daysAgo(8) });
  const download = addOrder(sandbox, student, { digital_products: [2], created_at: daysAgo(7) });
  const pending = addOrder(sandbox, student, { courses: [2], status: 'pending', created_at: daysAgo(6) });
  return { student, email: student.email, bundle, course, download, pending };
}

function heldBy(sandbox: Sandbox, id: number) {
  const orders = sandbox.academy.orders.ofStudent(id).filter(({ status }) => status === 'paid');
  return orders.flatMap(({ courses, bundles, digital_products }) => [...courses, ...bundles, ...digital_products]);
}

test('without confirm the plan is an answer: every step, what each order loses, and what cannot be taken, in both forms', async () => {
  const { sandbox, call, writes } = await startGuarded();
  const { email, bundle, course, pending } = leaver(sandbox);
  const answer = await call('offboard_student', { email, role_ids: [1] });
  const text = expectPlan(answer);
  const { structured = {} } = answer;
  expect(writes()).toEqual([]);
  const plan = [structured.plan, structured.next].flat().join('\n');
  for (const form of [text, plan]) {
    expect(form).toMatch(
      /^7 steps, with confirm, reading included, about \d+ requests, .*: revoke_bundle 3 "[^"]+"; revoke_course 1 "[^"]+"; only if the bundles have not taken it: revoke_course 5 "[^"]+", 6 "[^"]+", 8 "[^"]+"; revoke_role 1 "[^"]+"; unenroll_student\.$/m,
    );
    expect(form).toMatch(
      /revoke_bundle takes its courses and downloads off every order too: .* no exception for those bought separately\.$/m,
    );
    expect(form).toMatch(/revoke_course takes the course off every order, bought or granted\./);
    expect(form).toMatch(/unenroll_student sets paying_student to false/);
    expect(form).toContain(
      'Takes 5 products off 2 orders: 1 bought with a bundle for 10.00 USD, 1 bought separately for 49.00 USD.',
    );
    expect(form).toContain(`  bundle 3 "Creative Year": bought ${bundle.id} (10.00 USD)`);
    expect(form).toMatch(new RegExp(`^  course 1 "[^"]+": separately ${course.id} \\(49\\.00 USD\\)$`, 'm'));
    for (const id of [5, 6, 8]) expect(form).toMatch(new RegExp(`^  course ${id} "[^"]+": with bundle 3$`, 'm'));
    expect(form).not.toContain('perhaps');
    expect(form).toContain('"with bundle N": on the orders of that bundle.');
    expect(form).toMatch(/Not taken: digital product 2 .*no call takes a download/);
    expect(form).toMatch(/Not taken: other roles than these: the API does not show/);
    expect(form).toContain(`Not taken: order ${pending.id} is pending`);
    expect(form).toContain('nothing is refunded');
    expect(form).toContain('Undo: by hand: enroll_student can grant it again');
    expect(form).toContain('confirm: true');
  }
});

test('the plan names each order once with each product, whatever its status, and a bundle order only with the bundle', async () => {
  const { sandbox, call } = await startGuarded();
  const student = newcomer(sandbox);
  const { email } = student;
  const add = (order: Parameters<typeof addOrder>[2]) => addOrder(sandbox, student, order).id;
  const shared = add({ courses: [1, 2], amount: '80.00', created_at: daysAgo(9) });
  const alone = add({ courses: [1], amount: '49.50', created_at: daysAgo(8) });
  const granted = add({ courses: [1], amount: '0.00', created_at: daysAgo(7) });
  const failed = add({ courses: [1], status: 'failed', amount: '49.50', created_at: daysAgo(6) });
  const bundle = add({ bundles: [3], courses: [5], amount: '20.00', created_at: daysAgo(5) });
  const other = add({ bundles: [3], courses: [5, 1], amount: '20.00', created_at: daysAgo(4) });
  const text = expectPlan(await call('offboard_student', { email }));
  expect(text).toContain(
    'Takes 4 products off 6 orders: 2 bought with a bundle for 40.00 USD, 2 bought separately for 129.50 USD, 1 granted, 1 not paid.',
  );
  const lineOf = (product: string) => text.split('\n').find((line) => line.startsWith(`  ${product} "`));
  expect(lineOf('bundle 3')).toContain(`: bought ${other} ${bundle} (40.00 USD)`);
  // One order of the bundle lists course 1, too: it is not among its contents on all of them.
  expect(lineOf('course 1')).toContain(
    `: with a bundle ${other} (20.00 USD); failed ${failed}; granted ${granted}; separately ${alone} ${shared} (129.50 USD)`,
  );
  expect(lineOf('course 2')).toContain(`: separately ${shared} (80.00 USD)`);
  expect(lineOf('course 5')).toMatch(/: with bundle 3$/);
});

test('a plan for 24 products on 70 orders has at most 5,000 characters', async () => {
  const { sandbox, call } = await startGuarded();
  const student = newcomer(sandbox);
  for (let index = 0; index < 70; index += 1) {
    const bundle = index % 10;
    const contents =
      bundle < 5 ? { bundles: [1 + bundle], courses: [1 + bundle, 6 + bundle], digital_products: [1 + bundle] } : {};
    addOrder(sandbox, student, {
      courses: [1 + (index % 14)],
      ...(index < 14 ? contents : {}),
      created_at: daysAgo(index),
    });
  }
  const answer = await call('offboard_student', { email: student.email });
  expect(expectPlan(answer)).toMatch(/^Takes 24 products off 70 orders: /m);
  expect(answer.text.length).toBeLessThanOrEqual(5_000);
  expect(JSON.stringify(answer.structured).length).toBeLessThanOrEqual(5_200);
});

test('with confirm it takes everything that can be taken, reads back, and says what stays', async () => {
  const { sandbox, call } = await startGuarded();
  const { student, email } = leaver(sandbox);
  const { isError, text, structured = {} } = await call('offboard_student', { email, role_ids: [1], confirm: true });
  expect(isError, text).toBe(false);
  expect(heldBy(sandbox, student.id)).toEqual([2]);
  expect([student.role_ids, student.paying_student]).toEqual([[], false]);
  expect(row(structured.steps)).toEqual({
    'revoke_bundle 3': 'applied',
    'revoke_course 5': 'already_gone',
    'revoke_course 6': 'already_gone',
    'revoke_course 8': 'already_gone',
    'revoke_course 1': 'applied',
    'revoke_role 1': 'applied: removed if it was held',
    unenroll_student: 'applied',
  });
  expect(structured).toMatchObject({ verified: true, totals: { applied: 4, already_gone: 3 } });
  const taken = rows(structured.taken)
    .map(({ products }) => String(products))
    .join();
  for (const product of ['bundle 3', 'course 1', 'course 5']) expect(taken).toContain(product);
  expect(structured.next).toBeUndefined();
  expect(JSON.stringify(structured.not_taken)).toContain('digital product 2');
  expect(text).toContain('digital product 2');
  expect(text).toContain('Read back: nothing that was taken is held.');
  expect(expectPlan(await call('offboard_student', { email }))).toContain('nothing is left to take');
  expect((await call('offboard_student', { email, confirm: true })).text).toContain(': 0 steps.');
});

test('a failed step stops no other, and a further call makes only what is left', async () => {
  const { sandbox, call, onPath, writes } = await startGuarded();
  const { student, email } = leaver(sandbox);
  const fault = onPath('/revoke-course', refusal);
  const part = await call('offboard_student', { email, confirm: true });
  expect(part.isError, part.text).toBe(false);
  expect(row(part.structured?.steps)['revoke_course 1']).toMatch(/^failed: .*Order is locked/);
  expect(row(part.structured?.steps).unenroll_student).toBe('applied');
  expect(part.structured?.still_holds).toEqual({ 'course 1': expect.any(String) });
  expect(part.structured?.verified).toBe(false);
  expect(part.structured?.next).toContain('call again with the same arguments');
  expect(part.text).toContain('still there: course 1');
  fault.disarm();
  const before = writes().length;
  const rest = await call('offboard_student', { email, confirm: true });
  expect(row(rest.structured?.steps)).toEqual({ 'revoke_course 1': 'applied' });
  expect(writes().slice(before)).toEqual(['POST /api/v1/student/revoke-course']);
  expect(heldBy(sandbox, student.id)).toEqual([2]);
});

test.for([
  ['argument', 'applied', 'applied'],
  ['auto', 'applied', 'asked'],
  ['human', 'declined', 'asked'],
  ['block', 'declined', 'declined'],
] as const)(
  'under %s a confirmed offboarding is %s if nobody can be asked, otherwise %s',
  async ([policy, alone, beside]) => {
    for (const [human, expected] of [
      [undefined, alone],
      [true, beside],
      [false, beside],
    ] as const) {
      const questions: string[] = [];
      const answers: Human = ({ message }): ElicitResult => {
        questions.push(message);
        return { action: 'accept', content: { agree: human === true } };
      };
      const { sandbox, call, writes } = await startGuarded(
        { ACADEMY_CONFIRM: policy },
        human === undefined ? {} : { human: answers },
      );
      const { email } = leaver(sandbox);
      if (policy === 'block') expectRefusal(await call('offboard_student', { email }), 'declined');
      else expect((await call('offboard_student', { email })).structured?.outcome).toBe('not_applied');
      expect([questions, writes()]).toEqual([[], []]);
      const answer = await call('offboard_student', { email, confirm: true });
      const isDone = expected === 'applied' || (expected === 'asked' && human === true);
      if (isDone) expect(answer.structured?.verified).toBe(true);
      else expectRefusal(answer, 'declined');
      expect(writes().length > 0).toBe(isDone);
      expect(questions).toHaveLength(expected === 'asked' ? 1 : 0);
      for (const question of questions) expect(question).toContain('bundle 3 "Creative Year"');
    }
  },
);

test('under preview only the code of the plan confirms, and only while the student holds the same', async () => {
  const { sandbox, call, writes } = await startGuarded({ ACADEMY_CONFIRM: 'preview' });
  const { student, email } = leaver(sandbox);
  const plan = await call('offboard_student', { email });
  expect(plan.isError, plan.text).toBe(false);
  const old = codeIn(plan.text);
  addOrder(sandbox, student, { courses: [7] });
  expectRefusal(await call('offboard_student', { email, confirm: old }), 'confirmation_required');
  expect(writes()).toEqual([]);
  const confirm = codeIn((await call('offboard_student', { email })).text);
  expect((await call('offboard_student', { email, confirm })).structured?.verified).toBe(true);
});

test('an unknown student or role is refused, and nothing is sent', async () => {
  const { sandbox, call, writes } = await startGuarded();
  const { email } = leaver(sandbox);
  for (const confirm of [undefined, true]) {
    expectRefusal(await call('offboard_student', { email: 'nobody@example.com', confirm }), 'not_found');
    expect(
      expectRefusal(await call('offboard_student', { email, role_ids: [99], confirm }), 'invalid_input'),
    ).toContain('99');
  }
  expect(writes()).toEqual([]);
});

const name = 'offboard_student';

function buyer(sandbox: Sandbox) {
  const student = newcomer(sandbox);
  student.paying_student = true;
  addOrder(sandbox, student, { courses: [1] });
  return student;
}

test('each step of an offboarding has one entry in the audit log, under the tool that was called, without email or name', async () => {
  const file = await temporaryFile('audit.jsonl');
  const { sandbox, call, writes } = await startGuarded({ ACADEMY_AUDIT_LOG: file });
  const { email, name: person } = buyer(sandbox);
  expectPlan(await call(name, { email }));
  expect(await readFile(file, 'utf8').catch(() => '')).toBe('');
  expect((await call(name, { email, confirm: true })).structured?.verified).toBe(true);
  const entries = await linesOf(file);
  expect(entries).toHaveLength(writes().length);
  expect(entries.map(({ tool, operation, outcome }) => [tool, operation, outcome])).toEqual([
    [name, 'access.revokeCourse', 'applied'],
    [name, 'access.unenrollStudent', 'applied'],
  ]);
  expect(entries[0]?.ids).toEqual({ course_id: 1 });
  expect(new Set(entries.map(({ student }) => student)).size).toBe(1);
  const written = await readFile(file, 'utf8');
  for (const secret of [email, person]) expect(written).not.toContain(secret);
});

test('the plan of an offboarding has words of a student, so that under lockdown the next write needs consent', async () => {
  const { sandbox, call, writes } = await startGuarded({ ACADEMY_LOCKDOWN: 'true' });
  const { email } = buyer(sandbox);
  const channel = { name: 'Night school' };
  expect((await call('create_channel', channel)).isError).toBe(false);
  const before = writes().length;
  const plan = await call(name, { email });
  expectPlan(plan);
  expect(plan.structured?.by_members).toEqual(['plan']);
  expectRefusal(await call('create_channel', { name: 'Evening school' }), 'confirmation_required');
  expectPlan(await call(name, { email }));
  expect(writes()).toHaveLength(before);
  expect((await call(name, { email, confirm: true })).structured?.verified).toBe(true);
});
