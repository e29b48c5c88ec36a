import type * as z from 'zod';
import type { Answer, ListAnswer, ParsedAnswer, RecordAnswer } from '../contract/answer.ts';
import { AcademyError } from '../errors.ts';
import { isObject, tolerate } from './tolerate.ts';

type Report = (path: string) => void;
type JsonObject = Record<string, unknown>;

function unexpected(what: string): AcademyError {
  return new AcademyError('unexpected_response', `the API answered 200, but ${what}`, {
    hint: 'Check that ACADEMY_BASE_URL is the address of the account; if it is, report this with the request id.',
  });
}

function objectOf(body: unknown): JsonObject {
  if (!isObject(body)) throw unexpected('its body is not the JSON object that this operation answers with');
  return body;
}

/** Takes an object out of the one key it may stand under: `{"course": {...}}` or `{...}`. */
function recordUnder(key: string, schema: z.ZodObject, body: JsonObject): JsonObject {
  const keyed = body[key];
  if (isObject(keyed) && !Object.hasOwn(schema.shape, key)) return keyed;
  const names = Object.keys(body);
  const only = names.length === 1 ? body[names[0] ?? ''] : undefined;
  return isObject(only) && !Object.hasOwn(schema.shape, names[0] ?? '') ? only : body;
}

function readRecord(answer: RecordAnswer, body: unknown, report: Report): JsonObject {
  return tolerate(answer.schema, recordUnder(answer.key, answer.schema, objectOf(body)), report);
}

/** A list stands bare, under its key, or under the only key that holds an array. */
function listIn(key: string, body: unknown): unknown[] {
  if (Array.isArray(body)) return body;
  const object = objectOf(body);
  if (Array.isArray(object[key])) return object[key];
  const arrays = Object.values(object).filter(Array.isArray);
  if (arrays.length === 1 && arrays[0] !== undefined) return arrays[0];
  throw unexpected('it holds no list');
}

function readList(answer: ListAnswer, body: unknown, report: Report): JsonObject {
  const items = listIn(answer.key, body).map((item) => {
    if (!isObject(item)) throw unexpected('its list holds something that is not a record');
    return tolerate(answer.item, item, report);
  });
  const beside = isObject(body) ? tolerate(answer.beside, body, report) : {};
  const { [answer.key]: _list, ...rest } = beside;
  return { ...rest, items };
}

/**
 * Reads the body of a 2xx answer. Throws `unexpected_response` where it cannot be what the operation answers.
 * `report` hears the path of each single value that could not be read.
 */
export function parseAnswer<A extends Answer>(answer: A, body: unknown, report: Report): ParsedAnswer<A> {
  const read =
    answer.kind === 'list'
      ? readList(answer, body, report)
      : answer.kind === 'record'
        ? readRecord(answer, body, report)
        : tolerate(answer.schema, recordUnder('', answer.schema, objectOf(body)), report);
  // The one place where a checked value gets its type: tolerate() has read it by the schema that the type comes from.
  return read as ParsedAnswer<A>;
}

/** For a write whose body is empty or lost: nothing is known of the record, and that is no error. */
export function emptyAnswer<A extends Answer>(answer: A): ParsedAnswer<A> {
  return (answer.kind === 'list' ? { items: [] } : {}) as ParsedAnswer<A>;
}
