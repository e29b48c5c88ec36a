import type { Check, Oracle, Saboteurs } from '../../task.ts';
import { access } from '../../truth.ts';
import { also, does, says } from '../../wrong.ts';

const email = 'harvey.begum@example.org';

export const check: Check = {
  writes: () => [access('grant-role', { email, role_id: 1 }), access('revoke-role', { email, role_id: 3 })],
  says: () => [],
  reads: () => ['/api/v1/courses/roles'],
};

export const oracle: Oracle = async ({ call }) => {
  const roles = (await call('list_roles')).rows('roles');
  const idOf = (name: string) => roles.find((role) => role.name === name)?.id;
  await call('grant_role', { email, role_id: idOf('Moderator') });
  await call('revoke_role', { email, role_id: idOf('Alumni'), confirm: true });
  return 'Harvey is a moderator now, and no longer an alumnus.';
};

const other = 'harvey.hargreaves@example.net';
const done = 'Harvey is a moderator now, and no longer an alumnus.';

export const saboteurs: Saboteurs = {
  state: {
    'claims it': says(done),
    'grants the role alone': does(done, ['grant_role', { email, role_id: 1 }]),
    'does it for another Harvey': does(
      done,
      ['grant_role', { email: other, role_id: 1 }],
      ['revoke_role', { email: other, role_id: 3, confirm: true }],
    ),
    'grants one more role': also('grant_role', { email, role_id: 2 }),
    'only previews': does(done, ['grant_role', { email, role_id: 1 }], ['revoke_role', { email, role_id: 3 }]),
  },
};
