import type { Oracle } from '../../task.ts';

const email = 'harvey.begum@example.org';

export const oracle: Oracle = async ({ call }) => {
  const roles = (await call('list_roles')).rows('roles');
  const idOf = (name: string) => roles.find((role) => role.name === name)?.id;
  await call('grant_role', { email, role_id: idOf('Moderator') });
  await call('revoke_role', { email, role_id: idOf('Alumni'), confirm: true });
  return 'Harvey is a moderator now, and no longer an alumnus.';
};
