import * as access from '../../src/contract/access.ts';
import { flag } from '../../src/contract/schemas/input-fields.ts';
import { defineApiTool } from '../../src/mcp/define-api-tool.ts';
import type { Titles } from '../../src/mcp/tool.ts';
import { type EnrollmentOutcome, enrollOnce, enrollWithoutCheck } from '../../src/workflows/enrollment/enroll-once.ts';
import { grantText } from '../../src/workflows/enrollment/grant-text.ts';
import { accessOutput, presentAccessResult } from './access-result.ts';

const studentAlone =
  'no access was given: the call named no course or bundle, so only the student was created or updated';

function notesOn({ sent, held, recent, doubt, isNameLeft }: EnrollmentOutcome, titles: Titles): string[] {
  const [given, had] = [grantText(sent ?? {}, titles), grantText(held, titles)];
  const there =
    recent === undefined
      ? `the student already held ${had}, as list_orders and get_student_details show`
      : `${had} was ${recent}`;
  return [
    ...(sent !== undefined && given === '' ? [studentAlone] : []),
    ...(given === '' ? [] : ['each given as a new paid order of amount 0']),
    ...(had === '' ? [] : [sent === undefined ? `${there}; nothing was sent` : `${there}; it was not sent again`]),
    ...(isNameLeft ? ['the name was not written: to write it, call without a course or bundle'] : []),
    ...(doubt === undefined ? [] : [`it is not known whether it was held already: ${doubt}`]),
  ];
}

function summaryOf(email: string, { sent, held, recent, doubt }: EnrollmentOutcome, titles: Titles): string {
  if (sent === undefined)
    return `Nothing was sent. ${email} ${recent === undefined ? `holds ${grantText(held, titles)} already` : `was given ${grantText(held, titles)} by this server a short time ago`}.`;
  const given = grantText(sent, titles);
  if (given === '') return `Created or updated ${email}.`;
  return `Gave ${given} to ${email}.${doubt === undefined ? '' : ' It is unknown whether they held it already.'}`;
}

export const enrollStudent = defineApiTool({
  name: 'enroll_student',
  toolset: 'access',
  title: 'Enroll a student',
  description:
    'Gives one student a course, a bundle or both for free, each as a new paid order of amount 0; adds the student if the email is new. Skips what is held unless even_if_held; in doubt it enrolls and says so. Without course and bundle it writes only the student. revoke_course and revoke_bundle take access back.',
  cost: {
    requests: 3,
    plus: [
      { requests: 1, per: 'product' },
      { requests: 1, per: 'further page or email spelling' },
      { requests: 2, when: 'in doubt' },
    ],
  },
  example: { email: 'freya.hargreaves@example.net', course_id: 3 },
  operation: access.enrollStudent,
  extra: { even_if_held: flag('Grants again what is held').optional() },
  output: accessOutput('course_id', 'bundle_id', 'note'),
  around: async ({ even_if_held: isAgain = false, ...input }, context, send) => {
    const isProduct = input.course_id !== undefined || input.bundle_id !== undefined;
    // After an identical call with unknown outcome, this one only looks for its result.
    const isUnknown = await context.isOutcomeUnknown(access.enrollStudent, input);
    const checks = isProduct && !isAgain && !isUnknown && context.checksBeforeCreate;
    const enrolled = checks ? await enrollOnce(input, context, send) : await enrollWithoutCheck(input, send);
    return [enrolled.answer, enrolled];
  },
  present: (answer, { email, course_id, bundle_id }, titles, told: EnrollmentOutcome) => {
    const note = notesOn(told, titles).join('; ') || undefined;
    const outcome = told.sent === undefined ? { outcome: 'already_there' } : {};
    const held = Object.entries(told.held).map(([name, id]) => `${name.replace('_id', '')} ${id}`);
    const more = { ...outcome, ...(held.length > 0 ? { already_held: held } : {}) };
    return presentAccessResult(summaryOf(email, told, titles), { email, course_id, bundle_id, note }, answer, more);
  },
});
