import * as z from 'zod';
import { email } from '../../src/contract/schemas/input-fields.ts';
import { definePrompt } from '../../src/mcp/prompt.ts';

export const offboardStudent = definePrompt({
  name: 'offboard_student',
  title: 'Offboard a student',
  description: 'Takes the access of a student back, step by step, each after your yes.',
  needs: ['get_student_details', 'revoke_bundle', 'revoke_course', 'list_roles', 'revoke_role', 'unenroll_student'],
  input: z.strictObject({ email: email('Email of the student') }),
  write: ({ email }) =>
    [
      `Help me to take back the access of the student with the email ${email}.`,
      '',
      '1. Call get_student_details. If there is no such student, stop and tell me.',
      '2. Show me who it is, the courses and bundles with their ids, what was paid and when. Ask me what to take away: bundles, courses, roles, the mark of a paying student. The API does not show the roles of a student: take one away only if I name it, and get its id from list_roles.',
      '3. In this order, and only what I named: revoke_bundle for each bundle, revoke_course for each course, revoke_role for each role, unenroll_student at the end. unenroll_student alone takes no access away.',
      '4. Call each first without confirm, show me what it says would be lost and kept, and confirm it only after my yes to this very step.',
      '5. Call get_student_details again.',
      '',
      'Then report: what was taken away, what the student still has, and every step that failed or is of unknown outcome. Money is not paid back by any of this: say so if there were payments.',
    ].join('\n'),
});
