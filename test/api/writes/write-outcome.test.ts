import { expect, test } from 'vitest';
import { linesOf } from '../../support/audit-lines.ts';
import { temporaryFile } from '../../support/sandbox.ts';
import { answering, expectOutcome, writes } from '../../support/writes.ts';

const words = 'Course is archived';

/** Bodies of a 200 that deny the write. */
const denials: readonly unknown[] = [
  { success: false, message: words },
  { success: 'false', message: words },
  { success: 0, message: words },
  { ok: false, message: words },
  { error: words },
  { error: true, message: words },
  { error: { message: words } },
  { error: { code: 'archived', detail: words } },
  { errors: [{ code: 'archived', message: words }] },
  { errors: [words] },
  { errors: words },
  { errors: { title: [words] } },
  { errors: { base: words } },
  { status: 'error', message: words },
  { email: 'ann@example.com', status: 'error', message: words },
  { id: 7, status: 'error', errors: [words] },
  { status: 'failed', message: words },
  { result: 'failure', message: words },
  { status: 'denied', message: words },
  { status: 422, message: words },
  { success: true, error: words },
  { data: { success: false, message: words } },
  { data: { errors: [{ message: words }] } },
  { status: 'fail', data: { message: words } },
  { type: 'about:blank', title: 'Unprocessable', status: 422, detail: words },
  [{ error: words }],
];

const grant = { tool: 'grant_role', args: { email: 'ann@example.com', role_id: 3 } };

test('no write is applied if a 200 denies it in any form, and the message of the API is shown', async () => {
  let body: unknown;
  const { call, writesSent } = await answering(() => ({ body }));
  const [usual] = denials;
  const calls = [...denials.map((denial) => ({ denial, ...grant })), ...writes.map((w) => ({ denial: usual, ...w }))];
  for (const { denial, tool, args } of calls) {
    body = denial;
    const before = writesSent();
    const answer = await call(tool, args);
    expectOutcome(answer, 'not_applied', `${tool} ${JSON.stringify(body)}`);
    expect(answer.isError).toBe(true);
    expect(answer.text, JSON.stringify(body)).toContain(words);
    expect(writesSent()).toBe(before + 1);
  }
  for (const whole of [false, 'failed', 'Error', { success: false }]) {
    body = JSON.stringify(whole);
    expectOutcome(await call(grant.tool, grant.args), 'not_applied', String(body));
  }
});

/** Bodies that do not contradict the write. */
const agreements: readonly unknown[] = [
  null,
  true,
  1,
  'ok',
  'Success',
  [],
  {},
  { success: true, errors: [] },
  { success: true, error: null },
  { ok: 1, error: '', errors: {} },
  { error: false },
  { errors: { title: [] } },
  { error: { code: null, message: null } },
  { status: 'ok', message: 'Done' },
  { status: 200, message: 'Done' },
  { code: 'success', message: 'Done' },
  { code: 0, message: 'Done' },
  { warnings: ['The course has no lessons'], success: true },
  { message: 'Done' },
  { success: true, message: 'The student did not need an invitation' },
  { order: { id: 'ord_1', status: 'failed' } },
  { id: 12, status: 'failed', state: 'denied' },
  { status: 'paid', id: 'ord_1' },
];

test('a write is applied if the answer does not contradict it', async () => {
  let body: unknown;
  const { call } = await answering(() => ({ body: JSON.stringify(body) }));
  for (body of agreements) {
    const answer = await call(grant.tool, grant.args);
    expectOutcome(answer, 'applied', JSON.stringify(body));
    expect(answer.isError).toBe(false);
  }
});

const page = { headers: { 'content-type': 'text/html' }, body: '<!doctype html><title>Sign in</title>' };

/** Answers that prove nothing. */
const strangers = [
  { what: 'a web page', reply: page },
  { what: 'a text', reply: { headers: { 'content-type': 'text/plain' }, body: 'Welcome back' } },
  { what: 'cut JSON', reply: { body: '{"lesson": {"id": 6' } },
  { what: 'a sentence that may deny the write', reply: { body: '"The course could not be found"' } },
  { what: 'a message that may deny the write', reply: { body: { message: 'Student not found' } } },
  { what: 'a code of its own', reply: { body: { code: 'archived', message: words } } },
  { what: 'a redirect', reply: { status: 302, headers: { location: '/login' } } },
];

test.each(strangers)('after $what the outcome of every write is unknown', async ({ reply }) => {
  const { call } = await answering(reply);
  for (const { tool, args } of writes) {
    const answer = await call(tool, args);
    expectOutcome(answer, 'outcome_unknown', tool);
    expect(answer.isError).toBe(true);
    if (reply === page) expect(answer.text).toContain('the answer was 200 with a web page');
  }
});

