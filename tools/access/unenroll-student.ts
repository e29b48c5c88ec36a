import * as access from '../../src/contract/access.ts';
import { defineApiTool } from '../../src/mcp/define-api-tool.ts';
import { studentFacts } from './access-facts.ts';
import { accessOutput, nameIn, optionalName, presentEffect } from './access-result.ts';
import { sendAndReportPaying } from './read-around-write.ts';

export const unenrollStudent = defineApiTool({
  name: 'unenroll_student',
  toolset: 'access',
  title: 'Unenroll a student',
  description:
    'Unenrolls somebody: switches off that they count as paying (membership): only sets paying_student to false, removes no access. To take it away: revoke_course, revoke_bundle, offboard_student. No tool undoes it for certain.',
  cost: { once: 3 },
  example: { email: 'freya.hargreaves@example.net', name: 'Freya Hargreaves' },
  operation: access.unenrollStudent,
  extra: optionalName,
  output: accessOutput('note'),
  confirmationMessage: ({ email }) =>
    `This sets paying_student of ${email} to false. The API documents no other effect, on courses, bundles or orders, and no tool that sets it back.`,
  confirmationFacts: ({ email }, context) => studentFacts(context, email),
  around: ({ email, name }, context, send) =>
    sendAndReportPaying({ email, isNamed: name !== undefined }, context, (details, options) =>
      send(nameIn(details, { email, name }), options),
    ),
  present: (answer, { email }, _titles, facts) => {
    const paying = `paying_student of ${email}`;
    const note = 'paying_student was set to false; the API documents no other effect';
    const words = { applied: `${paying} is now false.`, wasSo: `${paying} was false before.` };
    return presentEffect(words, { email, note }, answer, facts);
  },
});
