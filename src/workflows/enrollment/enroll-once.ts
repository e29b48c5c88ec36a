import type { CallOptions } from '../../api/api.ts';
import { undefinedIfNotFound } from '../../api/partial-failure.ts';
import type { enrollStudent } from '../../contract/access.ts';
import type { AnswerOf, InputOf } from '../../contract/operation.ts';
import { getStudentDetails } from '../../contract/students.ts';
import { doubtOf, nameToSend, type StudentEvidence } from '../../insights/enrollment/plan.ts';
import type { ListedProduct } from '../../insights/sales/sold-order.ts';
import { productsIn, whoHolds } from '../../insights/students/holdings.ts';
import type { ToolContext } from '../../mcp/tool.ts';
import { AcademyError } from '../../shared/errors.ts';
import { readFirst } from '../batch.ts';
import { namesakesOf } from '../sales/read-orders.ts';
import { type EndedAccess, readEndedAccess } from '../students/access-days.ts';
import { grantedSince, readStudentEvidence } from './student-lookup.ts';

type EnrollInput = InputOf<typeof enrollStudent>;
type Answer = AnswerOf<typeof enrollStudent>;
type Send = (input: EnrollInput, options?: CallOptions) => Promise<Answer>;

export interface EnrollmentOutcome {
  readonly answer: Answer;
  /** Undefined if nothing was sent because everything is held. */
  readonly sent: EnrollInput | undefined;
  readonly held: readonly ListedProduct[];
  /** The day on which access to what is held ended, by ref, as far as it is known. */
  readonly ended?: EndedAccess | undefined;
  /** When this server gave what is held, if the API does not show it yet. */
  readonly recent?: string | undefined;
  /** Why it is not known whether the rest is held. */
  readonly doubt: string | undefined;
  /** Ids of the orders that were made, as far as the API shows them already. */
  readonly orderIds?: readonly string[];
  /** Other students of the name that a new student got. */
  readonly namesakes?: string | undefined;
  /** The given name was not sent: the student exists with another one, or may exist. */
  readonly isNameLeft: boolean;
}

function keepingName(input: EnrollInput, known: Pick<StudentEvidence, 'isStudent' | 'name'>): EnrollInput {
  const { name, ...others } = input;
  return nameToSend(name, known) === undefined ? others : input;
}

/** Grants a student what they do not hold. Checks first, since a grant is an order that cannot be deleted. */
export async function enrollOnce(
  input: EnrollInput,
  renames: boolean,
  context: ToolContext,
  send: Send,
): Promise<EnrollmentOutcome> {
  const startedAt = performance.now();
  const begun = context.now().getTime();
  const evidence = await readFirst(readStudentEvidence(input.email, context));
  // The platform may not show yet whom this server has just created.
  if (evidence.isStudent === false && input.name === undefined && !evidence.recent?.length)
    throw new AcademyError('invalid_input', `there is no student with the email ${input.email}; nothing was sent`, {
      hint: 'Check the spelling: list_students finds a student by name. Only for somebody new call again with a name.',
      outcome: 'not_applied',
    });
  const judged = productsIn(input).map((product) => ({ product, ...whoHolds(product, evidence) }));
  const holding = judged.filter(({ state }) => state === 'holds');
  const held = holding.map(({ product }) => product);
  const recent = holding.find((one) => one.recent !== undefined)?.recent;
  // Orders list a product also when its days of access are over. What was given just now has not ended.
  const maxRequests = context.spent() + 2 * held.length;
  const ended = recent === undefined ? await readEndedAccess(evidence, held, maxRequests, context) : undefined;
  if (holding.length === judged.length) {
    const isNameLeft = input.name !== undefined && input.name !== evidence.name;
    return { answer: {}, sent: undefined, held, ended, recent, doubt: undefined, isNameLeft };
  }
  const isHeld = (name: string) => held.some(({ kind }) => name === `${kind}_id`);
  const named = Object.entries(renames ? input : keepingName(input, evidence));
  const sent = Object.fromEntries(named.filter(([name]) => !isHeld(name))) as EnrollInput;
  const doubt = doubtOf(judged, evidence);
  // If it is not known, the client checks again for an identical recent grant.
  const journal = { old: { values: { held: false } } };
  const answer = await send(sent, doubt === undefined ? { checkedAt: startedAt, journal } : {});
  const namesakes = sent.name === undefined ? undefined : namesakesOf(sent, context);
  const madeFor = await grantedSince(begun, 1, context);
  const refs = productsIn(sent).map(({ ref }) => ref);
  const orderIds = madeFor(sent.email, refs);
  return { answer, sent, held, ended, recent, doubt, orderIds, namesakes, isNameLeft: sent.name !== input.name };
}

/** Enrolls without a look at what is held: even_if_held is true, no product is named, or ACADEMY_PREFLIGHT is off. */
export async function enrollWithoutCheck(
  input: EnrollInput,
  renames: boolean,
  context: ToolContext,
  send: Send,
): Promise<EnrollmentOutcome> {
  const { email, name } = input;
  // Who has this email now: one request.
  const reading = renames || name === undefined ? undefined : context.api.call(getStudentDetails, { email });
  const known = reading && (await readFirst(undefinedIfNotFound(reading)));
  const sent = reading ? keepingName(input, { isStudent: known !== undefined, name: known?.name }) : input;
  const rest = { held: [], doubt: undefined, isNameLeft: sent.name !== input.name };
  const isNothing = rest.isNameLeft && sent.course_id === undefined && sent.bundle_id === undefined;
  if (isNothing) return { answer: {}, sent: undefined, ...rest };
  return { answer: await send(sent), sent, ...rest };
}
