import { expect, test } from 'vitest';
import { tools } from '../../../tools/index.ts';
import { type Row, row } from '../../support/academy.ts';
import { operationTools } from '../../support/composite.ts';
import type { Connection, Human } from '../../support/connect.ts';
import { codeIn, done, type Guarded, startGuarded } from '../../support/guarded.ts';
import { propertiesOf } from '../../support/properties.ts';
import { expectRefusal } from '../../support/refusal.ts';
import { sampleCalls } from '../../support/samples.ts';

const locked = { ACADEMY_LOCKDOWN: 'true' };

/** Operations whose answers, by the API document, contain text or names that students and members typed. By hand. */
const ofMembers = [
  'search_posts',
  'list_orders',
  'get_order',
  'list_students',
  'get_student_details',
  'get_course_completion',
  'list_completed_students',
  'list_assignment_answers',
  'list_project_posts',
  'find_buyers',
  'sales_report',
  'unpaid_orders',
  'student_profile',
  'diagnose_access',
  'course_progress',
  'community_digest',
];

const writing = operationTools.filter(({ effect }) => effect !== 'read').map(({ name }) => name);
/** Writes that are not destructive, so that they need consent only under lockdown. */
const harmless = operationTools
  .filter(({ effect }) => effect === 'create' || effect === 'update')
  .map(({ name }) => name);
const readingOther = tools.filter(({ name, effect }) => effect === 'read' && !ofMembers.includes(name));

function samplesOf({ sandbox }: Guarded): (tool: string) => Row {
  const samples = sampleCalls(sandbox);
  return (tool) => {
    const { confirm: _confirm, ...args } = samples[tool] ?? {};
    return args;
  };
}

async function expectRuns({ call }: Pick<Connection, 'call'>, tool: string, args: Row): Promise<void> {
  const { isError, text, structured } = await call(tool, args);
  expect(isError, `${tool}: ${text}`).toBe(false);
  expect(structured?.outcome, tool).toMatch(done);
}

test('the tools that mark their answers as text of members are those of the list above', () => {
  const marked = tools.filter(({ carriesUserContent }) => carriesUserContent).map(({ name }) => name);
  expect(marked.sort()).toEqual([...ofMembers].sort());
});

test('before any text of a member, every write that is not destructive runs', async () => {
  const academy = await startGuarded(locked);
  const sample = samplesOf(academy);
  for (const tool of harmless) await expectRuns(academy, tool, sample(tool));
  expect(academy.writes()).toHaveLength(harmless.length);
});

test('after search_posts every write needs consent, and sends nothing without it', async () => {
  const academy = await startGuarded(locked);
  const sample = samplesOf(academy);
  await academy.call('search_posts', sample('search_posts'));
  for (const tool of writing) {
    const text = expectRefusal(await academy.call(tool, sample(tool)), 'confirmation_required');
    expect(text, tool).toContain('Outcome: not_applied');
  }
  for (const tool of harmless) {
    const text = expectRefusal(await academy.call(tool, sample(tool)), 'confirmation_required');
    const values = Object.values(sample(tool));
    const given = values.find((value) => typeof value === 'string') ?? values[0];
    expect(text, tool).toContain(JSON.stringify(given).replaceAll(/\s+/g, ' '));
  }
  expect(academy.writes()).toEqual([]);
  for (const tool of writing) await expectRuns(academy, tool, { ...sample(tool), confirm: true });
});

test.for(ofMembers)('%s carries text that members typed, so that a write needs consent', async (tool) => {
  const academy = await startGuarded(locked);
  const sample = samplesOf(academy);
  const { isError, text } = await academy.call(tool, sample(tool));
  expect(isError, text).toBe(false);
  expectRefusal(await academy.call('update_product', sample('update_product')), 'confirmation_required');
  expect(academy.writes()).toEqual([]);
});

