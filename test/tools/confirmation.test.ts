import { expect, test } from 'vitest';
import type { Row } from '../support/academy.ts';
import { startAcademy } from '../support/connect.ts';
import { expectApiRefusal, expectRefusal, requestsOf } from '../support/refusal.ts';
import { type Academy, enrolled, ordersOf } from '../support/student.ts';

const destructive: [tool: string, args: Row, fact: string][] = [
  ['unenroll_student', { name: 'New Student' }, 'paying_student'],
  ['revoke_course', { name: 'New Student', course_id: 1 }, 'course 1'],
  ['revoke_bundle', { bundle_id: 2 }, 'bundle 2'],
  ['revoke_role', { role_id: 3 }, 'role 3'],
  ['reset_course_progress', { course_id: 1 }, 'course 1'],
  ['reset_bundle_progress', { bundle_id: 2 }, 'bundle 2'],
];

/** Everything of a student that a destructive tool could change. */
async function stateOf(academy: Academy, email: string) {
  const student = academy.sandbox.academy.students.withEmail(email);
  const progress = academy.sandbox.academy.progress.count(student?.id ?? 0);
  return { student: { ...student }, progress, orders: await ordersOf(academy, email) };
}

test.for(destructive)(
  '%s without confirm: true states its effect, from facts that it reads, and changes nothing',
  async ([tool, args, fact]) => {
    const academy = await startAcademy();
    const { email } = await enrolled(academy);
    const before = await stateOf(academy, email);
    for (const confirm of [{}, { confirm: false }]) {
      const answer = await academy.call(tool, { email, ...args, ...confirm });
      const text = expectRefusal(answer, 'confirmation_required');
      expect(text).toContain(email);
      expect(text).toContain(fact);
      expect(text).toContain('Outcome: not_applied');
      expect(text).toMatch(/Student: ".+" <.+>/);
      expect(requestsOf(answer)).toBeGreaterThan(0);
    }
    expect(await stateOf(academy, email)).toEqual(before);
  },
);

test.for(destructive)('%s accepts no text and no number as a confirmation', async ([tool, args]) => {
  const academy = await startAcademy();
  const { email } = await enrolled(academy);
  const before = await stateOf(academy, email);
  for (const confirm of ['true', 'yes', 1]) {
    const answer = await academy.call(tool, { email, ...args, confirm });
    expect(expectRefusal(answer, 'invalid_input')).toContain('confirm');
    expect(requestsOf(answer)).toBe(0);
  }
  expect(await stateOf(academy, email)).toEqual(before);
});

test.for(destructive)('%s with confirm: true for an unknown student is not_found', async ([tool, args]) => {
  const { call } = await startAcademy();
  const answer = await call(tool, { email: 'nobody@example.com', ...args, confirm: true });
  expect(expectApiRefusal(answer, 'not_found', 404)).toContain('Outcome: not_applied');
});
