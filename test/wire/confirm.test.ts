import { expect, test } from 'vitest';
import { accessCases } from './access.ts';
import { perform } from './perform.ts';

const confirmed = accessCases.filter(({ arguments: { confirm } }) => confirm === true);

test('each tool that takes something away requires confirmation', () => {
  expect(confirmed.map(({ tool }) => tool).sort()).toEqual([
    'reset_bundle_progress',
    'reset_course_progress',
    'revoke_bundle',
    'revoke_course',
    'revoke_role',
    'unenroll_student',
  ]);
});

test.each(confirmed)('$tool without confirm changes nothing and asks for it', async (one) => {
  for (const confirm of [{}, { confirm: false }]) {
    const { confirm: _given, ...rest } = one.arguments;
    const { answer, recorder } = await perform(one.tool, { ...rest, ...confirm }, one.answers);
    expect(answer.isError).toBe(true);
    expect(answer.text).toMatch(/^confirmation_required/);
    expect(answer.text).toContain('ann+piano@example.com');
    expect(recorder.requests.filter(({ path }) => path === one.sends.path)).toEqual([]);
    const writes = recorder.requests.filter(({ method, path }) => method !== 'GET' && !isRead(path));
    expect(writes).toEqual([]);
  }
});

/** The only POST of the API that only reads. */
const isRead = (path: string): boolean => path.endsWith('/completion-percentage');
