import * as access from '../../src/contract/access.ts';
import { flag } from '../../src/contract/schemas/input-fields.ts';
import { productsIn } from '../../src/insights/students/holdings.ts';
import { defineApiTool } from '../../src/mcp/define-api-tool.ts';
import { called } from '../../src/mcp/titles.ts';
import type { Titles } from '../../src/mcp/tool.ts';
import { oneLine } from '../../src/shared/clean-text.ts';
import { refuseInput } from '../../src/shared/invalid-input.ts';
import { compact } from '../../src/shared/quote-text.ts';
import { type EnrollmentOutcome, enrollOnce, enrollWithoutCheck } from '../../src/workflows/enrollment/enroll-once.ts';
import { endUnread } from '../../src/workflows/students/access-days.ts';
import { accessOutput, presentAccessResult } from './access-result.ts';

const studentAlone =
  'no access was given: the call named no course or bundle, so only the student was created or updated';

const nameLeft =
  'the student exists, so the name was not written: rename: true, without a course or bundle that they hold, writes it';

/** `course 7 "Ink" and bundle 2 "All"`; empty if there is none. */
const namesOf = (products: EnrollmentOutcome['held'], titles: Titles) =>
  products.map(({ kind, id }) => called(kind, id, titles[`${kind}_id`])).join(' and ');

/** "access to course 7 ended on 2026-07-12"; empty if no access ended. */
const endsOf = ({ held, ended }: EnrollmentOutcome) =>
  held
    .flatMap(({ ref }) => (ended?.get(ref) === undefined ? [] : [`access to ${ref} ended on ${ended.get(ref)}`]))
    .join(' and ');

function noteOn(outcome: EnrollmentOutcome, titles: Titles) {
  const { sent, held, recent, doubt, namesakes, isNameLeft } = outcome;
  const over = endsOf(outcome);
  const [added, had] = [namesOf(productsIn(sent ?? {}), titles), namesOf(held, titles)];
  const seen =
    over === '' ? `the student already held ${had}, as list_orders and get_student_details show` : `orders list ${had}`;
  const there = recent === undefined ? seen : `${had} was ${recent}`;
  const notes = compact([
    sent !== undefined && added === '' && studentAlone,
    added !== '' && 'each given as a new paid order of amount 0',
    had !== '' && `${there}; ${sent === undefined ? 'nothing was sent' : 'it was not sent again'}`,
    over !== '' && `${over}, by the days of access of the product: even_if_held: true gives it again`,
    outcome.ended && held.some(({ kind, ref }) => kind === 'course' && !outcome.ended?.has(ref)) && endUnread,
    isNameLeft && nameLeft,
    namesakes,
    doubt && `it is not known whether it was held already: ${doubt}`,
  ]);
  return oneLine(notes.join('; '), 500) || undefined;
}

function summaryOf(email: string, outcome: EnrollmentOutcome, titles: Titles): string {
  const { sent, held, recent, doubt } = outcome;
  const had = namesOf(held, titles);
  if (sent === undefined && recent !== undefined)
    return `Nothing was sent. ${email} was given ${had} by this server a short time ago.`;
  const over = endsOf(outcome);
  if (sent === undefined && over !== '') return `Nothing was sent. Orders of ${email} list ${had}, but ${over}.`;
  if (sent === undefined) return `Nothing was sent. ${email} ${had === '' ? 'is a student' : `holds ${had}`} already.`;
  const added = namesOf(productsIn(sent), titles);
  if (added === '') return `Created or updated ${email}.`;
  return `Gave ${added} to ${email}.${doubt === undefined ? '' : ' It is unknown whether they held it already.'}`;
}

export const enrollStudent = defineApiTool({
  name: 'enroll_student',
  toolset: 'access',
  title: 'Enroll a student',
  description:
    'Gives one student or new person access to (adds, grants, lets into, puts in, signs up for) a course, bundle or both for free (gift, prize, seat), each as a paid order of amount 0; a new email makes a new student. Skips what is held unless even_if_held; in doubt it enrolls. Undo: revoke_course, revoke_bundle.',
  cost: {
    once: 4,
    'per product': 1,
    'per further page or email spelling': 1,
    'in doubt': 2,
    'per held course (2 for a challenge)': 1,
  },
  example: { email: 'freya.hargreaves@example.net', course_id: 3 },
  operation: access.enrollStudent,
  extra: {
    even_if_held: flag('Grants again what is held').optional(),
    rename: flag('Changes an existing name').optional(),
  },
  check: ({ name, rename }) => {
    if (rename === true && name === undefined) throw refuseInput(['rename needs name']);
  },
  output: accessOutput('course_id', 'bundle_id', 'note'),
  around: async ({ even_if_held: isAgain = false, rename: renames = false, ...input }, context, send) => {
    const isProduct = input.course_id !== undefined || input.bundle_id !== undefined;
    // After an identical call with unknown outcome, this one only looks for its result.
    const isUnknown = await context.isOutcomeUnknown(access.enrollStudent, input);
    const checks = isProduct && !isAgain && !isUnknown && context.checksBeforeCreate;
    const enroll = checks ? enrollOnce : enrollWithoutCheck;
    // Whether it is known who this is or not, the input of an unknown outcome is sent as it was: nothing leaves this program.
    const enrolled = await enroll(input, renames || isUnknown, context, send);
    return [enrolled.answer, enrolled];
  },
  present: (answer, { email, course_id, bundle_id }, titles, facts: EnrollmentOutcome) => {
    const { sent, held, orderIds: order_ids = [] } = facts;
    const more = {
      ...(sent === undefined && { outcome: 'already_there' }),
      order_ids,
      already_held: held.map(({ ref }) => ref),
    };
    const target = { email, course_id, bundle_id, note: noteOn(facts, titles) };
    return presentAccessResult(summaryOf(email, facts, titles), target, answer, more);
  },
});
