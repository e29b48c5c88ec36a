import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import * as z from 'zod';
import { type EventName, eventNames, events } from '../contract/events.ts';
import { getOrder } from '../contract/orders.ts';
import { studentEmail } from '../contract/schemas/input-fields.ts';
import { isObject, type Json } from '../shared/json.ts';
import { sha256 } from '../shared/keyed-hash.ts';
import { trimmed } from './event.ts';

/** The account in the address if there is only one. */
export const defaultAccount = 'default';

export function webhookPath(account: string, event: EventName, secret: string): string {
  return `/webhooks/${account}/${event}/${secret}`;
}

export function webhookPaths(account: string, secret: string): { event: EventName; path: string }[] {
  return eventNames.map((event) => ({ event, path: webhookPath(account, event, secret) }));
}

/** Compared if the account is unknown, so that an unknown account takes as long as a wrong secret. */
const unmatchable = [sha256(randomBytes(32).toString('hex'))];

/** Finds what a path is for; undefined without a valid secret. An account has two while one is replaced. */
export function createAddressMatcher(secrets: ReadonlyMap<string, readonly string[]>) {
  const digests = new Map([...secrets].map(([account, texts]) => [account, texts.map(sha256)]));
  const names: ReadonlySet<string> = new Set(eventNames);
  return (path: string) => {
    const match = /^\/webhooks\/([^/]+)\/([^/]+)\/([^/]+)$/.exec(path);
    const [, account = '', event = '', secret = ''] = match ?? [];
    const hash = sha256(secret);
    // Compares with each secret, so that the time shows nothing.
    const isRight = (digests.get(account) ?? unmatchable).map((known) => timingSafeEqual(known, hash)).includes(true);
    if (match === null || !isRight || !names.has(event)) return undefined;
    return { account, event: event as EventName };
  };
}

// A payload comes from anyone who knows the address. Only fields that the API document shows are kept.

const student = z.object({ id: z.int().optional().catch(undefined), email: studentEmail });

/** What the check of an event needs: the order or, for every other event, the student. */
const identities: Partial<Record<EventName, z.ZodObject>> = {
  // Some platforms send the id as a number, which becomes a text here.
  new_order: z.object({ id: getOrder.params.order_id }),
  course_completed: student.extend({ course_id: z.int() }),
};

function knownFields(schema: z.ZodObject, payload: Json): Json {
  const kept = Object.entries(schema.shape).flatMap(([name, field]) => {
    const value = (field as z.ZodType).safeParse(payload[name]);
    return value.success && value.data !== null && value.data !== undefined ? [[name, value.data]] : [];
  });
  return Object.fromEntries(kept);
}

/** The fields of an event that are kept, or undefined if the body cannot be one. Never throws. */
export function readPayload(event: EventName, body: unknown): Json | undefined {
  const identity = (identities[event] ?? student).safeParse(body).data;
  if (identity === undefined || !isObject(body)) return undefined;
  return { ...trimmed(knownFields(events[event], body)), ...identity };
}

/** The same for each delivery of one event: senders deliver at least once. */
export function deliveryKey(event: EventName, { id, email, course_id }: Json, body: Buffer): string {
  const hash = createHash('sha256').update(JSON.stringify([event, id, email, course_id]));
  return hash.update(body).digest('base64url');
}
