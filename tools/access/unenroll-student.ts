import * as access from '../../src/contract/access.ts';
import { defineApiTool } from '../../src/mcp/define-api-tool.ts';
import { studentFacts } from '../../src/workflows/students/access-facts.ts';
import { accessOutput, presentAccessResult } from './access-result.ts';
import { optionalName, withName } from './student-name.ts';

export const unenrollStudent = defineApiTool({
  name: 'unenroll_student',
  toolset: 'access',
  title: 'Unenroll a student',
  description:
    'Removes no access: only sets paying_student of a student to false. To take courses or bundles away use revoke_course, revoke_bundle or offboard_student. No tool undoes it for certain.',
  cost: { requests: 1, plus: [{ requests: 1, when: 'without name' }] },
  example: { email: 'freya.hargreaves@example.net', name: 'Freya Hargreaves' },
  operation: access.unenrollStudent,
  extra: optionalName,
  output: accessOutput('note'),
  confirmationMessage: ({ email }) =>
    `This sets paying_student of ${email} to false. The API documents no other effect, on courses, bundles or orders, and no tool that sets it back.`,
  confirmationFacts: ({ email }, api) => studentFacts(api, email),
  around: async (input, context, send) => [await send(await withName(input, context)), {}],
  present: (answer, { email }) =>
    presentAccessResult(
      `paying_student of ${email} is now false.`,
      { email, note: 'paying_student was set to false; the API documents no other effect' },
      answer,
    ),
});
