import * as z from 'zod';
import { revokeBundle, revokeRole, unenrollStudent } from '../../src/contract/access.ts';
import { id } from '../../src/contract/schemas/input-fields.ts';
import { studentEmail } from '../../src/contract/schemas/shared-arguments.ts';
import { defineTool } from '../../src/mcp/tool.ts';
import { patient } from '../../src/workflows/enrollment/student-lookup.ts';
import { readEndedAccess } from '../../src/workflows/students/ended-access.ts';
import { offboard } from '../../src/workflows/students/offboard-student.ts';
import { readOffboarding } from '../../src/workflows/students/plan-offboarding.ts';
import { offboardingLines } from './offboard-student-plan.ts';
import { offboardingOutput, presentOffboarding } from './offboard-student-result.ts';

export const offboardStudent = defineTool({
  name: 'offboard_student',
  toolset: 'insights',
  title: 'Offboard a student',
  description:
    'Removes everything that a student who leaves has access to: bundles, courses, the roles in role_ids, then paying_student. Without confirm it returns the plan: steps, orders of each product, what cannot be taken. With confirm it takes them and reads back. After a partial failure call it again. No refund. For one product: revoke_course, revoke_bundle.',
  cost: {
    requests: 4,
    plus: [
      { requests: [1, 3], per: 'step' },
      { requests: 3, per: 'further page or email spelling' },
      { requests: [0, 3], when: 'for roles and bundles' },
    ],
  },
  example: { email: 'freya.hargreaves@example.net' },
  effect: 'destroy',
  repeat: 'same_effect',
  consent: true,
  writes: [revokeBundle, revokeRole, unenrollStudent],
  showsPlan: true,
  scope: 'academy:access',
  carriesUserContent: false,
  input: z.strictObject({
    email: studentEmail,
    role_ids: z
      .array(id('Role id'))
      .min(1)
      .max(20)
      .describe('From list_roles; the API does not show whose they are')
      .optional(),
  }),
  confirmationMessage: ({ email, role_ids = [] }) => {
    const roles = role_ids.length === 0 ? 'no role' : `the roles ${role_ids.join(', ')}`;
    return `This takes everything from ${email} that they hold when it runs, ${roles}, and their paying status. sales_report and find_buyers no longer count the orders for what is taken off them.`;
  },
  confirmationFacts: async ({ email, role_ids = [] }, context) => {
    const waiting = patient(context);
    const reading = await readOffboarding(waiting, email, role_ids);
    const ended = await readEndedAccess(reading, Number.POSITIVE_INFINITY, waiting);
    return offboardingLines(email, role_ids, reading, { ended, allowance: context.budget() });
  },
  output: offboardingOutput,
  run: async ({ email, role_ids = [] }, context) =>
    presentOffboarding(email, role_ids, await offboard(email, role_ids, context), context),
});
