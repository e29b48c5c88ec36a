import type { Saboteurs } from '../../task.ts';
import { also, does, says } from '../../wrong.ts';

const email = 'harvey.begum@example.org';
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
