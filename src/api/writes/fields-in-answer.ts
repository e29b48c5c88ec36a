import type { Operation } from '../../contract/operation.ts';
import { isObject, type Json } from '../../shared/json.ts';
import { recordIn } from '../http/decode.ts';
import { meaningOf } from './meaning.ts';

/** The sent fields that an answer to a write shows. */
export type FieldsInAnswer = ReadonlyMap<string, unknown>;

const nothingShown: FieldsInAnswer = new Map();

/** A group may be an object, a name or an id. */
function channelFields({ group, group_id = isObject(group) ? group.id : undefined, ...channel }: Json): Json {
  const none = group === null && group_id === undefined ? { group_id: null } : {};
  return { ...channel, ...none, ...(group_id === undefined ? {} : { group_id }) };
}

/** Attributes may be in an object of their own. */
function withAttributes(record: Json): Json {
  const { attributes, ...own } = record;
  return isObject(attributes) ? { ...own, ...attributes } : own;
}

/** Whether the record has another id or slug than the one that was written. Such a record proves nothing. */
function isAnother({ effect, path }: Operation, input: Json, record: Json): boolean {
  // The end of an update's path names the record itself; that of a create names its parent.
  const [, key = ''] = (effect === 'update' && /:(\w+)$/.exec(path)) || [];
  const given = input[key];
  if (given === undefined) return false;
  const known = [record.id, record.slug].filter((value) => value !== undefined && value !== null);
  if (known.length === 0 || known.some((value) => String(value) === String(given))) return false;
  // With a new title a platform may assign a new slug: the title then identifies the record.
  const renamed = ['title', 'name'].some((name) => input[name] !== undefined && input[name] === record[name]);
  return /^\d+$/.test(String(given)) || !renamed;
}

/**
 * A message for people, such as `{title: "Saved"}`, is not a record: a record has an id, its own key, or more fields.
 */
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

/** What the JSON of an answer shows of the effect: sent fields, or what the operation changes; empty if it shows nothing. */
export function fieldsInAnswer(operation: Operation, input: Json, body: unknown): FieldsInAnswer {
  const { shown } = meaningOf(operation);
  if (shown === 'record') return shownRecord(operation, input, body);
  return isObject(body) ? shown(input, body) : nothingShown;
}

/** Whether the answer to an update shows another record than the one that was updated, or a new one is in another course. */
export function showsOtherRecord(operation: Operation, input: Json, body: unknown): boolean {
  if (operation.response.kind !== 'record' || operation.effect === 'read' || !isObject(body)) return false;
  const record = withAttributes(recordIn(operation.response, body));
  if (operation.effect === 'update') return isAnother(operation, input, record);
  const { course_id: course = input.course_id } = record;
  return course !== null && String(course) !== String(input.course_id);
}

/** Whether the answer to a create shows the new record. */
export function showsCreatedRecord({ response }: Operation, body: unknown): boolean {
  if (response.kind !== 'record' || !isObject(body)) return false;
  const { id } = withAttributes(recordIn(response, body));
  return id !== undefined && id !== null;
}
