import type { CallOptions } from '../../api/api.ts';
import { undefinedIfNotFound } from '../../api/partial-failure.ts';
import { recentMs } from '../../api/writes/known-records.ts';
import { alreadyThereNote, nothingSentError } from '../../api/writes/write.ts';
import type { enrollStudent } from '../../contract/access.ts';
import type { InputOf } from '../../contract/operation.ts';
import { listOrders } from '../../contract/orders.ts';
import type { ParsedResponse } from '../../contract/schemas/response.ts';
import { getStudentDetails } from '../../contract/students.ts';
import {
  type Grant,
  type Holdings,
  isCertain,
  judgeHoldings,
  type StudentEvidence,
} from '../../insights/enrollment/plan.ts';
import { holds, isGrantedOrder, productRef, type SoldOrder, soldOrder } from '../../insights/sales/sold-order.ts';
import type { ToolContext } from '../../mcp/tool.ts';
import { AcademyError } from '../../shared/errors.ts';
import { namesakesOf } from '../sales/read-orders.ts';
import { readStudentEvidence } from './student-lookup.ts';

type EnrollInput = InputOf<typeof enrollStudent>;
type Answer = ParsedResponse<(typeof enrollStudent)['response']>;
type Send = (input: EnrollInput, options?: CallOptions) => Promise<Answer>;

export interface EnrollmentOutcome {
  readonly answer: Answer;
  /** Undefined if nothing was sent because everything is held. */
  readonly sent: EnrollInput | undefined;
  /** Products that are already held and were not sent. */
  readonly held: Grant;
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

/** Reads what the student holds. If that fails, the error says that nothing was sent. */
async function checkFirst(input: EnrollInput, context: ToolContext): Promise<StudentEvidence> {
  try {
    return await readStudentEvidence(input.email, context);
  } catch (error) {
    throw error instanceof AcademyError ? nothingSentError(error) : error;
  }
}

function heldOf({ course_id, bundle_id }: Grant, { holdsCourse, holdsBundle }: Holdings): Grant {
  return {
    ...(course_id !== undefined && holdsCourse === true ? { course_id } : {}),
    ...(bundle_id !== undefined && holdsBundle === true ? { bundle_id } : {}),
  };
}

function without(input: EnrollInput, held: Grant): EnrollInput {
  return Object.fromEntries(Object.entries(input).filter(([name]) => !(name in held))) as EnrollInput;
}

/** A recent grant with another name may be the same call, corrected. Throws, so that the caller decides whether it is done. */
function refuseSimilarGrant({ orders }: StudentEvidence, held: Grant, now: number): void {
  const refs = grantedRefs(held);
  const isRecent = ({ at }: SoldOrder) => at !== undefined && now - at < recentMs;
  const grant = orders.find(
    (order) => isGrantedOrder(order) && isRecent(order) && refs.some((ref) => holds(order, ref)),
  );
  if (grant === undefined) return;
  alreadyThereNote({
    state: 'seen',
    where: 'list_orders',
    isIdentical: false,
    found: `an order of amount 0 of ${grant.created_at}`,
  });
}

export function grantedRefs({ course_id, bundle_id }: Grant): string[] {
  return [
    ...(course_id === undefined ? [] : [productRef('course', course_id)]),
    ...(bundle_id === undefined ? [] : [productRef('bundle', bundle_id)]),
  ];
}

/** The newest recent orders that give what was sent. One request, which never fails the call: its answer would be lost. */
async function madeOrders(sent: EnrollInput, { api, now }: ToolContext): Promise<readonly string[]> {
  // The bundle first: its order lists its courses too.
  const refs = grantedRefs(sent).reverse();
  const query = { user_email: sent.email, status: 'paid', page: 1, per_page: 10 } as const;
  const { items } = await api.call(listOrders, query).catch(() => ({ items: [] }));
  const isRecent = ({ at }: SoldOrder) => at !== undefined && Math.abs(now().getTime() - at) < recentMs;
  const made = items.map(soldOrder).filter((order) => isGrantedOrder(order) && isRecent(order));
  const ids = new Set<string>();
  for (const ref of refs) {
    const order = made.find((one) => holds(one, ref) && !ids.has(one.id));
    if (order !== undefined) ids.add(order.id);
  }
  return [...ids];
}

type Known = Partial<Pick<StudentEvidence, 'isStudent' | 'name'>>;

/**
 * Without a name that would replace the one of somebody who exists, or may exist. The same name changes nothing, and keeps the
 * call identical to an earlier one of unknown outcome that may have created the student.
 */
function keepingName(input: EnrollInput, { isStudent, name }: Known): EnrollInput {
  if (input.name === undefined || isStudent === false || input.name === name) return input;
  const { name: _name, ...others } = input;
  return others;
}

/** Who has this email now: one request. */
async function readPerson(email: string, { api }: ToolContext): Promise<Known> {
  try {
    const known = await undefinedIfNotFound(api.call(getStudentDetails, { email }));
    return { isStudent: known !== undefined, name: known?.name };
  } catch (error) {
    throw error instanceof AcademyError ? nothingSentError(error) : error;
  }
}

/** Grants a student what they do not hold. Checks first, since a grant is an order that cannot be deleted. */
export async function enrollOnce(
  input: EnrollInput,
  renames: boolean,
  context: ToolContext,
  send: Send,
): Promise<EnrollmentOutcome> {
  const startedAt = performance.now();
  const evidence = await checkFirst(input, context);
  const holdings = judgeHoldings(evidence, input);
  const held = heldOf(input, holdings);
  const named = renames ? input : keepingName(input, holdings);
  const sent = without(named, held);
  const isAllHeld = sent.course_id === undefined && sent.bundle_id === undefined;
  const isOther = input.name !== undefined && input.name !== holdings.name;
  if (isAllHeld && isOther) refuseSimilarGrant(evidence, held, context.now().getTime());
  if (isAllHeld)
    return { answer: {}, sent: undefined, held, recent: holdings.recent, doubt: undefined, isNameLeft: isOther };
  // If it is not known, the client checks again for an identical recent grant.
  const journal = { old: { values: { held: false } } };
  const answer = await send(sent, isCertain(holdings) ? { checkedAt: startedAt, journal } : {});
  const namesakes = sent.name === undefined ? undefined : namesakesOf(sent, context);
  const { recent, why: doubt } = holdings;
  const orderIds = await madeOrders(sent, context);
  return { answer, sent, held, recent, doubt, orderIds, namesakes, isNameLeft: sent.name !== input.name };
}

/** Enrolls without a look at what is held: even_if_held is true, no product is named, or ACADEMY_PREFLIGHT is off. */
export async function enrollWithoutCheck(
  input: EnrollInput,
  renames: boolean,
  context: ToolContext,
  send: Send,
): Promise<EnrollmentOutcome> {
  const isSentAsGiven = renames || input.name === undefined;
  const sent = isSentAsGiven ? input : keepingName(input, await readPerson(input.email, context));
  const isNameLeft = sent.name !== input.name;
  const isNothing = isNameLeft && sent.course_id === undefined && sent.bundle_id === undefined;
  if (isNothing) return { answer: {}, sent: undefined, held: {}, doubt: undefined, isNameLeft };
  return { answer: await send(sent), sent, held: {}, doubt: undefined, isNameLeft };
}