test('the audit log records the outcome of the body, not of the status', async () => {
  const file = await temporaryFile('audit.log');
  const { call } = await answering({ body: { success: false } }, undefined, { ACADEMY_AUDIT_LOG: file });
  await call('grant_role', { email: 'ann@example.com', role_id: 3 });
  expect((await linesOf(file)).map(({ outcome }) => outcome)).toEqual(['not_applied']);
});

test.each([
  { email: 'ann@example.com', status: 'error' },
  { id: 7, status: 'error', reason: 'archived' },
])('%j denies an enrollment beside what looks like a record', async (body) => {
  const { call } = await answering({ body });
  expectOutcome(await call('enroll_student', { email: 'ann@example.com', name: 'Ann', course_id: 7 }), 'not_applied');
});

/** Sentences that may deny a write. */
const doubtfulWords: readonly string[] = [
  'Student was not enrolled',
  'Student could not be enrolled',
  "The role wasn't changed",
  'You cannot do this',
  'Request failed',
  'Unable to change the student',
  'No changes were made',
  'Nothing changed',
  'The request was declined',
  'The request was ignored',
  'The student was skipped',
  'The change was rolled back',
  '0 students updated',
  'No student has this email',
];

test('a sentence that may deny a write leaves the outcome of an access write unknown, even beside a record', async () => {
  for (const message of doubtfulWords) {
    const { call } = await answering({ body: { id: 9, email: 'ann@example.com', name: 'Ann Lee', message } });
    const answer = await call(grant.tool, grant.args);
    expectOutcome(answer, 'outcome_unknown', message);
    expect(answer.isError).toBe(true);
  }
});

const denied = 'Student could not be enrolled';

/** Places of such a sentence in an answer. */
const doubtfulBodies: readonly unknown[] = [
  { email: 'ann@example.com', message: denied },
  { email: 'ann@example.com', notice: denied },
  { email: 'ann@example.com', detail: denied },
  { email: 'ann@example.com', status_text: denied },
  { email: 'ann@example.com', statusMessage: denied },
  { email: 'ann@example.com', messages: [denied] },
  { id: 9, warning: denied },
  { student: { id: 9, email: 'ann@example.com' }, message: denied },
  { data: { id: 9, message: denied } },
  { data: { student: { id: 9 }, notice: denied } },
  { result: denied },
  { status: denied },
  { data: denied },
  { status: 'ok', message: denied },
  [{ id: 9, message: denied }],
  { id: 9, updated: false },
  { updated: false },
];

test('no access write is applied if such a sentence is anywhere in the answer', async () => {
  const ofStudent = writes.filter(({ args }) => 'email' in args);
  for (const [index, body] of doubtfulBodies.entries()) {
    const { call } = await answering({ body: JSON.stringify(body) });
    for (const { tool, args } of index === 0 ? ofStudent : [grant]) {
      expectOutcome(await call(tool, args), 'outcome_unknown', `${tool} ${JSON.stringify(body)}`);
    }
  }
});

test('an access write that reading back confirms is applied, whatever the message says', async () => {
  const student = { email: 'ann@example.com', name: 'Ann Lee', paying_student: true };
  const reply = () => {
    student.paying_student = false;
    return { body: { email: 'ann@example.com', message: denied } };
  };
  const { call, writesSent } = await answering(reply, () => ({ body: student }));
  const answer = await call('unenroll_student', { email: 'ann@example.com', name: 'Ann Lee', confirm: true });
  expectOutcome(answer, 'applied');
  expect(answer.text).toContain('reading back (get_student_details) shows that it was done');
  expect(writesSent()).toBe(1);
});

/** The title in an answer with a doubtful message. */
const doubtfulRecords = [
  { shows: 'the title that was sent', lesson: { id: 60, title: 'Scales' }, outcome: 'applied' },
  { shows: 'another title', lesson: { id: 60, title: 'Chords' }, outcome: 'not_applied' },
  { shows: 'no title', lesson: { id: 60 }, outcome: 'outcome_unknown' },
  { shows: 'another lesson', lesson: { id: 61, title: 'Scales' }, outcome: 'outcome_unknown' },
];

test.each(doubtfulRecords)(
  'an update that "was not done" and shows $shows is $outcome',
  async ({ lesson, outcome }) => {
    const body = { lesson, message: 'Lesson was not updated' };
    const { call } = await answering({ body });
    expectOutcome(await call('update_lesson', { lesson_id: 60, title: 'Scales' }), outcome);
  },
);

test.each([
  { lesson: { id: 60, title: 'Scales' }, outcome: 'applied' },
  { lesson: { id: null, title: 'Scales' }, outcome: 'outcome_unknown' },
])('a create that "was not done" is $outcome if the record is $lesson', async ({ lesson, outcome }) => {
  const { call } = await answering({ body: { lesson, message: 'Lesson could not be created' } });
  expectOutcome(await call('create_lesson', { course_id: 7, title: 'Scales' }), outcome);
});
