import * as z from 'zod';
import { type EventName, eventNames } from '../contract/events.ts';
import { cutAt } from '../shared/clean-text.ts';
import { isObject, type Json } from '../shared/json.ts';

/**
 * `not_read_yet`: the API has not been read since. `verified`: the API shows it. `not_verified`: the API shows something else
 * or cannot show it. `discarded`: the API does not have the record.
 */
type CheckState = 'not_read_yet' | 'verified' | 'not_verified' | 'discarded';

/** What reading the API showed about an event. */
export interface Finding {
  readonly state: Exclude<CheckState, 'not_read_yet'>;
  /** Why it is not verified, in words of this program. */
  readonly why?: string | undefined;
  /** What the API shows, for a verified event. Not cleaned. */
  readonly facts?: Json | undefined;
  /** When the API showed this, in milliseconds since 1970; undefined in a line of an older version. */
  readonly checkedAt?: number | undefined;
}

/** One received event of one account. */
export interface ReceivedEvent {
  /** Unique among the events of the account, and the same in every process. */
  readonly id: string;
  /** The same for two deliveries of one event. */
  readonly key: string;
  readonly event: EventName;
  /** Milliseconds since 1970. */
  readonly receivedAt: number;
  /** What the sender claims. Anyone who knows the address can send it, so it is no fact. Not cleaned. */
  readonly claims: Json;
  readonly finding: Finding | undefined;
}

export const stateOf = ({ finding }: ReceivedEvent): CheckState => finding?.state ?? 'not_read_yet';

const json = z.record(z.string(), z.unknown());

const received = z.object({
  account: z.string(),
  id: z.string().min(1).max(100),
  key: z.string().min(1).max(100),
  event: z.enum(eventNames),
  received_at: z.number(),
  claims: json,
});

const checked = z.object({
  account: z.string(),
  checks: z.string().min(1).max(100),
  state: z.enum(['verified', 'not_verified', 'discarded']),
  why: z.string().max(300).optional(),
  facts: json.optional(),
  checked_at: z.number().optional(),
});

/** A line of the events file: an event, or what the API showed about an earlier one. */
export type EventLine = z.infer<typeof received> | z.infer<typeof checked>;

const anyLine = z.union([received, checked]);

/** Undefined for a line that a crash cut, or that another program wrote. */
export function readLine(text: string): EventLine | undefined {
  try {
    return anyLine.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

export function lineOf(account: string, { id, key, event, receivedAt, claims }: ReceivedEvent): EventLine {
  return { account, id, key, event, received_at: receivedAt, claims };
}

export function checkLineOf(account: string, id: string, { state, why, facts, checkedAt }: Finding): EventLine {
  return { account, checks: id, state, why, facts, checked_at: checkedAt };
}

/** Characters of one text. An answer to an assignment can be as long as its writer likes. */
const maxText = 2_000;
const maxEntries = 50;
const maxDepth = 4;
/** Characters of the JSON of one record. */
const maxRecord = 16_000;

function trimValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return value.length > maxText ? `${cutAt(value, maxText)}…` : value;
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= maxDepth) return undefined;
  if (Array.isArray(value)) return value.slice(0, maxEntries).map((entry) => trimValue(entry, depth + 1));
  const fields = Object.entries(value).slice(0, maxEntries);
  return Object.fromEntries(fields.map(([name, field]) => [name, trimValue(field, depth + 1)]));
}

/** A record with a bounded size, since any number of them is stored. Fields that would exceed the bound are left out. */
export function trimmed(record: Json): Json {
  const value = trimValue(record, 0);
  let left = maxRecord;
  const fits = Object.entries(isObject(value) ? value : {}).filter(([name, field]) => {
    left -= name.length + (JSON.stringify(field)?.length ?? 0);
    return left >= 0;
  });
  return Object.fromEntries(fits);
}
