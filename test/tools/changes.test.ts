import { expect, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/index.ts';
import { tools } from '../../tools/index.ts';
import type { Exchange } from '../reliability/fault-server.ts';
import { row } from '../support/academy.ts';
import { refusing } from '../support/arrange.ts';
import { connect, startAcademy, type ToolAnswer } from '../support/connect.ts';
import { type Guarded, holderIn, lossesOf, startGuarded } from '../support/guarded.ts';
import { call as request, temporaryFile } from '../support/sandbox.ts';
import { truth } from '../support/truth.ts';

const memory = { ACADEMY_JOURNAL: 'memory' };
const email = 'freya.hargreaves@example.net';

const idOf = ({ structured }: ToolAnswer) => String(structured?.change_id);
const rowsOf = ({ structured }: ToolAnswer) => structured?.changes as Record<string, unknown>[];
const price = '123.00';
const course5 = { product_type: 'course', id_or_slug: '5' };

/** Undoes with consent, and expects these totals. */
async function undo(call: Guarded['call'], question: object, totals: object): Promise<ToolAnswer> {
  const answer = await call('undo_change', { ...question, confirm: true });
  expect(answer.structured, answer.text).toMatchObject({ totals });
  return answer;
}

test('without a journal neither tool is listed, and answers name no change', async () => {
  const { client, call } = await startAcademy();
  const names = (await client.listTools()).tools.map(({ name }) => name);
  expect(names).not.toContain('list_changes');
  expect(names).not.toContain('undo_change');
  const { structured } = await call('update_product', { ...course5, price });
  expect(structured).not.toHaveProperty('change_id');
});

test('a price is changed, listed and put back', async () => {
  const { sandbox, call } = await startAcademy({}, memory);
  const product = () => truth(sandbox, '/api/v1/products/course/5');
  const before = await product();
  const written = await call('update_product', { ...course5, price });
  expect(written.structured).toMatchObject({ can_undo: expect.stringContaining('undo_change') });
  const [row] = rowsOf(await call('list_changes'));
  expect(row).toMatchObject({ change_id: idOf(written), tool: 'update_product', outcome: 'applied', who: 'test' });
  expect(row?.what).toMatch(/price: \S+ -> "123\.00"/);
  const plan = await call('undo_change', { change_ids: [idOf(written)] });
  expect(plan.text).toMatch(/Plan, nothing was changed/);
  expect(plan.text).toMatch(/price: "123.00" -> /);
  const undone = await call('undo_change', { change_ids: [idOf(written)], confirm: true });
  expect(undone.structured).toMatchObject({ outcome: 'applied', totals: { undone: 1 } });
  expect(await product()).toEqual(before);
  expect(rowsOf(await call('list_changes'))).toMatchObject([{ tool: 'undo_change' }, { undone: true }]);
  const again = await call('undo_change', { conversation: true, confirm: true });
  expect(again.text).toMatch(/^Undo: 1 with nothing to do\./);
  // An undo is a change, too.
  await call('undo_change', { change_ids: [idOf(undone)], confirm: true });
  expect((await call('get_product', course5)).text).toContain(price);
  expect(rowsOf(await call('list_changes')).at(-1)).not.toHaveProperty('undone');
});

test('a field that had no value is shown as null, and has none again after an undo', async () => {
  const { sandbox, call } = await startAcademy({}, memory);
  const product = () => truth(sandbox, '/api/v1/products/course/5');
  const before = await product();
  const written = await call('update_product', { ...course5, days_of_access: 30, launch_date: '2030-01-01' });
  expect(written.structured?.changes).toEqual({ days_of_access: 'null -> 30', launch_date: 'null -> "2030-01-01"' });
  await undo(call, { change_ids: [idOf(written)] }, { undone: 1 });
  expect(await product()).toEqual(before);
});

test('what others changed since is named and not overwritten', async () => {
  const { call, another } = await startAcademy({}, memory);
  const written = await call('update_product', { ...course5, price, title: 'Ours', hidden: false });
  const other = await another({ caller: 'other' });
  await other.call('update_product', { ...course5, price: '77.00', hidden: true });
  const plan = await call('undo_change', { change_ids: [idOf(written)] });
  expect(plan.text).toMatch(/changed since: price was "?\S+"?, this change set "123.00", now it is "77.00"/);
  expect(plan.text.split('changed since')).toHaveLength(2);
  const { text } = await undo(call, { change_ids: [idOf(written)] }, { undone: 1, conflict: 1 });
  expect(text).toMatch(
    /^Undo: 1 undone, 1 not undone \(changed since\)\.\n.*\n\S+ update_product of \S+:\n {2}not undone: product/s,
  );
  expect((await call('get_product', course5)).text).toMatch(/^(?!.*Ours).*77\.00/s);
});

test('a plan knows that a slug and an id name the same product, and so does a list', async () => {
  const { call } = await startAcademy({}, memory);
  const before = (await call('get_product', course5)).structured;
  const bySlug = { ...course5, id_or_slug: String(before?.slug) };
  await call('update_product', { ...bySlug, price: '110.00' });
  await call('update_product', { ...course5, price: '120.00' });
  await call('update_product', { ...bySlug, price: '130.00' });
  expect(rowsOf(await call('list_changes', { product: 'course 5' }))).toHaveLength(3);
  for (const product of ['Photography', 'Course 5', 'course photography-light-and-lens', 'photography light'])
    expect(rowsOf(await call('list_changes', { product })), product).toHaveLength(3);
  expect((await call('list_changes', { product: 'Photography Nights' })).text).toContain('not_found');
  const plan = await call('undo_change', { conversation: true });
  expect(plan.text).toContain('3 steps, in this order:');
  await undo(call, { conversation: true }, { undone: 3 });
  expect((await call('get_product', course5)).structured).toEqual(before);
});

test('the changes since a time are undone together, the newest first', async () => {
  const { call } = await startAcademy({}, memory);
  const before = await call('get_product', course5);
  for (const title of ['One', 'Two', 'Three']) await call('update_product', { ...course5, title });
  await undo(call, { since: '2020-01-01' }, { undone: 3 });
  expect((await call('get_product', course5)).structured).toEqual(before.structured);
  expect((await call('undo_change', { conversation: true })).text).toContain('nothing can be undone');
});

test('an unknown id is not found', async () => {
  const { call } = await startAcademy({}, memory);
  expect((await call('undo_change', { change_ids: ['none'] })).text).toMatch(/^not_found/);
});

const guest = { email: 'new.person@example.com', name: 'New Person' };

function coursesOf({ academy }: Sandbox, who: string): number[] {
  const student = academy.students.all().find((one) => one.email === who);
  return academy.orders.ofStudent(student?.id ?? 0).flatMap(({ courses }) => courses);
}

test('an enrollment is taken back, and its empty order stays', async () => {
  const { sandbox, call } = await startAcademy({}, memory);
  const enrolled = await call('enroll_student', { ...guest, course_id: 3 });
  expect(coursesOf(sandbox, guest.email)).toEqual([3]);
  const plan = await call('undo_change', { change_ids: [idOf(enrolled)] });
  expect(plan.text).toMatch(/takes course 3 ".+" from new\.person.* which stays, empty/);
  const undone = await undo(call, { change_ids: [idOf(enrolled)] }, { undone: 1 });
  expect(coursesOf(sandbox, guest.email)).toEqual([]);
  // An undo is a change, too.
  await undo(call, { change_ids: [idOf(undone)] }, { undone: 1 });
  expect(coursesOf(sandbox, guest.email)).toEqual([3]);
});

test('an enrollment stays if another order lists the product, or a bundle that contains it', async () => {
  const { sandbox, call } = await startAcademy({}, memory);
  const enrolled = await call('enroll_student', { ...guest, course_id: 3 });
  await request(sandbox, 'POST', '/api/v1/student/enroll', { ...guest, course_id: 3 });
  const plan = await call('undo_change', { change_ids: [idOf(enrolled)] });
  expect(plan.text).toMatch(/nothing can be undone/);
  expect(plan.text).toMatch(/every order of new\.person.*: order .*, order /);
  const bundled = await call('enroll_student', { email: 'b@example.com', name: 'B', bundle_id: 2 });
  const [course = 0] = coursesOf(sandbox, 'b@example.com');
  await request(sandbox, 'POST', '/api/v1/student/enroll', { email: 'b@example.com', course_id: course });
  const refused = await call('undo_change', { change_ids: [idOf(bundled)], confirm: true });
  expect(refused.structured, refused.text).toMatchObject({ outcome: 'not_applied', totals: { refused: 1 } });
  expect(coursesOf(sandbox, 'b@example.com')).toContain(course);
});

test('a grant of two products is only partly undone until the bundle is taken back, with its courses', async () => {
  const { sandbox, call } = await startAcademy({}, memory);
  const change_ids = [idOf(await call('enroll_student', { ...guest, course_id: 6, bundle_id: 2 }))];
  const [inBundle = 0] = coursesOf(sandbox, guest.email).filter((course) => course !== 6);
  await request(sandbox, 'POST', '/api/v1/student/enroll', { ...guest, course_id: inBundle });
  await undo(call, { change_ids }, { undone: 1, refused: 1 });
  const row = rowsOf(await call('list_changes')).at(-1);
  expect(row).toMatchObject({ can_undo: expect.stringMatching(/^partly undone; by undo_change: /) });
  expect(row).not.toHaveProperty('undone');
  expect((await call('undo_change', { change_ids })).text).toMatch(
    /not undone.*every order.*nothing to do.*lists course 6/s,
  );
  await call('revoke_course', { ...guest, course_id: inBundle, confirm: true });
  await undo(call, { change_ids }, { undone: 1, idle: 1 });
  expect(coursesOf(sandbox, guest.email)).toEqual([]);
  expect(rowsOf(await call('list_changes')).at(-1)).toMatchObject({ tool: 'enroll_student', undone: true });
});

test('an undo that gave a bundle and one of its courses again is taken back as a whole', async () => {
  const { sandbox, call } = await startAcademy({}, memory);
  await call('enroll_student', { ...guest, bundle_id: 2 });
  const [course_id = 0] = coursesOf(sandbox, guest.email);
  await request(sandbox, 'POST', '/api/v1/student/enroll', { ...guest, course_id });
  const revoked = await call('revoke_bundle', { email: guest.email, bundle_id: 2, confirm: true });
  expect(coursesOf(sandbox, guest.email)).toEqual([]);
  const given = await undo(call, { change_ids: [idOf(revoked)] }, { undone: 2 });
  const plan = await call('undo_change', { change_ids: [idOf(given)] });
  expect(plan.text).toMatch(/takes bundle 2 ".+" from new\.person/);
  await undo(call, { change_ids: [idOf(given)] }, {});
  expect(coursesOf(sandbox, guest.email)).toEqual([]);
});

test('a lesson whose course was not known is found by its course, and its old values are not promised', async () => {
  const { sandbox, call } = await startAcademy({}, memory);
  const [lesson_id = 0] = sandbox.academy.lessons.publishedIds(3);
  const written = await call('update_lesson', { lesson_id, title: 'Another title' });
  expect(written.structured?.can_undo).toBe('no: the old values could not be read');
  const listed = await call('list_changes', { product: 'course 3' });
  const can_undo = 'no: the old values could not be read';
  expect(rowsOf(listed)).toMatchObject([{ change_id: idOf(written), can_undo }]);
  expect((await call('list_changes', { email: guest.email })).text).toMatch(/^None of the 1 change /);
  const plan = await call('undo_change', { change_ids: [idOf(written)] });
  expect(plan.text).toMatch(/the API does not show the old value of title/);
});

test('several students enrolled at once are one change', async () => {
  const { sandbox, call } = await startAcademy({}, memory);
  const students = [guest, { email: 'b@example.com', name: 'B' }];
  const enrolled = await call('sync_roster', { students, product: 'course 3', confirm: true });
  expect(rowsOf(await call('list_changes'))).toHaveLength(1);
  await undo(call, { change_ids: [idOf(enrolled)] }, { undone: 2 });
  expect(students.flatMap((one) => coursesOf(sandbox, one.email))).toEqual([]);
  const again = await call('undo_change', { change_ids: [idOf(enrolled)] });
  expect(again.text.match(/it is already undone/g)).toHaveLength(1);
});

test('a revocation is granted again as a new order, and said to be so before', async () => {
  const { call } = await startAcademy({}, memory);
  await call('enroll_student', { email, course_id: 3 });
  const refusal = await call('revoke_course', { email, name: 'Freya Hargreaves', course_id: 3 });
  expect(refusal.text).toContain(
    'Undo: by undo_change: enroll_student can grant it again, as a new order of amount 0, not the old one.',
  );
  const revoked = await call('revoke_course', { email, name: 'Freya Hargreaves', course_id: 3, confirm: true });
  const plan = await call('undo_change', { change_ids: [idOf(revoked)] });
  expect(plan.text).toMatch(/as a new order of amount 0: its days of access begin again/);
  await undo(call, { change_ids: [idOf(revoked)] }, { undone: 1 });
});

test('the orders that a change made or took something off are listed with it', async () => {
  const { call } = await startAcademy({}, { ...memory, ACADEMY_PREFLIGHT: 'true' });
  const { structured } = await call('enroll_student', { ...guest, course_id: 3 });
  const [order] = (structured?.order_ids ?? []) as string[];
  expect(order).toMatch(/^\w+$/);
  await call('revoke_course', { ...guest, course_id: 3, confirm: true });
  const students = [{ email: 'second@example.com', name: 'Second' }];
  const many = await call('sync_roster', { students, product: 'course 3', confirm: true });
  const { 'second@example.com': made } = row(many.structured?.order_ids);
  expect(rowsOf(await call('list_changes'))).toMatchObject([{ orders: made }, { orders: order }, { orders: order }]);
});

test('the plan says that a student and the name that was sent stay', async () => {
  const { call } = await startAcademy({}, memory);
  const written = await call('enroll_student', { email, name: 'Freya Renamed', rename: true, course_id: 11 });
  const plan = await call('undo_change', { change_ids: [idOf(written)] });
  expect(plan.text).toContain('the student stays, with the name that was sent');
});

test('an undo that chooses no change says so, and where the changes are', async () => {
  const { call, another } = await startAcademy({}, memory);
  await call('update_product', { ...course5, price });
  const other = await another({ caller: 'other' });
  for (const question of [{ conversation: true }, { since: '2020-01-01' }]) {
    const { text } = await other.call('undo_change', question);
    expect(text).toMatch(
      /^Plan, nothing was changed: no change was chosen: you made none in this conversation, or since then/,
    );
    expect(text).toContain('list_changes shows all changes');
  }
});

test('a created lesson is unpublished, a created channel locked, and a role taken back', async () => {
  const { call } = await startAcademy({}, memory);
  await call('create_lesson', { course_id: 5, title: 'New here', is_published: true });
  await call('create_channel', { name: 'New channel', group_id: 1 });
  await call('grant_role', { email, role_id: 3 });
  await undo(call, { conversation: true }, { undone: 3 });
});

test('progress that was reset cannot be undone, and the plan says so', async () => {
  const { call } = await startAcademy({}, memory);
  const refusal = await call('reset_course_progress', { email, course_id: 1 });
  expect(refusal.text).toContain('Undo: the deleted progress cannot be restored.');
  const reset = await call('reset_course_progress', { email, course_id: 1, confirm: true });
  expect((await call('undo_change', { change_ids: [idOf(reset)] })).text).toContain(
    'reset_course_progress: the deleted progress cannot be restored',
  );
});

const structureOf = async (call: Guarded['call']) => (await call('get_course_structure', { course_id: 5 })).structured;

async function applyOutline(call: Guarded['call'], question: object): Promise<ToolAnswer> {
  const { base_version } = (await call('plan_course_outline', { ...question })).structured ?? {};
  const applied = await call('apply_course_outline', { ...question, base_version, confirm: true });
  expect(applied.structured, applied.text).toMatchObject({ verified: true });
  return applied;
}

test('an outline is one change, undone as a whole', async () => {
  const { call } = await startAcademy({}, memory);
  const before = await structureOf(call);
  const moves = [{ lesson_id: 1074, module_id: 219, position: 4 }];
  const lessons = [{ lesson_id: 1077, title: 'Renamed' }];
  const applied = await applyOutline(call, { course_id: 5, moves, lessons });
  expect(rowsOf(await call('list_changes'))).toHaveLength(1);
  const undone = await undo(call, { change_ids: [idOf(applied)] }, { undone: 1 });
  expect(await structureOf(call)).toEqual(before);
  await undo(call, { change_ids: [idOf(undone)] }, { undone: 1 });
  expect(await structureOf(call)).not.toEqual(before);
});

test('under lockdown, and with every policy of consent, an undo needs consent', async () => {
  const policies = [{ ACADEMY_LOCKDOWN: 'true' }, { ACADEMY_CONFIRM: 'preview' }, { ACADEMY_CONFIRM: 'argument' }];
  for (const settings of policies) {
    const { call } = await startAcademy({}, { ...memory, ...settings });
    const written = await call('update_product', { ...course5, price });
    const plan = await call('undo_change', { change_ids: [idOf(written)] });
    expect(plan.structured).toMatchObject({ outcome: 'not_applied' });
    expect((await call('get_product', course5)).text).toContain(price);
    const code = /confirm: "([^"]+)"/.exec(plan.text)?.[1];
    const undone = await call('undo_change', { change_ids: [idOf(written)], confirm: code ?? true });
    expect(undone.structured, undone.text).toMatchObject({ totals: { undone: 1 } });
  }
});

