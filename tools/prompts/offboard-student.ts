import * as z from 'zod';
import { email } from '../../src/contract/schemas/input-fields.ts';
import { definePrompt } from '../../src/mcp/prompt.ts';

export const offboardStudent = definePrompt({
  name: 'offboard_student',
  title: 'Offboard a student',
  description: 'Takes access back from a student, step by step, each after your yes.',
  needs: ['get_student_details', 'revoke_bundle', 'revoke_course', 'list_roles', 'revoke_role', 'unenroll_student'],
  input: z.strictObject({ email: email('Email of the student') }),
  write: ({ email }) =>
    [
      `Help me to take access back from the student with the email ${email}.`,
      '',
      '1. Call get_student_details. If there is no such student, stop and tell me.',
      '2. Show me the student, the courses and bundles with their ids, and each payment with its date. Ask me what to take away: bundles, courses, roles, paying_student. The API does not show the roles of a student: take a role away only if I name it, and get its id from list_roles.',
      '3. Take away only what I named, in this order: revoke_bundle for each bundle, revoke_course for each course, revoke_role for each role, unenroll_student at the end. unenroll_student alone takes no access away.',
      '4. Call each tool without confirm first, show me what the student would lose and keep, and confirm only after my yes to that step.',
      '5. Call get_student_details again.',
      '',
      'Then report: what was taken away, what the student still has, and every step that failed or has an unknown outcome. No step refunds money: say so if there were payments.',
    ].join('\n'),
});
