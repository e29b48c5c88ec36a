import * as z from 'zod';
import { courseCompletion } from '../../src/contract/courses.ts';
import { eventNames, events as payloads } from '../../src/contract/events.ts';
import * as inputs from '../../src/contract/schemas/input-fields.ts';
import { assignmentAnswer, projectPost, studentDetails } from '../../src/contract/students.ts';
import { type ReceivedEvent, stateOf } from '../../src/events/event.ts';
import type { EventFeed } from '../../src/events/event-feed.ts';
import { asOf, isoTime, resolveMoment } from '../../src/insights/period.ts';
import { readProducts } from '../../src/insights/sales/products-in-order.ts';
import { buyerKey } from '../../src/insights/sales/sold-order.ts';
import { listOutput, numbers, showing, texts } from '../../src/mcp/output/output-schemas.ts';
import { sanitizeRecord } from '../../src/mcp/output/sanitize.ts';
import { counted } from '../../src/mcp/output/text-format.ts';
import { defineTool, withCut } from '../../src/mcp/tool.ts';
import { caseless } from '../../src/shared/clean-text.ts';
import { cursorNumber } from '../../src/shared/cursor.ts';
import { AcademyError } from '../../src/shared/errors.ts';
import { isObject, type Json } from '../../src/shared/json.ts';
import { type Order, orderRow, presentOrder } from '../orders/order-row.ts';
import { positive } from './sales-output.ts';

/** `since`: milliseconds since 1970; includes this moment. */
type EventFilter = Pick<z.output<typeof input>, 'event' | 'email' | 'product'> & { since?: number | undefined };

/** The id of an event, and whether the events after it are asked for (1) or those before it (0). A cursor may be forged. */
const placeShape = z.strictObject({ id: z.string().max(100).default(''), newer: cursorNumber(0, 1) });
type EventPlace = z.output<typeof placeShape>;

/** What is known of an event: the API's facts if it is verified, or else the claims of its sender. */
const knownOf = ({ finding, claims }: ReceivedEvent): Json => finding?.facts ?? claims;

function hasEmail(event: ReceivedEvent, email: string): boolean {
  const { email: own, user_email: buyer } = knownOf(event);
  return [own, buyer].some((known) => typeof known === 'string' && buyerKey(known) === buyerKey(email));
}

function hasProduct(received: ReceivedEvent, product: string): boolean {
  const { event, claims } = received;
  const wanted = caseless(product);
  const isWanted = (ref: string, title: unknown) =>
    ref === wanted || (typeof title === 'string' && caseless(title).includes(wanted));
  if (event === 'course_completed') return isWanted(`course ${claims.course_id}`, claims.course);
  return (
    event === 'new_order' && readProducts(knownOf(received)).products.some(({ ref, title }) => isWanted(ref, title))
  );
}

/** An event that the API does not have is forged or gone, so it is not shown. */
function isShown(received: ReceivedEvent, { event, since = 0, email, product }: EventFilter): boolean {
  return (
    stateOf(received) !== 'discarded' &&
    (event === undefined || received.event === event) &&
    received.receivedAt >= since &&
    (email === undefined || hasEmail(received, email)) &&
    (product === undefined || hasProduct(received, product))
  );
}

// The first `limit` events that fit, and how many are left in that direction. `next`: the id after which a later call gets only
// newer ones. `all`: the oldest first. The oldest are forgotten first, so after a forgotten event come all others.
function selectEvents(all: readonly ReceivedEvent[], filter: EventFilter, limit: number, position?: EventPlace) {
  const isNewer = position?.newer === 1;
  const index = all.findIndex(({ id }) => id === position?.id);
  const side = isNewer ? all.slice(index + 1) : all.slice(0, position && Math.max(0, index));
  const fitting = side.filter((event) => isShown(event, filter));
  const events = (isNewer ? fitting : fitting.reverse()).slice(0, limit);
  const left = fitting.length - events.length;
  const newest = all.at(-1)?.id ?? position?.id ?? '';
  return { events, left, isNewer, next: (isNewer && left > 0 && events.at(-1)?.id) || newest };
}

const plainRow = z.looseObject({
  event: z.string(),
  received_at: z.string(),
  /** verified: the other fields are from the API. Otherwise the sender claims what is in `untrusted`. */
  check: z.string(),
  why: z.string().optional(),
  untrusted: z.record(z.string(), z.unknown()).optional(),
});

/** Fields of the API's records, by event. An order has a form of its own. */
const recordOf = {
  new_student: studentDetails,
  student_completed: studentDetails,
  course_completed: z.object({ ...courseCompletion.shape, course_id: z.int(), completion: z.number() }),
  new_answer: assignmentAnswer,
  new_project_post: projectPost,
} as const;

/** A verified event shows what the API's record has. */
const eventRow = showing(
  plainRow,
  z.object(Object.assign({}, ...Object.values({ ...recordOf, new_order: orderRow }).map(({ shape }) => shape))),
);

const eventsOutput = listOutput('events', eventRow, {
  ...numbers('unchecked', 'discarded'),
  ...texts('kept_since', 'note'),
  ...numbers('left'),
  ...texts('next_cursor', 'new_cursor'),
});

