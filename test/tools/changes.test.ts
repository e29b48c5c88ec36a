import { expect, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/index.ts';
import type { ToolAnswer } from '../support/connect.ts';
import { startAcademy } from '../support/connect.ts';

const memory = { ACADEMY_JOURNAL: 'memory' };
const email = 'freya.hargreaves@example.net';

const idOf = ({ structured }: ToolAnswer) => String(structured?.change_id);
const rowsOf = ({ structured }: ToolAnswer) => structured?.changes as Record<string, unknown>[];
const price = '123.00';

test('without a journal neither tool is listed, and answers name no change', async () => {
  const { client, call } = await startAcademy();
  const names = (await client.listTools()).tools.map(({ name }) => name);
  expect(names).not.toContain('list_changes');
  expect(names).not.toContain('undo_change');
  const { structured } = await call('update_product', { product_type: 'course', id_or_slug: '5', price });
  expect(structured).not.toHaveProperty('change_id');
});

test('in read-only mode changes are listed and not undone', async () => {
  const { client } = await startAcademy({}, { ...memory, ACADEMY_READ_ONLY: 'true' });
  const names = (await client.listTools()).tools.map(({ name }) => name);
  expect(names).toContain('list_changes');
  expect(names).not.toContain('undo_change');
});

test('a price is changed, listed and put back', async () => {
  const { sandbox, call } = await startAcademy({}, memory);
  const product = () =>
    fetch(`${sandbox.url}/api/v1/products/course/5`, { headers: { authorization: `Bearer ${sandbox.apiKey}` } }).then(
      (answer) => answer.json(),
    );
  const before = await product();
  const written = await call('update_product', { product_type: 'course', id_or_slug: '5', price });
  expect(written.structured).toMatchObject({ can_undo: expect.stringContaining('undo_change') });
  const [row] = rowsOf(await call('list_changes'));
  expect(row).toMatchObject({ change_id: idOf(written), tool: 'update_product', outcome: 'applied', who: 'test' });
  expect(row?.what).toMatch(/price: \S+ -> 123\.00/);
  const plan = await call('undo_change', { change_ids: [idOf(written)] });
  expect(plan.text).toMatch(/Plan, nothing was changed/);
  expect(plan.text).toMatch(/price: "123.00" -> /);
  const undone = await call('undo_change', { change_ids: [idOf(written)], confirm: true });
  expect(undone.structured).toMatchObject({ outcome: 'applied', totals: { undone: 1 } });
  expect(await product()).toEqual(before);
  expect(rowsOf(await call('list_changes'))).toMatchObject([{ tool: 'undo_change' }, { undone: true }]);
  // An undo is a change, too.
  await call('undo_change', { change_ids: [idOf(undone)], confirm: true });
  expect((await call('get_product', { product_type: 'course', id_or_slug: '5' })).text).toContain(price);
  expect(rowsOf(await call('list_changes')).at(-1)).not.toHaveProperty('undone');
});

test('what others changed since is named and not overwritten', async () => {
  const { call, another } = await startAcademy({}, memory);
  const written = await call('update_product', { product_type: 'course', id_or_slug: '5', price, title: 'Ours' });
  const other = await another({ caller: 'other' });
  await other.call('update_product', { product_type: 'course', id_or_slug: '5', price: '77.00' });
  const plan = await call('undo_change', { change_ids: [idOf(written)] });
  expect(plan.text).toMatch(/changed since: price was "?\S+"?, this change set "123.00", now it is "77.00"/);
  const undone = await call('undo_change', { change_ids: [idOf(written)], confirm: true });
  expect(undone.structured).toMatchObject({ totals: { undone: 1, conflict: 1 } });
  const now = await call('get_product', { product_type: 'course', id_or_slug: '5' });
  expect(now.text).toContain('77.00');
  expect(now.text).not.toContain('Ours');
});

test('the changes of a conversation are undone together, the newest first', async () => {
  const { call } = await startAcademy({}, memory);
  const before = await call('get_product', { product_type: 'course', id_or_slug: '5' });
  for (const title of ['One', 'Two', 'Three'])
    await call('update_product', { product_type: 'course', id_or_slug: '5', title });
  const undone = await call('undo_change', { conversation: true, confirm: true });
  expect(undone.structured).toMatchObject({ totals: { undone: 3 } });
  expect((await call('get_product', { product_type: 'course', id_or_slug: '5' })).structured).toEqual(
    before.structured,
  );
  expect((await call('undo_change', { conversation: true })).text).toContain('nothing can be undone');
});

test('an unknown id is not found', async () => {
  const { call } = await startAcademy({}, memory);
  expect((await call('undo_change', { change_ids: ['none'] })).text).toMatch(/^not_found/);
});

const guest = { email: 'new.person@example.com', name: 'New Person' };

async function byOthers({ url, apiKey }: Sandbox, path: string, body: object): Promise<void> {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  const { ok } = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  expect(ok).toBe(true);
}

function coursesOf({ academy }: Sandbox, who: string): number[] {
  const student = academy.students.all().find((one) => one.email === who);
  return academy.orders.ofStudent(student?.id ?? 0).flatMap(({ courses }) => courses);
}

test('an enrollment is taken back, and its empty order stays', async () => {
  const { sandbox, call } = await startAcademy({}, memory);
  const enrolled = await call('enroll_student', { ...guest, course_id: 3 });
  expect(coursesOf(sandbox, guest.email)).toEqual([3]);
  const plan = await call('undo_change', { change_ids: [idOf(enrolled)] });
  expect(plan.text).toMatch(/takes course 3 from new\.person.* which stays, empty/);
  const undone = await call('undo_change', { change_ids: [idOf(enrolled)], confirm: true });
  expect(undone.structured, undone.text).toMatchObject({ totals: { undone: 1 } });
  expect(coursesOf(sandbox, guest.email)).toEqual([]);
  // An undo is a change, too.
  const again = await call('undo_change', { change_ids: [idOf(undone)], confirm: true });
  expect(again.structured, again.text).toMatchObject({ totals: { undone: 1 } });
  expect(coursesOf(sandbox, guest.email)).toEqual([3]);
});

test('an enrollment in a bundle is taken back with its courses', async () => {
  const { sandbox, call } = await startAcademy({}, memory);
  const enrolled = await call('enroll_student', { ...guest, bundle_id: 2 });
  expect(coursesOf(sandbox, guest.email)).not.toEqual([]);
  const undone = await call('undo_change', { change_ids: [idOf(enrolled)], confirm: true });
  expect(undone.structured, undone.text).toMatchObject({ totals: { undone: 1 } });
  expect(coursesOf(sandbox, guest.email)).toEqual([]);
});

test('an enrollment stays if another order lists the product, or a bundle that contains it', async () => {
  const { sandbox, call } = await startAcademy({}, memory);
  const enrolled = await call('enroll_student', { ...guest, course_id: 3 });
  await byOthers(sandbox, '/api/v1/student/enroll', { ...guest, course_id: 3 });
  const plan = await call('undo_change', { change_ids: [idOf(enrolled)] });
  expect(plan.text).toMatch(/nothing can be undone/);
  expect(plan.text).toMatch(/every order of new\.person.*: order .*, order /);
  const bundled = await call('enroll_student', { email: 'b@example.com', name: 'B', bundle_id: 2 });
  const [course = 0] = coursesOf(sandbox, 'b@example.com');
  await byOthers(sandbox, '/api/v1/student/enroll', { email: 'b@example.com', course_id: course });
  const refused = await call('undo_change', { change_ids: [idOf(bundled)], confirm: true });
  expect(refused.structured, refused.text).toMatchObject({ outcome: 'not_applied', totals: { refused: 1 } });
  expect(coursesOf(sandbox, 'b@example.com')).toContain(course);
});

test('several students enrolled at once are one change', async () => {
  const { sandbox, call } = await startAcademy({}, memory);
  const students = [guest, { email: 'b@example.com', name: 'B' }];
  const enrolled = await call('sync_roster', { students, product: 'course 3', confirm: true });
  expect(rowsOf(await call('list_changes'))).toHaveLength(1);
  const undone = await call('undo_change', { change_ids: [idOf(enrolled)], confirm: true });
  expect(undone.structured, undone.text).toMatchObject({ totals: { undone: 2 } });
  expect(students.flatMap((one) => coursesOf(sandbox, one.email))).toEqual([]);
});

test('a revocation is granted again as a new order, and said to be so before', async () => {
  const { call } = await startAcademy({}, memory);
  await call('enroll_student', { email, course_id: 3 });
  const refusal = await call('revoke_course', { email, name: 'Freya Hargreaves', course_id: 3 });
  expect(refusal.text).toContain('undo_change can give it back; a product as a new order of amount 0, not the old one');
  const revoked = await call('revoke_course', { email, name: 'Freya Hargreaves', course_id: 3, confirm: true });
  const plan = await call('undo_change', { change_ids: [idOf(revoked)] });
  expect(plan.text).toMatch(/as a new order of amount 0/);
  const undone = await call('undo_change', { change_ids: [idOf(revoked)], confirm: true });
  expect(undone.structured, undone.text).toMatchObject({ totals: { undone: 1 } });
});

test('a created lesson is unpublished, a created channel locked, and a role taken back', async () => {
  const { call } = await startAcademy({}, memory);
  await call('create_lesson', { course_id: 5, title: 'New here', is_published: true });
  await call('create_channel', { name: 'New channel', group_id: 1 });
  await call('grant_role', { email, role_id: 3 });
  const undone = await call('undo_change', { conversation: true, confirm: true });
  expect(undone.structured, undone.text).toMatchObject({ totals: { undone: 3 } });
});

test('progress that was reset cannot be undone, and the plan says so', async () => {
  const { call } = await startAcademy({}, memory);
  const reset = await call('reset_course_progress', { email, course_id: 1, confirm: true });
  expect(reset.structured, reset.text).toMatchObject({ can_undo: 'it cannot be undone' });
  expect((await call('undo_change', { change_ids: [idOf(reset)] })).text).toContain('the API has no way to undo this');
});

test('an outline is one change, undone as a whole', async () => {
  const { call } = await startAcademy({}, memory);
  const structure = () => call('get_course_structure', { course_id: 5 }).then(({ structured }) => structured);
  const before = await structure();
  const question = {
    course_id: 5,
    moves: [{ lesson_id: 1074, module_id: 219, position: 4 }],
    lessons: [{ lesson_id: 1077, title: 'Renamed' }],
  };
  const planned = await call('plan_course_outline', question);
  const applied = await call('apply_course_outline', {
    ...question,
    base_version: planned.structured?.base_version,
    confirm: true,
  });
  expect(applied.structured, applied.text).toMatchObject({ verified: true });
  expect(rowsOf(await call('list_changes'))).toHaveLength(1);
  const undone = await call('undo_change', { change_ids: [idOf(applied)], confirm: true });
  expect(undone.structured, undone.text).toMatchObject({ totals: { undone: 1 } });
  expect(await structure()).toEqual(before);
  const again = await call('undo_change', { change_ids: [idOf(undone)], confirm: true });
  expect(again.structured, again.text).toMatchObject({ totals: { undone: 1 } });
  expect(await structure()).not.toEqual(before);
});

test('under lockdown, and with every policy of consent, an undo needs consent', async () => {
  for (const settings of [
    { ACADEMY_LOCKDOWN: 'true' },
    { ACADEMY_CONFIRM: 'preview' },
    { ACADEMY_CONFIRM: 'argument' },
  ]) {
    const { call } = await startAcademy({}, { ...memory, ...settings });
    const written = await call('update_product', { product_type: 'course', id_or_slug: '5', price });
    const plan = await call('undo_change', { change_ids: [idOf(written)] });
    expect(plan.structured).toMatchObject({ outcome: 'not_applied' });
    expect((await call('get_product', { product_type: 'course', id_or_slug: '5' })).text).toContain(price);
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
});

test('changes are filtered by tool, student, product, outcome and time', async () => {
  const { call } = await startAcademy({}, memory);
  await call('update_product', { product_type: 'course', id_or_slug: '5', price });
  await call('enroll_student', { ...guest, course_id: 3 });
  const tools = async (filter: object) =>
    rowsOf(await call('list_changes', { ...filter }))?.map(({ tool }) => tool) ?? [];
  expect(await tools({})).toEqual(['enroll_student', 'update_product']);
  expect(await tools({ tool: 'update_product' })).toEqual(['update_product']);
  expect(await tools({ email: 'NEW.person@example.com' })).toEqual(['enroll_student']);
  expect(await tools({ product: 'course 5' })).toEqual(['update_product']);
  expect(await tools({ outcome: 'not_applied' })).toEqual([]);
  expect(await tools({ until: '2020-01-01' })).toEqual([]);
  expect(await tools({ since: '2020-01-01', limit: 1 })).toEqual(['enroll_student']);
});

test('the journal costs no request', async () => {
  const calls: [string, object][] = [
    ['update_product', { product_type: 'course', id_or_slug: '5', price }],
    ['update_channel', { id_or_slug: '1', description: 'New words' }],
    ['enroll_student', { ...guest, course_id: 3 }],
    ['revoke_course', { ...guest, course_id: 3, confirm: true }],
    ['create_lesson', { course_id: 5, title: 'New here' }],
    ['grant_role', { email, role_id: 3 }],
    ['offboard_student', { email, confirm: true }],
  ];
  const counts: unknown[][] = [];
  for (const settings of [memory, { ACADEMY_JOURNAL: 'off' }]) {
    const { call } = await startAcademy({}, settings);
    const spent: unknown[] = [];
    for (const [name, args] of calls) {
      const { meta } = await call(name, { ...args });
      spent.push((meta['academy/budget'] as { requests: number }).requests);
    }
    counts.push(spent);
  }
  expect(counts[0]).toEqual(counts[1]);
});
