import { expect, test } from 'vitest';
import { tools } from '../../tools/index.ts';
import { connect } from '../support/connect.ts';

/** The tools whose `_meta` has a key, by the value of the key. */
async function marked(key: string, settings: Record<string, string> = {}): Promise<Record<string, unknown>> {
  const { client } = await connect({ ACADEMY_BASE_URL: 'http://127.0.0.1:9', ...settings });
  const listed = (await client.listTools()).tools.filter(({ _meta = {} }) => key in _meta);
  return Object.fromEntries(listed.map(({ name, _meta }) => [name, _meta?.[key]]));
}

const interaction = 'anthropic/requiresUserInteraction';

/** Written by hand: a person must agree to each call of these. */
const dangerous = [
  'apply_course_outline',
  'offboard_student',
  'reset_bundle_progress',
  'reset_course_progress',
  'revoke_bundle',
  'revoke_course',
  'revoke_role',
  'sync_roster',
  'unenroll_student',
];

test('the five tools that are asked most are always loaded', async () => {
  const most = ['find_buyers', 'sales_report', 'student_profile', 'diagnose_access', 'course_progress'];
  // Clients compare the value with true.
  expect(await marked('anthropic/alwaysLoad')).toEqual(Object.fromEntries(most.map((name) => [name, true])));
});

test('clients are told to ask a person before every call that needs consent', async () => {
  const asked = Object.fromEntries(dangerous.map((name) => [name, true]));
  expect(await marked(interaction)).toEqual(asked);
  for (const confirm of ['preview', 'human', 'block']) {
    expect(await marked(interaction, { ACADEMY_CONFIRM: confirm }), confirm).toEqual(asked);
  }
  // Lockdown may require consent of other writes later in a conversation: the list never varies within one.
  expect(await marked(interaction, { ACADEMY_LOCKDOWN: 'true' })).toEqual(asked);
});

test('ACADEMY_REQUIRE_INTERACTION decides, and auto is off for programs that confirm by themselves', async () => {
  const argument = { ACADEMY_CONFIRM: 'argument' };
  expect(await marked(interaction, argument)).toEqual({});
  expect(await marked(interaction, { ...argument, ACADEMY_REQUIRE_INTERACTION: 'auto' })).toEqual({});
  expect(Object.keys(await marked(interaction, { ...argument, ACADEMY_REQUIRE_INTERACTION: 'on' })).sort()).toEqual(
    dangerous,
  );
  expect(await marked(interaction, { ACADEMY_REQUIRE_INTERACTION: 'off' })).toEqual({});
});

test('reading tools with lists of records raise the limit of a result above our longest answer', async () => {
  const sizes = await marked('anthropic/maxResultSizeChars');
  for (const [name, size] of Object.entries(sizes)) {
    expect(size, name).toBe(50_000);
    expect(tools.find((tool) => tool.name === name)?.effect, name).toBe('read');
  }
  for (const name of ['list_orders', 'list_students', 'find_buyers', 'get_course_structure', 'search_posts']) {
    expect(sizes).toHaveProperty(name);
  }
  expect(sizes).not.toHaveProperty('get_account');
});
