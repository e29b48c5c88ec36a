import { createHash } from 'node:crypto';
import type * as z from 'zod';
import { type EventName, events } from '../contract/events.ts';
import { getOrder } from '../contract/orders.ts';
import { studentEmail } from '../contract/schemas/shared-arguments.ts';
import { isObject, type Json } from '../shared/json.ts';
import { trimmed } from './trimmed.ts';

// A payload comes from anyone who knows the address. Only fields that the API document shows are kept.

/** An order id becomes a path segment, and some platforms send it as a number. */
function orderId(value: unknown): string | undefined {
  const text = typeof value === 'number' ? String(value) : value;
  return getOrder.params.order_id.safeParse(text).data;
}

const isWholeNumber = (value: unknown): value is number => Number.isSafeInteger(value);

/** What the check of an event needs: the order, or the student. Undefined if the payload lacks it. */
function identityOf(event: EventName, payload: Json): Json | undefined {
  if (event === 'new_order') {
    const id = orderId(payload.id);
    return id === undefined ? undefined : { id };
  }
  const email = studentEmail.safeParse(payload.email).data;
  if (email === undefined) return undefined;
  if (event === 'course_completed' && !isWholeNumber(payload.course_id)) return undefined;
  return { ...(isWholeNumber(payload.id) ? { id: payload.id } : {}), email };
}

function knownFields(schema: z.ZodObject, payload: Json): Json {
  const kept = Object.entries(schema.shape).flatMap(([name, field]) => {
    const value = (field as z.ZodType).safeParse(payload[name]);
    return value.success && value.data !== null && value.data !== undefined ? [[name, value.data]] : [];
  });
  return Object.fromEntries(kept);
}

/** The fields of an event that are kept, or undefined if the body cannot be one. Never throws. */
export function readPayload(event: EventName, body: unknown): Json | undefined {
  if (!isObject(body)) return undefined;
  const identity = identityOf(event, body);
  if (identity === undefined) return undefined;
  const { id: _id, email: _email, ...others } = knownFields(events[event], body);
  return { ...identity, ...trimmed(others) };
}

/** The same for each delivery of one event: senders deliver at least once. */
export function deliveryKey(event: EventName, { id, email, course_id }: Json, body: Buffer): string {
  const hash = createHash('sha256').update(JSON.stringify([event, id, email, course_id]));
  return hash.update(body).digest('base64url');
}
