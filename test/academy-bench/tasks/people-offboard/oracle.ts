import type { Oracle } from '../../task.ts';

export const oracle: Oracle = async ({ call }) => {
  const email = 'poppy.pemberton@example.org';
  const plan = await call('offboard_student', { email });
  await call('offboard_student', { email, confirm: true });
  const kept = /Not taken: digital product \d+ "([^"]+)"/.exec(plan.text)?.[1];
  return `Poppy has no course left and does not count as paying. The download ${kept} cannot be taken away.`;
};
