import type { CallOptions } from '../../api/api.ts';
import { alreadyThereNote, nothingSentError } from '../../api/writes/before-send.ts';
import { recentMs } from '../../api/writes/known-orders.ts';
import type { enrollStudent } from '../../contract/access.ts';
import type { InputOf } from '../../contract/operation.ts';
import type { ParsedResponse } from '../../contract/schemas/response.ts';
import { isCertain, type Look, standingBy } from '../../insights/enrollment/judge-holdings.ts';
import type { Grant, Holdings } from '../../insights/enrollment/plan.ts';
import { holds, isGrantedOrder, productRef, type SoldOrder } from '../../insights/sales/sold-order.ts';
import type { ToolContext } from '../../mcp/tool.ts';
import { AcademyError } from '../../shared/errors.ts';
import { lookAt } from './read-holdings.ts';

export type Enrolling = InputOf<typeof enrollStudent>;
type Answer = ParsedResponse<(typeof enrollStudent)['response']>;
type Send = (input: Enrolling, options?: CallOptions) => Promise<Answer>;

/** What a look before an enrollment has shown, and what was sent. */
export interface EnrolledOnce {
  readonly answer: Answer;
  /** Undefined where nothing was sent, since all of it is held. */
  readonly sent: Enrolling | undefined;
  /** What is held already and was not sent. */
  readonly held: Grant;
  /** Why it cannot be told whether the rest is held. */
  readonly doubt: string | undefined;
  /** A name was given that the student does not have, and it was not sent. */
  readonly isNameLeft: boolean;
}

/** Where the API cannot be asked for now, nothing is sent. */
async function lookFirst(input: Enrolling, { api }: ToolContext): Promise<Look> {
  try {
    return await lookAt(api, input.email);
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

function without(input: Enrolling, held: Grant): Enrolling {
  return Object.fromEntries(Object.entries(input).filter(([name]) => !(name in held))) as Enrolling;
}

/** A grant of the last minutes with another name may be the same call, corrected: whether it is done, the caller decides. */
function assertSameCall({ orders }: Look, held: Grant, now: number): void {
  const refs = grantedRefs(held);
  const isYoung = ({ at }: SoldOrder) => at !== undefined && now - at < recentMs;
  const grant = orders.find(
    (order) => isGrantedOrder(order) && isYoung(order) && refs.some((ref) => holds(order, ref)),
  );
  if (grant === undefined) return;
  alreadyThereNote({
    state: 'seen',
    where: 'list_orders',
    isIdentical: false,
    found: `an order of amount 0 of ${grant.created_at}`,
  });
}

function grantedRefs({ course_id, bundle_id }: Grant): string[] {
  return [
    ...(course_id === undefined ? [] : [productRef('course', course_id)]),
    ...(bundle_id === undefined ? [] : [productRef('bundle', bundle_id)]),
  ];
}

/** Gives a student what they do not hold. Looks first: a grant is an order that cannot be deleted. */
export async function enrollOnce(input: Enrolling, context: ToolContext, send: Send): Promise<EnrolledOnce> {
  const beginning = performance.now();
  const look = await lookFirst(input, context);
  const holdings = standingBy(look, input);
  const held = heldOf(input, holdings);
  const sent = without(input, held);
  const isAllHeld = sent.course_id === undefined && sent.bundle_id === undefined;
  const isNameLeft = isAllHeld && input.name !== undefined && input.name !== holdings.name;
  if (isNameLeft) assertSameCall(look, held, context.now().getTime());
  if (isAllHeld) return { answer: {}, sent: undefined, held, doubt: undefined, isNameLeft };
  // Where it cannot be told, the client looks once more for an equal grant of the last minutes.
  const answer = await send(sent, isCertain(holdings) ? { checkedAt: beginning } : {});
  return { answer, sent, held, doubt: holdings.why, isNameLeft };
}

/** Without a look: it was asked to grant it whatever is held, or names no product, or ACADEMY_PREFLIGHT is off. */
export async function enrollUnseen(input: Enrolling, send: Send): Promise<EnrolledOnce> {
  return { answer: await send(input), sent: input, held: {}, doubt: undefined, isNameLeft: false };
}