test('after reading courses, products, channels and roles, writes need no consent', async () => {
  const academy = await startGuarded(locked);
  const sample = samplesOf(academy);
  for (const { name } of readingOther) expect((await academy.call(name, sample(name))).isError, name).toBe(false);
  expect(readingOther.map(({ name }) => name)).toContain('get_course');
  await expectRuns(academy, 'update_product', sample('update_product'));
});

test('the facts of a refusal contain the name of a student, and count as text of a member', async () => {
  const academy = await startGuarded(locked);
  const sample = samplesOf(academy);
  expectRefusal(await academy.call('revoke_role', sample('revoke_role')), 'confirmation_required');
  expectRefusal(await academy.call('update_product', sample('update_product')), 'confirmation_required');
  expect(academy.writes()).toEqual([]);
});

test('a read that may carry text of members counts also when it fails: the error may repeat it', async () => {
  const academy = await startGuarded(locked);
  const sample = samplesOf(academy);
  expectRefusal(await academy.call('get_course', { course_id: 424_242 }), 'not_found');
  expectRefusal(await academy.call('search_posts', { id_or_slug: 'no-such-channel', colour: 1 }), 'invalid_input');
  await expectRuns(academy, 'update_product', sample('update_product'));
  expectRefusal(await academy.call('search_posts', { id_or_slug: 'no-such-channel' }), 'not_found');
  expectRefusal(await academy.call('update_channel', sample('update_channel')), 'confirmation_required');
});

test('another conversation is not affected', async () => {
  const academy = await startGuarded(locked);
  const sample = samplesOf(academy);
  const other = await academy.another();
  await academy.call('search_posts', sample('search_posts'));
  await expectRuns(other, 'update_product', sample('update_product'));
  expectRefusal(await academy.call('update_product', sample('update_product')), 'confirmation_required');
});

test('without ACADEMY_LOCKDOWN reading posts changes nothing', async () => {
  const academy = await startGuarded();
  const sample = samplesOf(academy);
  await academy.call('search_posts', sample('search_posts'));
  for (const tool of harmless) await expectRuns(academy, tool, sample(tool));
});

test('confirm is listed on every write, before and after', async () => {
  const { client, call } = await startGuarded(locked);
  const withConfirm = async () => {
    const { tools: listed } = await client.listTools();
    return listed.filter(({ inputSchema }) => 'confirm' in propertiesOf(inputSchema));
  };
  const before = await withConfirm();
  expect(before.map(({ name }) => name)).toEqual(
    tools.filter(({ effect }) => effect !== 'read').map(({ name }) => name),
  );
  for (const { inputSchema } of before) expect(row(propertiesOf(inputSchema).confirm).type).toBe('boolean');
  await call('search_posts', { id_or_slug: 3 });
  expect(JSON.stringify(await withConfirm())).toBe(JSON.stringify(before));
});

test('lockdown asks as ACADEMY_CONFIRM says: by code, by a question to a person, or not at all', async () => {
  const asked: string[] = [];
  const human: Human = ({ message }) => {
    asked.push(message);
    return { action: 'decline' };
  };
  const byCode = await startGuarded({ ...locked, ACADEMY_CONFIRM: 'preview' });
  const byHuman = await startGuarded({ ...locked, ACADEMY_CONFIRM: 'human' }, { human });
  const never = await startGuarded({ ...locked, ACADEMY_CONFIRM: 'block' });
  const args = samplesOf(byCode)('update_product');
  for (const { call } of [byCode, byHuman, never]) await call('search_posts', { id_or_slug: 3 });
  const confirm = codeIn(expectRefusal(await byCode.call('update_product', args), 'confirmation_required'));
  await expectRuns(byCode, 'update_product', { ...args, confirm });
  expectRefusal(await byHuman.call('update_product', { ...args, confirm: true }), 'declined');
  expect(asked[0]).toContain('Renamed');
  expectRefusal(await never.call('update_product', { ...args, confirm: true }), 'declined');
  expect([...byHuman.writes(), ...never.writes()]).toEqual([]);
});
