import * as z from 'zod';
import { acknowledgement } from '../access.ts';
import { bundle } from '../bundles.ts';
import { channel } from '../community.ts';
import { course } from '../courses.ts';
import { digitalProduct } from '../digital-products.ts';
import { eventNames, events } from '../events.ts';
import { operations } from '../index.ts';
import type { Operation } from '../operation.ts';
import { order } from '../orders.ts';
import { product } from '../products.ts';
import { lesson } from '../schemas/lesson.ts';
import type { ResponseSchema } from '../schemas/response.ts';
import { student } from '../students.ts';
import { operationIdOf } from './json-schema.ts';

/** Names of records. Every other answer is named by its operation. */
const records = {
  Acknowledgement: acknowledgement.schema,
  Bundle: bundle,
  Channel: channel,
  Course: course,
  DigitalProduct: digitalProduct,
  Lesson: lesson,
  Order: order,
  Product: product,
  Student: student,
};

function bodySchema(response: ResponseSchema): z.ZodObject {
  if (response.kind === 'list') return z.object({ [response.key]: z.array(response.item), ...response.extra.shape });
  return response.kind === 'record' && response.keyed ? z.object({ [response.key]: response.schema }) : response.schema;
}

const upperFirst = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** Every schema that the API sends, by the name that it has in the document. */
export const answerNames = z.registry<{ id: string }>();

function nameIfNew(schema: z.ZodType, id: string): string {
  const name = answerNames.get(schema)?.id;
  if (name === undefined) answerNames.add(schema, { id });
  return name ?? id;
}

for (const [name, schema] of Object.entries(records)) nameIfNew(schema, name);

const byOperation = new Map<string, string>(
  operations.map(({ id, response }) => [id, nameIfNew(bodySchema(response), `${upperFirst(operationIdOf(id))}Answer`)]),
);

/** The name of the schema of an operation's answer. */
export const answerName = ({ id }: Operation): string => byOperation.get(id) ?? '';

const eventId = (event: string) => `${event.split('_').map(upperFirst).join('')}Event`;

/** The name of the schema of each event's payload. */
export const payloadNames: ReadonlyMap<string, string> = new Map(
  eventNames.map((event) => [event, nameIfNew(events[event], eventId(event))]),
);

/** Reads whose answer, or a part of it, is not in the API document. */
const unshownReads = [
  'community.searchChannels',
  'community.getChannel',
  'community.listCommunityGroups',
  'students.getStudentDetails',
  'students.listCompletedStudents',
  'students.listAssignmentAnswers',
  'students.listProjectPosts',
];

/** Whether the API document shows the fields of the answer. It shows no answer of a write. */
export function isShown({ id, effect }: Operation): boolean {
  return effect === 'read' && !unshownReads.includes(id);
}
