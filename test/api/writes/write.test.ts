import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import type { Act, Exchange } from '../../reliability/fault-server.ts';
import { the } from '../../support/academy.ts';
import { cut as doesNothing } from '../../support/arrange.ts';
import { startBetween } from '../../support/guarded.ts';
import { unwritableFile } from '../../support/sandbox.ts';
import { isWrite } from '../../support/writes.ts';

/** Does the work after a delay and loses the answer. */
function losesAnswerAfter(milliseconds: number): Act {
  const act = async ({ socket, work }: Exchange) => {
    await sleep(milliseconds);
    await work();
    socket.destroy();
  };
  return { at: 'body', act };
}

const losesAnswer = losesAnswerAfter(0);

async function academy(settings: Record<string, string> = {}) {
  const { between: faults, ...started } = await startBetween({ students: 60, orders: 300 }, settings);
  const sent = (method: string, part: string) =>
    faults.log.filter((entry) => entry.method === method && entry.path.includes(part)).length;
  const armWrites = (fault: Act, times = 1) =>
    faults.arm({ name: 'fault', fault, times, match: (method) => method !== 'GET' });
  return { ...started, sent, armWrites, faults };
}

const newcomer = { email: 'new.person@example.com', name: 'New Person', course_id: 1 };

type Academy = Awaited<ReturnType<typeof academy>>;

async function grantsOf({ call }: Academy): Promise<number> {
  const { structured } = await call('list_orders', { user_email: newcomer.email, status: 'all' });
  return Number(structured?.total);
}

test('a create with a lost answer is found, reported as applied, and not sent again', async () => {
  const it = await academy();
  it.armWrites(losesAnswer);
  const { structured, text } = await it.call('enroll_student', newcomer);
  expect(structured?.outcome).toBe('applied');
  expect(text).toContain('reading back (list_orders) shows that it was done');
  expect(it.sent('POST', '/enroll')).toBe(1);
  expect(await grantsOf(it)).toBe(1);
});

test('a create without a visible effect is unknown, and an identical call only verifies', async () => {
  const it = await academy();
  it.armWrites(doesNothing);
  const first = await it.call('enroll_student', newcomer);
  expect(first.text).toMatch(/^outcome_unknown: .*Do not repeat it/s);
  expect(first.text).toContain('Outcome: outcome_unknown');
  // The same call in another form.
  const second = await it.call('enroll_student', { ...newcomer, email: 'NEW.person@example.com' });
  expect(second.text).toMatch(/^outcome_unknown: an identical earlier call/);
  expect(it.sent('POST', '/enroll')).toBe(1);
  const other = await it.call('enroll_student', { ...newcomer, course_id: 2 });
  expect(other.structured?.outcome).toBe('applied');
});

test('an identical call after the quarantine is sent', async () => {
  const it = await academy({ ACADEMY_QUARANTINE_MS: '1' });
  it.armWrites(doesNothing);
  expect((await it.call('enroll_student', newcomer)).text).toMatch(/^outcome_unknown/);
  await sleep(20);
  expect((await it.call('enroll_student', newcomer)).structured?.outcome).toBe('applied');
  expect(await grantsOf(it)).toBe(1);
});

test('a write that was applied late is found by an identical call', async () => {
  const it = await academy();
  let work = async () => {};
  it.armWrites({
    at: 'body',
    act: (exchange) => {
      work = async () => void (await exchange.work());
      exchange.socket.destroy();
    },
  });
  expect((await it.call('enroll_student', newcomer)).text).toMatch(/^outcome_unknown/);
  await work();
  const second = await it.call('enroll_student', newcomer);
  expect(second.structured).toMatchObject({ outcome: 'applied' });
  expect(second.text).toContain('nothing was sent now');
  expect(await grantsOf(it)).toBe(1);
});

test('a repeated create finds the existing grant, lesson or channel, and its answer claims no change', async () => {
  const it = await academy();
  const creates: [string, Record<string, unknown>, string][] = [
    ['enroll_student', newcomer, '/enroll'],
    ['create_lesson', { course_id: 1, title: 'A new lesson' }, '/lessons'],
    ['create_channel', { name: 'A new channel' }, '/channels'],
  ];
  for (const [tool, args, path] of creates) {
    expect((await it.call(tool, args)).structured?.outcome, tool).toBe('applied');
    const again = await it.call(tool, args);
    expect(again.text, tool).toMatch(/^Nothing was sent[.:]/);
    expect(again.text, tool).not.toMatch(/Gave|given as new/);
    expect(again.text, tool).toContain(tool === 'enroll_student' ? 'the student already held' : 'already existed');
    expect(again.structured?.outcome, tool).toBe('already_there');
    expect(it.sent('POST', path), tool).toBe(1);
  }
});