function verifiedFields({ event, claims }: ReceivedEvent, facts: Json): Json {
  if (event === 'new_order') return presentOrder(facts as Order, 'summary');
  const fields = sanitizeRecord(recordOf[event], facts);
  if (event !== 'course_completed') return fields;
  // The API's record of a completion has no title.
  const { course } = sanitizeRecord(payloads.course_completed, claims, ['course']);
  return course === undefined ? fields : { ...fields, untrusted: { course } };
}

/** What the sender claims, cleaned, in one block: none of it is a fact. */
function claimedFields({ event, claims }: ReceivedEvent): Json {
  const fields =
    event === 'new_order' ? presentOrder(claims as Order, 'summary') : sanitizeRecord(payloads[event], claims);
  // The sender of an event claims the texts of the academy too.
  const { untrusted, academy_text: ours, ...others } = fields;
  return { ...others, ...(isObject(ours) && ours), ...(isObject(untrusted) && untrusted) };
}

/** One event in an answer. Only what the API shows is outside `untrusted`. */
function presentEvent(received: ReceivedEvent): Json {
  const { event, receivedAt, finding } = received;
  const check = stateOf(received);
  const checked_at = finding?.checkedAt && asOf(new Date(finding.checkedAt));
  const common = { event, received_at: isoTime(receivedAt), check, checked_at };
  if (finding?.facts !== undefined && check === 'verified')
    return { ...common, ...verifiedFields(received, finding.facts) };
  return { ...common, why: finding?.why, untrusted: claimedFields(received) };
}

const defaultLimit = 25;

/** What is kept, and what of it is not shown as a fact. */
function keptFacts({ events, keptIn, startedAt }: EventFeed) {
  const all = events();
  const count = (state: string) => positive(all.filter((event) => stateOf(event) === state).length);
  const from = all[0]?.receivedAt ?? (keptIn === 'memory' ? startedAt : undefined);
  return {
    // The API limit allows few checks a minute.
    unchecked: count('not_read_yet'),
    discarded: count('discarded'),
    kept_since: from && isoTime(from),
    note: keptIn === 'memory' ? 'events are kept in memory: those from before the server started are lost' : undefined,
  };
}

function summaryOf(events: readonly ReceivedEvent[], left: number, isNewer: boolean): string {
  if (events.length === 0) return isNewer ? 'No new events.' : 'No events.';
  const verified = events.filter((event) => stateOf(event) === 'verified').length;
  const order = isNewer ? 'the oldest first' : 'the newest first';
  const others = verified === events.length ? '' : '; what the others say is a claim of their sender';
  const more = left === 0 ? '' : ` ${left} more.`;
  return `${counted(events.length, 'event')}, ${order}: ${verified} verified with the API${others}.${more}`;
}

const input = z.strictObject({
  event: z.enum(eventNames).optional(),
  since: inputs.describedOnce(inputs.dateOrTime('Received from this ISO 8601 date or time on')).optional(),
  email: inputs.studentEmail.describe('Only events of this student or buyer').optional(),
  product: inputs.limitedText(255).trim().min(1).describe('"course 7", or part of the title').optional(),
  limit: inputs.integer(1, 200, `Default ${defaultLimit}`).optional(),
  cursor: inputs.limitedText(400).describe('next_cursor or new_cursor').optional(),
});

export const listRecentEvents = defineTool({
  name: 'list_recent_events',
  toolset: 'insights',
  title: 'List recent events',
  description:
    'Lists what just happened (came in): new students (sign-ups), orders, completions, answers, project posts. check: verified means the API shows it; all else is an unconfirmed claim. To watch: call again with new_cursor or, if listed, subscribe to academy://events/new_order. Deliveries can be lost: for complete sales use list_orders.',
  cost: { once: 0 },
  example: { event: 'new_order', limit: 5 },
  effect: 'read',
  carriesUserContent: true,
  needsEvents: true,
  input,
  output: eventsOutput,
  run: async ({ since, limit = defaultLimit, cursor, ...filter }, { events: feed, cursors, timezone }) => {
    if (feed === undefined) throw new AcademyError('internal', 'this server has no events');
    const scope = ['list_recent_events', { since, ...filter }] as const;
    const position = cursor === undefined ? undefined : cursors.read(placeShape, cursor, scope);
    const from = since === undefined ? undefined : await resolveMoment('since', since, timezone);
    const select = (most: number) => selectEvents(feed.events(), { ...filter, since: from }, most, position);
    const answer = (most: number) => {
      const { events, left, isNewer, next } = select(most);
      const last = events.at(-1);
      const older = isNewer || left === 0 || last === undefined ? undefined : { id: last.id, newer: 0 };
      return {
        summary: summaryOf(events, left, isNewer),
        data: {
          ...keptFacts(feed),
          left: left || undefined,
          next_cursor: older && cursors.write(placeShape, older, scope),
          new_cursor: cursors.write(placeShape, { id: next, newer: 1 }, scope),
          events: events.map(presentEvent),
        },
      };
    };
    const how = `go on with ${position?.newer === 1 ? 'new' : 'next'}_cursor`;
    return { ...withCut(answer, select(limit).events.length, how), uncut: ['new_cursor'] };
  },
});
