import { createChannel, updateChannel } from '../../contract/community.ts';
import { createLesson, updateLesson } from '../../contract/courses.ts';
import type { Operation } from '../../contract/operation.ts';
import { updateProduct } from '../../contract/products.ts';
import { isObject, type Json } from '../../shared/json.ts';
import { recordIn } from '../http/decode.ts';
import { accessInAnswer } from './access-in-answer.ts';

/** What an answer to a write shows of the fields that were sent. */
export type FieldsInAnswer = ReadonlyMap<string, unknown>;

const nothingShown: FieldsInAnswer = new Map();

/** A group may be an object, a name or an id. */
function channelFields({ group, group_id = isObject(group) ? group.id : undefined, ...channel }: Json): Json {
  const none = group === null && group_id === undefined ? { group_id: null } : {};
  return { ...channel, ...none, ...(group_id === undefined ? {} : { group_id }) };
}

/** Attributes may stand in an object of their own. */
function withAttributes(record: Json): Json {
  const { attributes, ...own } = record;
  return isObject(attributes) ? { ...own, ...attributes } : own;
}

/** Some other record proves nothing: an id that is shown must be the one that was written. */
function isAnother({ params }: Operation, input: Json, record: Json): boolean {
  const given = input.lesson_id ?? input.id_or_slug;
  if (Object.keys(params).length === 0 || given === undefined) return false;
  const known = [record.id, record.slug].filter((value) => value !== undefined && value !== null);
  if (known.length === 0 || known.some((value) => String(value) === String(given))) return false;
  // With another title a platform may give another slug: such a record is known by the title.
  const renamed = ['title', 'name'].some((name) => input[name] !== undefined && input[name] === record[name]);
  return /^\d+$/.test(String(given)) || !renamed;
}

/** A text for the person, such as `{title: "Saved"}`, is no record: that has an id, a key of its own, or more fields. */
function isRecord(record: Json, body: Json, fields: readonly string[]): boolean {
  return record !== body || record.id !== undefined || fields.filter((name) => name in record).length > 1;
}

function shownRecord(operation: Operation, input: Json, body: unknown): FieldsInAnswer {
  const { response } = operation;
  if (response.kind !== 'record' || !isObject(body)) return nothingShown;
  const found = recordIn(response, body);
  const record = withAttributes(found);
  const fields = Object.keys(operation.body);
  if (!isRecord(found, body, fields) || isAnother(operation, input, record)) return nothingShown;
  const shown = operation.envelope === 'channel' ? channelFields(record) : record;
  return new Map(fields.flatMap((name) => (shown[name] === undefined ? [] : [[name, shown[name]] as const])));
}

const recordWrites: ReadonlySet<string> = new Set(
  [createLesson, updateLesson, updateProduct, createChannel, updateChannel].map(({ id }) => id),
);

/** Reads from the JSON of an answer what it shows of what was sent; empty where it shows nothing of it. */
export function fieldsInAnswer(operation: Operation, input: Json, body: unknown): FieldsInAnswer {
  return recordWrites.has(operation.id) ? shownRecord(operation, input, body) : accessInAnswer(operation, input, body);
}

/** Whether the answer to an update shows some other record than the one that was meant. */
export function showsOtherRecord(operation: Operation, input: Json, body: unknown): boolean {
  if (operation.response.kind !== 'record' || operation.effect !== 'update' || !isObject(body)) return false;
  return isAnother(operation, input, withAttributes(recordIn(operation.response, body)));
}

/** Whether an answer to a create shows the record that was made. */
export function showsCreatedRecord({ response }: Operation, body: unknown): boolean {
  if (response.kind !== 'record' || !isObject(body)) return false;
  const { id } = withAttributes(recordIn(response, body));
  return id !== undefined && id !== null;
}