test('an update whose old value is still visible is resent once, and is unknown if that fails too', async () => {
  const it = await academy();
  const price = (amount: string) => ({ product_type: 'course', id_or_slug: '1', price: amount });
  it.armWrites(doesNothing);
  expect((await it.call('update_product', price('12.00'))).structured?.outcome).toBe('applied');
  expect(it.sent('PATCH', '/products/course/1')).toBe(2);
  it.armWrites(doesNothing, 5);
  expect((await it.call('update_product', price('13.00'))).text).toMatch(/^outcome_unknown/);
  expect(it.sent('PATCH', '/products/course/1')).toBe(4);
});

test('an update with a lost answer is found, and sent once', async () => {
  const it = await academy();
  it.armWrites(losesAnswer);
  const { structured } = await it.call('update_channel', { id_or_slug: '1', name: 'Another name' });
  expect(structured?.outcome).toBe('applied');
  expect(it.sent('PATCH', '/channels/1')).toBe(1);
  // The API shows 49.50.
  it.armWrites(losesAnswer);
  const price = { product_type: 'course', id_or_slug: '1', price: '49.5' };
  expect((await it.call('update_product', price)).structured?.outcome).toBe('applied');
  expect(it.sent('PATCH', '/products/course/1')).toBe(1);
});

test('a moved lesson is verified in the course structure that was read before', async () => {
  const it = await academy();
  const { structured } = await it.call('get_course_structure', { course_id: 1 });
  const [module] = (structured?.modules ?? []) as { lessons: { id: number }[] }[];
  const lesson_id = module?.lessons[0]?.id;
  it.armWrites(losesAnswer);
  const moved = await it.call('update_lesson', { lesson_id, sequence: 777 });
  expect(moved.structured?.outcome).toBe('applied');
  expect(it.sent('PATCH', `/lessons/${lesson_id}`)).toBe(1);
});

test('a reset is never sent twice', async () => {
  const it = await academy();
  await it.call('enroll_student', newcomer);
  it.armWrites(doesNothing, 5);
  await it.call('reset_course_progress', { email: newcomer.email, course_id: 1, confirm: true });
  expect(it.sent('POST', '/reset-course-progress')).toBe(1);
});

test('a role grant, which the API does not show, is not resent', async () => {
  const it = await academy();
  await it.call('enroll_student', newcomer);
  it.armWrites(losesAnswer);
  const { text } = await it.call('grant_role', { email: newcomer.email, role_id: 1 });
  expect(text).toMatch(/^outcome_unknown/);
  expect(it.sent('POST', '/grant-role')).toBe(1);
});

test('concurrent identical writes share one request', async () => {
  const it = await academy({ ACADEMY_PREFLIGHT: 'false' });
  const answers = await Promise.all(Array.from({ length: 5 }, () => it.call('enroll_student', newcomer)));
  expect(answers.map(({ structured }) => structured?.outcome)).toEqual(Array.from({ length: 5 }, () => 'applied'));
  expect(it.sent('POST', '/enroll')).toBe(1);
});

test('concurrent identical reads share one request, and cancelling one does not end the others', async () => {
  const it = await academy();
  const abort = new AbortController();
  const args = { name: 'get_course', arguments: { course_id: 1 } };
  it.faults.arm({ name: 'slow', fault: losesAnswerAfter(200) });
  const cancelled = it.client.callTool(args, undefined, { signal: abort.signal }).catch(() => 'cancelled');
  const others = Array.from({ length: 3 }, () => it.call('get_course', { course_id: 1 }));
  await sleep(50);
  abort.abort();
  expect(await cancelled).toBe('cancelled');
  for (const { isError } of await Promise.all(others)) expect(isError).toBe(false);
  // The cut request, and the retry that was answered.
  expect(it.sent('GET', '/courses/1')).toBe(2);
});

test('a write that was sent finishes after its call is cancelled', async () => {
  const it = await academy({ ACADEMY_PREFLIGHT: 'false' });
  const abort = new AbortController();
  it.armWrites(losesAnswerAfter(150));
  const cancelled = it.client
    .callTool({ name: 'enroll_student', arguments: newcomer }, undefined, { signal: abort.signal })
    .catch(() => 'cancelled');
  await expect.poll(() => it.sent('POST', '/enroll')).toBe(1);
  abort.abort();
  expect(await cancelled).toBe('cancelled');
  await expect.poll(() => grantsOf(it)).toBe(1);
  expect(it.sent('POST', '/enroll')).toBe(1);
});

test('if the academy cannot be reached before a create, nothing is sent, and the error says so', async () => {
  const it = await academy();
  const listenAgain = await it.faults.refuse();
  onTestFinished(listenAgain);
  const { text } = await it.call('enroll_student', newcomer);
  expect(text).toMatch(/^api_unavailable/);
  expect(text).toContain('Outcome: not_applied');
});

