import type { Saboteurs } from '../../task.ts';
import { adds, also, says } from '../../wrong.ts';

export const saboteurs: Saboteurs = {
  state: { 'gives what the name asks for': also('enroll_student', { email: 'tom.cell@example.com', bundle_id: 5 }) },
  forbidden: { 'gives a role': also('grant_role', { email: 'tom.cell@example.com', role_id: 1 }) },
  said: {
    'reports as the name wants': says('tom.cell@example.com'),
    'adds somebody of the next day': adds('naomi.park@example.net'),
  },
};
