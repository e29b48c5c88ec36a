import type * as z from 'zod';
import type { ListResponse, ParsedResponse, RecordResponse, ResponseSchema } from '../../contract/schemas/response.ts';
import { AcademyError, ApiError } from '../../shared/errors.ts';
import { isObject, type Json } from '../../shared/json.ts';
import { coerce, withDocumentedNames } from './coerce.ts';
import { parseErrorBody, wrapperKeys } from './error-body.ts';
import { containsError, reportsFailure } from './success-body.ts';

type Report = (path: string) => void;
function unexpected(what: string): AcademyError {
  return new AcademyError('unexpected_response', `the API answered 200, but ${what}: it could not be read`, {
    hint: 'Check that ACADEMY_BASE_URL is the address of the account; if it is, report this with the request id.',
  });
}

/** The error for a 200 whose body is an error. */
function denied(body: unknown): AcademyError {
  const { code: apiCode, message: apiMessage } = parseErrorBody(body);
  const answer = { status: 200, apiCode, apiMessage };
  return new ApiError('unexpected_response', 'the API answered 200 with an error: it could not be read', answer);
}

function objectOf(body: unknown): Json {
  if (!isObject(body)) throw unexpected('its body is not the JSON object of this operation');
  return body;
}

/** Finds the record in a body: `{"course": {...}}`, `{"data": {...}}` or `{...}`. */
function recordUnder(key: string, schema: z.ZodObject, body: Json): Json {
  const isOwn = (name: string) => Object.hasOwn(schema.shape, name);
  const keyed = body[key];
  if (isObject(keyed) && !isOwn(key)) return keyed;
  const names = Object.keys(body);
  const only = names.length === 1 ? body[names[0] ?? ''] : undefined;
  if (isObject(only) && !isOwn(names[0] ?? '')) return only;
  // `success`, `status` or `meta` may be beside a wrapper. The wrapper then holds more fields of the record.
  const wrapper = names.find((name) => wrapperKeys.has(name) && isObject(body[name]) && name !== 'meta');
  const wrapped = wrapper === undefined ? undefined : body[wrapper];
  if (!isObject(wrapped)) return body;
  const inner = recordUnder(key, schema, wrapped);
  return fieldsHeld(schema, inner) > fieldsHeld(schema, body) ? inner : body;
}

/** How many of the documented fields are present. */
function fieldsHeld(schema: z.ZodObject, body: Json): number {
  const shown = withDocumentedNames(schema, body);
  return Object.keys(schema.shape).filter((name) => shown[name] !== undefined && shown[name] !== null).length;
}

/** The record in an answer, unchanged: bare, under its key or in a wrapper. */
export function recordIn(answer: RecordResponse, body: Json): Json {
  const record = recordUnder(answer.key, answer.schema, body);
  const keyed = record[answer.key];
  return isObject(keyed) && !Object.hasOwn(answer.schema.shape, answer.key) ? keyed : record;
}

/** Whether any documented field is present, in the body itself or in its objects. */
function holdsAny(schema: z.ZodObject, body: Json, depth = 0): boolean {
  if (fieldsHeld(schema, body) > 0) return true;
  return depth < 2 && Object.values(body).some((value) => isObject(value) && holdsAny(schema, value, depth + 1));
}

/** A 200 that reports an error, or holds no documented field, is not an empty record. */
function assertReadable(schema: z.ZodObject, body: Json): void {
  const isHeld = holdsAny(schema, body);
  if (reportsFailure(body) || (containsError(body) && !isHeld)) throw denied(body);
  if (!isHeld) throw unexpected('it has none of the fields of this operation');
}

function readRecord(answer: RecordResponse, body: unknown, report: Report): Json {
  return coerce(answer.schema, recordIn(answer, objectOf(body)), report);
}

/** Keys of lists that are never the records, even if no other list is present. */
const notTheList = /^(errors?|warnings?|messages?|notices?|links)$/i;

/** Finds the list: bare, under its key, or under the only key with an array. */
function listIn(key: string, body: unknown): unknown[] {
  if (Array.isArray(body)) return body;
  const object = objectOf(body);
  if (Array.isArray(object[key])) return object[key];
  const arrays = Object.entries(object).filter(([name, value]) => Array.isArray(value) && !notTheList.test(name));
  const [, only] = arrays.length === 1 ? (arrays[0] ?? []) : [];
  if (Array.isArray(only)) return only;
  throw unexpected('it holds no list');
}

function readList(answer: ListResponse, body: unknown, report: Report): Json {
  // Beside an error even a list with entries may be incomplete.
  if (isObject(body) && (reportsFailure(body) || containsError(body))) throw denied(body);
  const entries = listIn(answer.key, body);
  if (entries.length > 0 && !entries.some(isObject)) throw unexpected('its list holds no records');
  const records = entries.filter(isObject);
  // One strange record is shown as it is. If all records are strange, this is not the documented list.
  const isStrange = records.length > 0 && !records.some((record) => holdsAny(answer.item, record));
  if (isStrange) throw unexpected('its records have none of the fields of this operation');
  // Counts an entry that is not a record, and reads the others.
  const items = entries.flatMap((entry, index) => {
    if (isObject(entry)) return [coerce(answer.item, entry, report)];
    report(`$.items.${index}`);
    return [];
  });
  const beside = isObject(body) ? coerce(answer.extra, body, report) : {};
  const { [answer.key]: _list, ...rest } = beside;
  return { ...rest, items };
}

/**
 * Reads the body of a 2xx answer. Throws `unexpected_response` if it cannot be the answer of this operation. `report`
 * receives the path of each value that could not be read. The answer of a write may be empty.
 */
export function decodeAnswer<A extends ResponseSchema>(
  answer: A,
  body: unknown,
  report: Report,
  isWrite = false,
): ParsedResponse<A> {
  if (answer.kind !== 'list' && !isWrite) assertReadable(answer.schema, objectOf(body));
  const read =
    answer.kind === 'list'
      ? readList(answer, body, report)
      : answer.kind === 'record'
        ? readRecord(answer, body, report)
        : coerce(answer.schema, recordUnder('', answer.schema, objectOf(body)), report);
  // The only cast of a checked value: coerce() has read it by the schema of this type.
  return read as ParsedResponse<A>;
}

/** The answer of a write whose body is empty or lost: nothing is known of the record, and that is no error. */
export function emptyAnswer<A extends ResponseSchema>(answer: A): ParsedResponse<A> {
  return (answer.kind === 'list' ? { items: [] } : {}) as ParsedResponse<A>;
}