test('offboarding is one change, and its undo grants again what was taken', async () => {
  const { sandbox, call } = await startAcademy({}, memory);
  const before = await call('student_profile', { email });
  const left = await call('offboard_student', { email, confirm: true });
  expect(coursesOf(sandbox, email)).toEqual([]);
  const undone = await call('undo_change', { change_ids: [idOf(left)], confirm: true });
  expect(undone.text).toContain('as a new order of amount 0');
  expect(rowsOf(await call('list_changes'))[1]?.what).toMatch(/^revoke_\w+: email .*; unenroll_student: email/);
  const after = await call('student_profile', { email });
  const held = (answer: ToolAnswer) =>
    (answer.structured as { holds: { product: string }[] }).holds.map(({ product }) => product).sort();
  expect(held(after)).toEqual(held(before));
});

test('a text that the API does not show is named as lost', async () => {
  const { call } = await startAcademy({}, memory);
  await call('get_course_structure', { course_id: 5 });
  const written = await call('update_lesson', { lesson_id: 1077, title: 'New', content: 'A new body' });
  const plan = await call('undo_change', { change_ids: [idOf(written)] });
  expect(plan.text).toMatch(/cannot be restored: .*the API does not show the old value of content/);
  expect(plan.text).toMatch(/title: "New" -> "/);
  await call('undo_change', { conversation: true, confirm: true });
  expect(rowsOf(await call('list_changes', { tool: 'update_lesson' }))).toMatchObject([
    { undone: true, not_restored: 'content' },
  ]);
  expect((await call('list_changes', { tool: 'none' })).text).toContain('None of the 2 changes in the journal');
});

test('changes are filtered by tool, student, product, outcome and time', async () => {
  const { call } = await startAcademy({}, memory);
  await call('update_product', { ...course5, price });
  await call('enroll_student', { ...guest, course_id: 3 });
  const tools = async (filter: object) =>
    rowsOf(await call('list_changes', { ...filter }))?.map(({ tool }) => tool) ?? [];
  expect(await tools({})).toEqual(['enroll_student', 'update_product']);
  expect(await tools({ tool: 'update_product' })).toEqual(['update_product']);
  expect(await tools({ email: 'NEW.person@example.com' })).toEqual(['enroll_student']);
  expect(await tools({ product: 'course 5' })).toEqual(['update_product']);
  expect(await tools({ outcome: 'not_applied' })).toEqual([]);
  expect(await tools({ until: '2020-01-01' })).toEqual([]);
  expect(await call('list_changes', { who: 'me' })).toMatchObject({
    text: expect.stringMatching(/^callers: test$/m),
    structured: { total: 0, callers: ['test'] },
  });
  expect(await tools({ since: '2020-01-01', limit: 1 })).toEqual(['enroll_student']);
});

const refused = { name: 'refused', fault: refusing(422) };

/** A call of every tool that writes, in an order in which each has something to do. */
async function callsOfEachTool({ sandbox, call }: Guarded): Promise<[tool: string, args: object][]> {
  const holder = holderIn(sandbox);
  const moves = { course_id: 5, moves: [{ lesson_id: 1074, module_id: 219, position: 4 }] };
  const planned = await call('plan_course_outline', moves);
  return [
    ['apply_course_outline', { ...moves, base_version: planned.structured?.base_version, confirm: true }],
    ['create_lesson', { course_id: 5, title: 'New here', module_id: 219, position: 1 }],
    ['update_lesson', { lesson_id: 1077, title: 'Renamed' }],
    ['update_product', { ...course5, price }],
    ['create_channel', { name: 'New channel', group_id: 1 }],
    ['update_channel', { id_or_slug: '1', description: 'New words' }],
    ['enroll_student', { ...guest, course_id: 3 }],
    ['sync_roster', { students: [{ email: 'b@example.com', name: 'B' }], product: 'course 3', confirm: true }],
    ['grant_role', { email: guest.email, role_id: 3 }],
    ...lossesOf(holder).map(([tool, args]): [string, object] => [tool, { ...args, confirm: true }]),
    ['offboard_student', { email, confirm: true }],
  ];
}

test('every write says whether it can be undone, and costs no request more with a journal', async () => {
  const counts: Record<string, number>[] = [];
  const expected = tools.filter(({ effect }) => effect !== 'read').map(({ name }) => name);
  for (const place of ['memory', 'off']) {
    const how = place === 'memory' ? 'by undo_change' : 'by hand';
    const academy = await startGuarded({ ACADEMY_JOURNAL: place, ACADEMY_PREFLIGHT: 'true' });
    const spent: Record<string, number> = {};
    for (const [name, args] of await callsOfEachTool(academy)) {
      const before = academy.between.log.length;
      const { structured, text } = await academy.call(name, { ...args });
      spent[name] = academy.between.log.length - before;
      if (structured?.outcome === 'already_there') continue;
      const words = String(structured?.can_undo ?? structured?.undo);
      if (name === 'apply_course_outline') expect(words).toContain('restores the state');
      else if (/unenroll|reset/.test(name)) expect(words, text).toMatch(/^(nothing|the deleted)/);
      else expect(words, `${name}: ${text}`).toMatch(new RegExp(`^${how}: `));
      expect(typeof structured?.change_id, text).toBe(place === 'memory' ? 'string' : 'undefined');
    }
    expect(Object.keys(spent).sort()).toEqual(expected.sort());
    counts.push(spent);
  }
  expect(counts[0]).toEqual(counts[1]);
});

test('without a journal a preview says how to undo by hand', async () => {
  const { call } = await startAcademy({}, { ACADEMY_LOCKDOWN: 'true' });
  const role = await call('revoke_role', { email, role_id: 3 });
  expect(role.text).toContain('Undo: by hand: grant_role gives roles back.');
  await call('list_students');
  const { text } = await call('update_product', { ...course5, price });
  expect(text).toContain('Undo: by hand: the old values can be written back, as far as the API shows them.');
});

test('in read-only mode a change is listed with what is possible by hand, and cannot be undone', async () => {
  const file = await temporaryFile('journal.jsonl');
  const { call, sandbox } = await startAcademy({}, { ACADEMY_JOURNAL: file });
  await call('update_product', { ...course5, price });
  const settings = { ACADEMY_BASE_URL: sandbox.url, ACADEMY_RATE_LIMIT: 'off', ACADEMY_JOURNAL: file };
  const reader = await connect({ ...settings, ACADEMY_READ_ONLY: 'true' });
  const [row] = rowsOf(await reader.call('list_changes'));
  expect(row?.can_undo).toMatch(/^by hand: /);
  const names = (await reader.client.listTools()).tools.map(({ name }) => name);
  expect(names).not.toContain('undo_change');
});

test('a created lesson is renamed only if the plan was asked to', async () => {
  for (const rename of [undefined, true]) {
    const { sandbox, call } = await startAcademy({}, memory);
    const created = await call('create_lesson', { course_id: 5, title: 'New here', is_published: true });
    const question = { change_ids: [idOf(created)], ...(rename && { rename }) };
    const plan = await call('undo_change', question);
    expect(plan.text.includes('"New here" -> "Undone: New here"')).toBe(rename === true);
    await call('undo_change', { ...question, confirm: true });
    const lesson = sandbox.academy.lessons.all().find(({ title }) => title.endsWith('New here'));
    expect(lesson).toMatchObject({ title: rename ? 'Undone: New here' : 'New here', is_published: false });
  }
});

test('lessons that a new one moved go back to their numbers', async () => {
  const { sandbox, call } = await startAcademy({}, memory);
  const numbers = () =>
    sandbox.academy.lessons
      .all()
      .filter(({ course_id, title }) => course_id === 5 && title !== 'New here')
      .map(({ id, module_id, sequence }) => [id, module_id, sequence]);
  const before = numbers();
  const question = { course_id: 5, module_id: 219, title: 'New here', position: 2, is_published: true };
  const created = await call('create_lesson', question);
  expect(numbers(), created.text).not.toEqual(before);
  await undo(call, { change_ids: [idOf(created)] }, { undone: 2 });
  expect(numbers()).toEqual(before);
});

test('a grant that was revoked again leaves nothing to undo', async () => {
  const { sandbox, call } = await startAcademy({}, memory);
  await call('enroll_student', { ...guest, course_id: 3 });
  await call('revoke_course', { ...guest, course_id: 3, confirm: true });
  await undo(call, { conversation: true }, { idle: 2 });
  expect(coursesOf(sandbox, guest.email)).toEqual([]);
});

test('more writes than one call undoes are undone in parts, the newest first', async () => {
  const { sandbox, call } = await startAcademy({}, memory);
  const students = Array.from({ length: 120 }, (_, index) => ({ email: `s${index}@example.com`, name: `S ${index}` }));
  await call('sync_roster', { students, product: 'course 3', confirm: true });
  await request(sandbox, 'POST', '/api/v1/student/enroll', { email: 's119@example.com', course_id: 3 });
  const holding = () => students.filter((one) => coursesOf(sandbox, one.email).length > 0).length;
  const plan = await call('undo_change', { conversation: true });
  expect(plan.text).toMatch(/100 steps, in this order:/);
  expect(plan.text).toContain('19 older writes left: then the same call again');
  const first = await undo(call, { conversation: true }, { undone: 100, refused: 1 });
  expect(first.structured?.next).toContain('19 older writes left');
  expect(holding()).toBe(20);
  const second = await undo(call, { conversation: true }, { undone: 19, refused: 1 });
  expect(second.structured).not.toHaveProperty('next');
  expect(holding()).toBe(1);
});

test('a record that is gone is named, and the rest is undone', async () => {
  const { sandbox, call } = await startAcademy({}, memory);
  await call('update_product', { ...course5, price });
  await call('get_course_structure', { course_id: 5 });
  await call('update_lesson', { lesson_id: 1077, title: 'New' });
  // The API deletes no lesson; the platform may.
  Object.assign(sandbox.academy.lessons.all().find(({ id }) => id === 1077) ?? {}, { id: 999_999 });
  const undone = await call('undo_change', { conversation: true, confirm: true });
  expect(undone.text).toContain('lesson_id 1077: the API does not show it now');
  expect(undone.structured, undone.text).toMatchObject({ totals: { refused: 1, undone: 1 } });
});

test('the plan of two outlines and a later title shows what the undo then does', async () => {
  const { call } = await startAcademy({}, memory);
  const before = await structureOf(call);
  await call('update_lesson', { lesson_id: 1074, title: 'First' });
  for (const [position, title] of [
    [4, 'Second'],
    [2, 'Third'],
  ]) {
    const lessons = [{ lesson_id: 1074, title }];
    const question = { course_id: 5, moves: [{ lesson_id: 1074, module_id: 219, position }], lessons };
    await applyOutline(call, question);
  }
  await call('update_lesson', { lesson_id: 1074, title: 'Fourth' });
  const plan = await call('undo_change', { conversation: true });
  expect(plan.text).toContain('4 steps, in this order:');
  expect(plan.text).not.toContain('changed since');
  await undo(call, { conversation: true }, { undone: 4 });
  expect(await structureOf(call)).toEqual(before);
});

test('what others change while an undo runs is not overwritten by its next step', async () => {
  const { between, sandbox, call } = await startGuarded(memory);
  for (const price of ['110.00', '120.00']) await call('update_product', { ...course5, price });
  const act = async ({ answer, work }: Exchange) => {
    const done = await work();
    await request(sandbox, 'PATCH', '/api/v1/products/course/5', { product: { price: '77.00' } });
    answer(done);
  };
  between.arm({ name: 'others', fault: { at: 'body', act }, match: (method) => method === 'PATCH' });
  await undo(call, { conversation: true }, { undone: 1, conflict: 1 });
  expect((await call('get_product', course5)).text).toContain('price=77.00');
});

test('an outline whose undo stops half-way is not called undone, and the undo can be undone', async () => {
  const { between, call } = await startGuarded({ ACADEMY_JOURNAL: 'memory' });
  const lessons = [1074, 1075, 1076, 1077].map((lesson_id, index) => ({ lesson_id, title: `New ${index}` }));
  const question = { course_id: 5, moves: [], lessons };
  const applied = await applyOutline(call, question);
  const left = await structureOf(call);
  let passed = 0;
  const isThird = (method: string) => method === 'PATCH' && ++passed > 2;
  const { disarm } = between.arm({ ...refused, match: isThird, times: 9 });
  const undone = await undo(call, { change_ids: [idOf(applied)] }, { failed: 1 });
  const [undoing, change] = rowsOf(await call('list_changes'));
  expect(undoing).toMatchObject({ tool: 'undo_change' });
  expect(change).not.toHaveProperty('undone');
  expect(await structureOf(call)).not.toEqual(left);
  disarm();
  await undo(call, { change_ids: [idOf(undone)] }, { undone: 1 });
  expect(await structureOf(call)).toEqual(left);
});

test('a list names what undo would refuse, and offers no undo of what was not applied', async () => {
  const { call, between } = await startGuarded(memory);
  expect((await call('list_changes')).text).toMatch(/^The journal of this server has no changes/);
  await call('create_channel', { name: 'A locked one', group_id: 1, locked: true });
  await call('reset_course_progress', { email, course_id: 1, confirm: true });
  between.arm({ ...refused, match: (method: string) => method === 'PATCH' });
  await call('update_product', { ...course5, price });
  const rows = rowsOf(await call('list_changes'));
  expect(rows.map(({ tool, outcome, can_undo }) => [tool, outcome, can_undo])).toEqual([
    ['update_product', 'not_applied', undefined],
    ['reset_course_progress', 'applied', expect.stringMatching(/^reset_course_progress: the deleted progress cannot/)],
    ['create_channel', 'applied', 'by undo_change: update_channel locks it if it is open; nothing deletes it'],
  ]);
});

test('a reset is listed with the progress that it deleted, in the period that was asked for', async () => {
  const { call } = await startAcademy({}, memory);
  const reset = { email: 'freya.hargreaves@example.net', course_id: 5, confirm: true };
  const { structured } = await call('reset_course_progress', reset);
  const progress = structured?.progress as { percent_before: number }[];
  const [row] = rowsOf(await call('list_changes', { period: 'today', tool: 'reset_course_progress' }));
  expect(row?.what).toContain(`progress was ${progress[0]?.percent_before}% in course 5`);
  expect((await call('list_changes', { period: 'yesterday' })).structured).toMatchObject({ total: 0 });
  const both = await call('list_changes', { period: 'today', since: '2026-01-01' });
  expect(both.text).toMatch(/^invalid_input: give either period or since and until/);
});

test('a call that sent no write does not say how to undo it', async () => {
  const { call } = await startAcademy({}, memory);
  const list = { product: 'course 5', csv: 'Email,Name\nnora.new@example.com,Nora New', confirm: true };
  expect((await call('sync_roster', list)).structured).toHaveProperty('can_undo');
  const again = (await call('sync_roster', list)).structured;
  expect(again).toMatchObject({ totals: { already_there: 1 } });
  expect(again).not.toHaveProperty('can_undo');
});