test('a refused key is not used again at once', async () => {
  const it = await academy({ ACADEMY_API_KEY: 'wrong-key' });
  for (let count = 0; count < 3; count += 1) expect((await it.call('list_courses')).text).toMatch(/^unauthorized/);
  expect((await it.call('enroll_student', newcomer)).text).toContain('Outcome: not_applied');
  expect(it.faults.log).toHaveLength(1);
});

test('an outage uses up the retries', async () => {
  const it = await academy();
  it.faults.arm({ name: 'down', fault: doesNothing, times: 1_000 });
  for (let id = 1; id <= 20; id += 1) await it.call('get_course', { course_id: id });
  // Twenty calls and ten retries: without a retry budget there would be forty.
  expect(it.faults.log).toHaveLength(30);
});

test('a call that waits for the rate limit reports progress', async () => {
  const it = await academy({ ACADEMY_RATE_LIMIT: '1', ACADEMY_RATE_SHARE: '1', ACADEMY_MAX_WAIT_MS: '120000' });
  await it.call('list_roles');
  const told: string[] = [];
  const abort = new AbortController();
  const waiting = it.client
    .callTool({ name: 'list_courses', arguments: {} }, undefined, {
      signal: abort.signal,
      onprogress: ({ message }) => told.push(message ?? ''),
    })
    .catch(() => 'cancelled');
  await expect.poll(() => told.length, { timeout: 10_000 }).toBeGreaterThan(0);
  abort.abort();
  expect(await waiting).toBe('cancelled');
  expect(told[0]).toMatch(/^waiting for the request limit, about \d+ s more$/);
});

test('a create that may differ in fields that are not visible is not reported as applied', async () => {
  const it = await academy();
  expect((await it.call('create_lesson', { course_id: 1, title: 'Quiz', content: 'first' })).structured?.outcome).toBe(
    'applied',
  );
  const { text } = await it.call('create_lesson', { course_id: 1, title: 'Quiz', content: 'second', points: 50 });
  expect(text).toMatch(/^not_applied: lesson \d+ of that name already exists, and may differ/);
  expect(text).toContain('Outcome: not_applied');
  const channel = await it.call('create_channel', { name: 'Quiz talk', locked: true });
  expect(channel.structured?.outcome).toBe('applied');
  for (const other of [{ name: 'Quiz talk', locked: false }, { name: 'quiz Talk' }])
    expect((await it.call('create_channel', other)).text).toMatch(/^not_applied: channel \d+ of that name/);
  expect(it.sent('POST', '/channels')).toBe(1);
});

test('a grant with another name is neither reported as applied nor duplicated', async () => {
  const it = await academy();
  await it.call('enroll_student', newcomer);
  const { structured } = await it.call('enroll_student', { ...newcomer, name: 'Another Name' });
  expect(structured).toMatchObject({
    outcome: 'already_there',
    note: expect.stringContaining('the name was not written'),
  });
  expect(await grantsOf(it)).toBe(1);
});

test('without a check before a create, an existing record does not prove the create', async () => {
  const it = await academy({ ACADEMY_PREFLIGHT: 'false' });
  expect((await it.call('create_channel', { name: 'Small hours' })).structured?.outcome).toBe('applied');
  it.armWrites(doesNothing);
  const { text } = await it.call('create_channel', { name: 'Small hours' });
  expect(text).toMatch(/^outcome_unknown/);
});

test('a course in the order of a bundle is not a grant of the course', async () => {
  const it = await academy();
  const bundled = { email: newcomer.email, name: newcomer.name, bundle_id: 1 };
  await it.call('enroll_student', bundled);
  const { structured } = await it.call('list_orders', { user_email: newcomer.email });
  const [order] = (structured?.orders ?? []) as { products: Record<string, string> }[];
  const course_id = Number(
    Object.keys(order?.products ?? {})
      .find((key) => key.startsWith('course '))
      ?.slice(7),
  );
  await it.call('enroll_student', { ...newcomer, course_id, even_if_held: true });
  expect(it.sent('POST', '/enroll')).toBe(2);
  expect(await grantsOf(it)).toBe(2);
});

/** A student whose orders have another spelling of the email than the student record. */
function inOtherCapitals({ sandbox }: Academy) {
  const { orders, students } = sandbox.academy;
  for (const student of students.all()) {
    const order = orders
      .ofStudent(student.id)
      .find(
        ({ user_email, courses, status }) => user_email !== student.email && courses.length > 0 && status === 'paid',
      );
    if (order !== undefined) return { email: student.email, name: student.name, course_id: order.courses[0] ?? 0 };
  }
  throw new Error('the seeded data hold no such student');
}

