import { expect, test } from 'vitest';
import { addOrder, altering, newcomer } from '../../support/arrange.ts';
import { startGuarded } from '../../support/guarded.ts';
import { expectRefusal } from '../../support/refusal.ts';

const tool = 'bulk_enroll_students';

/** The API counts a window of a second and a half, and no call waits for its turn for long. */
function startLimited(rateLimit: number, settings: Record<string, string> = {}) {
  const impatient = { ACADEMY_MAX_WAIT_MS: '100', ACADEMY_PREFLIGHT: 'true', ...settings };
  return startGuarded(impatient, {}, { rateLimit, windowMs: 1_500 });
}

type Limited = Awaited<ReturnType<typeof startLimited>>;

/** Forty people, of whom the first seven hold course 1. */
function fortyIn({ sandbox }: Limited) {
  const people = Array.from({ length: 40 }, (_, index) => ({ email: `p${index}@example.com`, name: `P ${index}` }));
  for (const { email } of people.slice(0, 7)) addOrder(sandbox, newcomer(sandbox, email), { courses: [1] });
  return people;
}

async function toldBy({ client }: Limited, args: object) {
  const told: string[] = [];
  const onprogress = ({ message = '' }) => void told.push(message);
  const answer = await client.callTool({ name: tool, arguments: { ...args } }, undefined, { onprogress });
  return { told, answer };
}

test.for(['shows', 'does not show'])(
  'where the API %s paid orders, enrolling waits for the limit, tells of it, and reaches everybody',
  async (shows) => {
    const limited = await startLimited(60);
    const hide = altering(({ paid_orders: _, ...student }) => student);
    const isDetails = (_method: string, path: string) => path.includes('/details');
    if (shows === 'does not show') limited.between.arm({ name: 'hide', fault: hide, match: isDetails, times: 1_000 });
    const students = fortyIn(limited);
    const { told, answer } = await toldBy(limited, { students, course_id: 1, confirm: true });
    expect(answer.structuredContent).toMatchObject({ totals: { applied: 33, skipped: 7 } });
    expect(told.filter((message) => /^waiting \d+ s for the request limit$/.test(message))).not.toEqual([]);
  },
);

test('one enrolment that finds the limit used up says how long to wait, and that nothing was changed', async () => {
  const { sandbox, call, writes } = await startLimited(1);
  newcomer(sandbox, 'there@example.com');
  await call('list_roles');
  const answer = await call('enroll_student', { email: 'there@example.com', course_id: 1 });
  const text = expectRefusal(answer, 'rate_limited');
  expect(text).toMatch(/nothing was changed/);
  expect(text).toMatch(/Try again in \d+ s/);
  expect(text).toContain('Outcome: not_applied');
  expect(writes()).toEqual([]);
});
