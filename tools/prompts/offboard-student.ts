import * as z from 'zod';
import { email } from '../../src/contract/schemas/input-fields.ts';
import { definePrompt } from '../../src/mcp/prompt.ts';

export const offboardStudent = definePrompt({
  name: 'offboard_student',
  title: 'Offboard a student',
  description: 'Takes everything back from a student, after your yes to the whole plan.',
  needs: ['offboard_student', 'list_roles', 'revoke_bundle', 'revoke_course'],
  input: z.strictObject({ email: email('Email of the student') }),
  write: ({ email }) =>
    [
      `Help me to take access back from the student with the email ${email}.`,
      '',
      '1. The API does not show the roles of a student. Ask me whether to take roles, and get their ids from list_roles.',
      '2. Call offboard_student with the email, and role_ids if I named roles, without confirm. It changes nothing. If there is no such student, stop and tell me.',
      '3. Show me the whole plan: each step, what each order loses, and what cannot be taken. If I want to keep a product, take the others with revoke_bundle and revoke_course instead, each after my yes.',
      '4. After my yes to the plan, call offboard_student again with the same arguments and the confirmation that the answer asks for.',
      '5. If a step failed, was not started or has an unknown outcome, do what next says, with a new yes.',
      '',
      'Then report: what was taken, what the student still has, what could not be taken, and every step that failed or has an unknown outcome. No step refunds money: say so if there were payments.',
    ].join('\n'),
});
