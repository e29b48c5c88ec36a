import type * as z from 'zod';
import type { ListResponse, ParsedResponse, RecordResponse, ResponseSchema } from '../../contract/schemas/response.ts';
import { AcademyError, ApiError } from '../../shared/errors.ts';
import { isObject, type Json } from '../../shared/json.ts';
import { coerce, documented } from './coerce.ts';
import { hasError, isRefused } from './denial.ts';
import { apiWordsOf, wrappers } from './error-body.ts';

type Report = (path: string) => void;
function unexpected(what: string): AcademyError {
  return new AcademyError('unexpected_response', `the API answered 200, but ${what}: it could not be read`, {
    hint: 'Check that ACADEMY_BASE_URL is the address of the account; if it is, report this with the request id.',
  });
}

/** An error in the clothes of a success. */
function denied(body: unknown): AcademyError {
  const { code: apiCode, message: apiMessage } = apiWordsOf(body);
  const answer = { status: 200, apiCode, apiMessage };
  return new ApiError('unexpected_response', 'the API answered 200 with an error: it could not be read', answer);
}

function objectOf(body: unknown): Json {
  if (!isObject(body)) throw unexpected('its body is not the JSON object that this operation answers with');
  return body;
}

/** Takes an object out of the one key it may stand under: `{"course": {...}}`, `{"data": {...}}` or `{...}`. */
function recordUnder(key: string, schema: z.ZodObject, body: Json): Json {
  const isOwn = (name: string) => Object.hasOwn(schema.shape, name);
  const keyed = body[key];
  if (isObject(keyed) && !isOwn(key)) return keyed;
  const names = Object.keys(body);
  const only = names.length === 1 ? body[names[0] ?? ''] : undefined;
  if (isObject(only) && !isOwn(names[0] ?? '')) return only;
  // Beside a wrapper there may be `success`, `status` or `meta`, but less of the record than within.
  const wrapper = names.find((name) => wrappers.has(name) && isObject(body[name]) && name !== 'meta');
  const wrapped = wrapper === undefined ? undefined : body[wrapper];
  if (!isObject(wrapped)) return body;
  const inner = recordUnder(key, schema, wrapped);
  return fieldsHeld(schema, inner) > fieldsHeld(schema, body) ? inner : body;
}

/** How many of the fields that the document shows are there. */
function fieldsHeld(schema: z.ZodObject, body: Json): number {
  const shown = documented(schema, body);
  return Object.keys(schema.shape).filter((name) => shown[name] !== undefined && shown[name] !== null).length;
}

/** The record that an answer holds, as it came: bare, under its key or in a wrapper. */
export function recordIn(answer: RecordResponse, body: Json): Json {
  const record = recordUnder(answer.key, answer.schema, body);
  const keyed = record[answer.key];
  return isObject(keyed) && !Object.hasOwn(answer.schema.shape, answer.key) ? keyed : record;
}

/** Whether anything that an operation answers with is there: in the body itself, or in what it holds. */
function holdsAny(schema: z.ZodObject, body: Json, depth = 0): boolean {
  if (fieldsHeld(schema, body) > 0) return true;
  return depth < 2 && Object.values(body).some((value) => isObject(value) && holdsAny(schema, value, depth + 1));
}

/** A 200 that says of itself that nothing could be read, or that holds nothing, is no empty record. */
function assertReadable(schema: z.ZodObject, body: Json): void {
  const isHeld = holdsAny(schema, body);
  if (isRefused(body) || (hasError(body) && !isHeld)) throw denied(body);
  if (!isHeld) throw unexpected('it shows none of the fields that this operation answers with');
}

function readRecord(answer: RecordResponse, body: unknown, report: Report): Json {
  return coerce(answer.schema, recordIn(answer, objectOf(body)), report);
}

/** Never what was asked for, even where it is the only list. */
const notTheList = /^(errors?|warnings?|messages?|notices?|links)$/i;

/** A list stands bare, under its key, or under the only key that holds an array. */
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
  // Beside an error not even a list with entries is known to be whole.
  if (isObject(body) && (isRefused(body) || hasError(body))) throw denied(body);
  const entries = listIn(answer.key, body);
  if (entries.length > 0 && !entries.some(isObject)) throw unexpected('its list holds no records');
  const records = entries.filter(isObject);
  // One that is odd may be shown as it is; where all are, this is no list of what was asked for.
  const isStrange = records.length > 0 && !records.some((record) => holdsAny(answer.item, record));
  if (isStrange) throw unexpected('its records show none of the fields that this operation answers with');
  // An entry that is no record is counted, and the others are read.
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
 * Reads the body of a 2xx answer. Throws `unexpected_response` where it cannot be what the operation answers.
 * `report` hears the path of each single value that could not be read. The answer of a write need not hold anything.
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
  // The one place where a checked value gets its type: coerce() has read it by the schema that the type comes from.
  return read as ParsedResponse<A>;
}

/** For a write whose body is empty or lost: nothing is known of the record, and that is no error. */
export function emptyAnswer<A extends ResponseSchema>(answer: A): ParsedResponse<A> {
  return (answer.kind === 'list' ? { items: [] } : {}) as ParsedResponse<A>;
}
