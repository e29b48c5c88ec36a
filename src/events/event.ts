import * as z from 'zod';
import { eventNames } from '../contract/events.ts';
import { cutAt } from '../shared/clean-text.ts';
import { isObject, type Json } from '../shared/json.ts';

const json = z.record(z.string(), z.unknown());

const finding = z.object({
  /** `verified`: the API shows it. `not_verified`: it shows something else, or cannot show it. `discarded`: it does not have it. */
  state: z.enum(['verified', 'not_verified', 'discarded']),
  /** Why it is not verified, in words of this program. */
  why: z.string().max(300).optional(),
  /** What the API shows, for a verified event. Not cleaned. */
  facts: json.optional(),
  /** When the API showed this, in milliseconds since 1970. */
  checkedAt: z.number(),
});

const receivedEvent = z.object({
  /** Unique, and the same in every process. */
  id: z.string().min(1).max(100),
  /** The same for two deliveries of one event. */
  key: z.string().min(1).max(100),
  event: z.enum(eventNames),
  /** Milliseconds since 1970. */
  receivedAt: z.number(),
  /** What the sender claims. Anyone who knows the address can send it, so it is no fact. Not cleaned. */
  claims: json,
  /** Undefined until the API has been read. */
  finding: finding.optional(),
});

export type Finding = Omit<z.infer<typeof finding>, 'checkedAt'>;
export type ReceivedEvent = Readonly<z.infer<typeof receivedEvent>>;

/** A later line with the same id has the finding. Undefined for a line of another program, or cut by a crash. */
export function readLine(text: string): ReceivedEvent | undefined {
  try {
    return receivedEvent.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

export const stateOf = ({ finding }: ReceivedEvent) => finding?.state ?? 'not_read_yet';

/** Characters of one text. An answer to an assignment can be as long as its writer likes. */
const maxText = 2_000;
const maxDepth = 4;
const maxRecord = 16_000;

function trimValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return value.length > maxText ? `${cutAt(value, maxText)}…` : value;
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= maxDepth) return undefined;
  if (Array.isArray(value)) return value.map((entry) => trimValue(entry, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, trimValue(field, depth + 1)]));
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