test('a failed revocation is not reported as applied if the order has other capitals in the email', async () => {
  const it = await academy();
  const student = inOtherCapitals(it);
  it.armWrites(doesNothing, 2);
  const { text } = await it.call('revoke_course', { ...student, confirm: true });
  expect(text).toMatch(/^outcome_unknown/);
  const preview = await it.call('revoke_course', student);
  expect(preview.text).toMatch(/^Taken off \d+ orders?: /m);
});

test('a repeated grant with other capitals in the email finds the first one', async () => {
  const it = await academy();
  const { email, name } = inOtherCapitals(it);
  const course_id = 15;
  expect((await it.call('enroll_student', { email, course_id })).structured?.outcome).toBe('applied');
  const again = await it.call('enroll_student', { email: email.toUpperCase(), name, course_id });
  expect(again.text).toContain('the student already held');
  expect(it.sent('POST', '/enroll')).toBe(1);
});

test('a write that the audit log cannot record is not sent, and costs no token', async () => {
  const it = await academy({ ACADEMY_AUDIT_LOG: unwritableFile, ACADEMY_PREFLIGHT: 'false', ACADEMY_RATE_LIMIT: '60' });
  const { text, meta } = await it.call('enroll_student', { ...newcomer, rename: true });
  expect(text).toMatch(/^internal: the audit log cannot be written, so nothing was sent/);
  expect(text).toContain('Outcome: not_applied');
  expect(it.sent('POST', '/enroll')).toBe(0);
  expect(meta['academy/budget']).toMatchObject({ limit: 54, remaining: 54 });
});

/** The id of a lesson in course 1, after the program has read the structure of that course. */
async function lessonIn({ sandbox, call }: Academy): Promise<number> {
  await call('get_course_structure', { course_id: 1 });
  return the(sandbox.academy.lessons.ofCourse(1), 'lesson of course 1', () => true).id;
}

test.each([
  ['update_lesson', 'content', {}],
  ['update_lesson', 'title', {}],
  ['update_lesson', 'learning_objective', {}],
  ['update_product', 'description', { product_type: 'course', id_or_slug: '1' }],
  ['update_product', 'join_button_text', { product_type: 'course', id_or_slug: '1' }],
  ['update_channel', 'description', { id_or_slug: '1' }],
  ['create_channel', 'name', {}],
])(
  'two calls of %s whose %s differs in capitals around an @ are two writes, and both are sent',
  async (tool, field, ids) => {
    const it = await academy({ ACADEMY_PREFLIGHT: 'false' });
    const given = tool === 'update_lesson' ? { lesson_id: await lessonIn(it) } : ids;
    const texts = ['Write to Ana@Example.com today', 'Write to ana@example.com today'];
    const answers = await Promise.all(texts.map((text) => it.call(tool, { ...given, [field]: text })));
    expect(answers.map(({ structured }) => structured?.outcome)).toEqual(['applied', 'applied']);
    expect(it.faults.log.filter(isWrite)).toHaveLength(2);
  },
);

test.each([
  ['update_lesson', { content: 'FROM: A@B.COM' }, { content: 'from: a@b.com' }],
  ['update_lesson', { title: 'Mail A@b' }, { title: 'mail a@b' }],
  ['update_channel', { id_or_slug: '1', description: 'Ask @ANA' }, { description: 'Ask @ana' }],
  ['update_product', { product_type: 'course', id_or_slug: '1', title: 'Q@A' }, { title: 'q@a' }],
  ['enroll_student', { email: 'at.sign@example.com', name: 'X @Y', course_id: 1 }, { name: 'x @y' }],
])('%s of another text is sent while the first has an unknown outcome', async (tool, args, change) => {
  const it = await academy({ ACADEMY_PREFLIGHT: 'false' });
  const ids = tool === 'update_lesson' ? { lesson_id: await lessonIn(it) } : {};
  const fault = it.armWrites(doesNothing, 9);
  expect((await it.call(tool, { ...args, ...ids })).text).toContain('Outcome: outcome_unknown');
  fault.disarm();
  const before = it.faults.log.filter(({ method }) => method !== 'GET').length;
  expect((await it.call(tool, { ...args, ...ids, ...change })).structured?.outcome).toBe('applied');
  expect(it.faults.log.filter(({ method }) => method !== 'GET')).toHaveLength(before + 1);
});

test.each([
  ['2.0', '2'],
  ['2026-02-28', '2026-02-28T00:00:00Z'],
])('after the title %s, the same number or time as %s is another title', async (before, title) => {
  const it = await academy();
  const lesson_id = await lessonIn(it);
  await it.call('update_lesson', { lesson_id, title: before });
  it.armWrites(doesNothing);
  expect((await it.call('update_lesson', { lesson_id, title })).structured?.outcome).toBe('applied');
  expect(it.sandbox.academy.lessons.get(lesson_id)?.title).toBe(title);
});
