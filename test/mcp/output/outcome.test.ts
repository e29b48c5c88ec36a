import { expect, test } from 'vitest';
import { tools } from '../../../tools/index.ts';
import { startAcademy } from '../../support/connect.ts';

test('every refusal of a write has an outcome, and no refusal of a read has one', async () => {
  const { call } = await startAcademy();
  for (const { name, effect } of tools) {
    const { text } = await call(name, { no_such_argument: 1 });
    expect(text, name).toMatch(/^invalid_input/);
    if (effect === 'read') expect(text, name).not.toContain('Outcome:');
    else expect(text, name).toContain('Outcome: not_applied');
  }
});

test('a write that would wait too long was not applied', async () => {
  const settings = { ACADEMY_RATE_LIMIT: '1', ACADEMY_RATE_SHARE: '1', ACADEMY_MAX_WAIT_MS: '100' };
  const { call } = await startAcademy({}, settings);
  await call('list_roles');
  const { text } = await call('grant_role', { email: 'ana@example.com', role_id: 1 });
  expect(text).toMatch(/^rate_limited/);
  expect(text).toContain('Outcome: not_applied');
});
