import * as z from 'zod';
import { courseCompletion } from '../../src/contract/courses.ts';
import { events as payloads } from '../../src/contract/events.ts';
import { assignmentAnswer, projectPost, studentDetails } from '../../src/contract/students.ts';
import { type ReceivedEvent, stateOf } from '../../src/events/event.ts';
import { asOf, isoTime } from '../../src/insights/period.ts';
import { listOutput, showing } from '../../src/mcp/output/output-schemas.ts';
import { sanitizeRecord } from '../../src/mcp/output/sanitize.ts';
import { isObject, type Json } from '../../src/shared/json.ts';
import type { Order } from '../orders/order-products.ts';
import { orderRow, presentOrder } from '../orders/order-row.ts';

const plainRow = z.looseObject({
  event: z.string(),
  received_at: z.string(),
  check: z
    .string()
    .describe('verified: the other fields are from the API. Else the sender claims what is in untrusted'),
  checked_at: z.string().optional(),
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

export const eventsOutput = listOutput('events', eventRow, {
  unchecked: z.int().describe('Not read yet: the API limit allows few checks a minute'),
  discarded: z.int().describe('Received but unknown to the API: not shown'),
  kept_since: z.string(),
  note: z.string(),
  left: z.int(),
  next_cursor: z.string().describe('For older events'),
  new_cursor: z.string().describe('For events that arrive after this answer'),
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
  // Whoever sends an event claims the texts of the academy too.
  const { untrusted, academy_text: ours, ...others } = fields;
  return { ...others, ...(isObject(ours) ? ours : {}), ...(isObject(untrusted) ? untrusted : {}) };
}

/** One event in an answer. Only what the API shows is outside `untrusted`. */
export function presentEvent(received: ReceivedEvent): Json {
  const { event, receivedAt, finding } = received;
  const state = stateOf(received);
  const checkedAt = finding?.checkedAt;
  const checked = checkedAt === undefined ? {} : { checked_at: asOf(new Date(checkedAt)) };
  const common = { event, received_at: isoTime(receivedAt), check: state, ...checked };
  if (finding?.facts !== undefined && state === 'verified') {
    return { ...common, ...verifiedFields(received, finding.facts) };
  }
  const why = finding?.why;
  return { ...common, ...(why === undefined ? {} : { why }), untrusted: claimedFields(received) };
}
