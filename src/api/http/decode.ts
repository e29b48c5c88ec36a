import type { Logger } from 'pino';
import type * as z from 'zod';
import type { AnswerOf, Operation } from '../../contract/operation.ts';
import type { ListResponse, ParsedResponse, ResponseSchema } from '../../contract/schemas/response.ts';
import { AcademyError, ApiError } from '../../shared/errors.ts';
import { isObject, type Json } from '../../shared/json.ts';
import { containsError, reportsFailure } from '../writes/write-outcome.ts';
import { noteFacts, noteListClaims } from './answer-facts.ts';
import { type AttemptResult, ageIn } from './attempt-result.ts';
import { coerce, type Report } from './coerce.ts';
import { parseErrorBody, successOf, unreadableResponseError } from './errors.ts';

function unexpected(what: string): AcademyError {
  return new AcademyError('unexpected_response', `the API answered 200, but ${what}: it could not be read`, {
    hint: 'Check that ACADEMY_BASE_URL is the address of the account; if it is, report this with the request id.',
  });
}

function denied(body: unknown): AcademyError {
  const answer = { status: 200, ...parseErrorBody(body) };
  return new ApiError('unexpected_response', 'the API answered 200 with an error: it could not be read', answer);
}

/** The record in an answer: bare or under its key, and all of it maybe under `data`. An open one has all fields beside it. */
export function recordIn(answer: Exclude<ResponseSchema, ListResponse>, body: Json): Json {
  const under = (name: string, from: Json) => {
    const inner = Object.hasOwn(answer.schema.shape, name) ? undefined : from[name];
    return isObject(inner) ? inner : undefined;
  };
  const whole = under('data', body) ?? body;
  if (answer.kind === 'object') return whole;
  const record = under(answer.key, whole);
  if (record === undefined) return whole;
  const { [answer.key]: _record, ...beside } = whole;
  return answer.form === 'open' ? { ...beside, ...record } : record;
}

const notTheList = /^(errors?|warnings?|messages?|notices?|links)$/i;

/** The list in an answer: bare, under its key, or under the only key with a list. */
function listIn(key: string, body: unknown): readonly unknown[] | undefined {
  if (Array.isArray(body)) return body;
  if (!isObject(body)) return undefined;
  if (Array.isArray(body[key])) return body[key];
  const lists = Object.entries(body).filter(([name, value]) => Array.isArray(value) && !notTheList.test(name));
  return lists.length === 1 ? (lists[0]?.[1] as unknown[]) : undefined;
}

/** Whether any documented field is present, in the record itself or `depth` objects below it. */
function holdsAny(schema: z.ZodObject, record: Json, depth = 0): boolean {
  const isHeld = Object.keys(schema.shape).some((name) => record[name] !== undefined && record[name] !== null);
  return (
    isHeld || (depth > 0 && Object.values(record).some((one) => isObject(one) && holdsAny(schema, one, depth - 1)))
  );
}

/** A record whose schema has an id has one of these. */
const identities = ['id', 'email', 'slug'];

/** A 200 that reports an error, or is not the record, is not an empty record. */
function assertReadable({ kind, schema }: ResponseSchema & { schema: z.ZodObject }, body: Json, record: Json): void {
  const isNamed = kind === 'object' || !('id' in schema.shape) || identities.some((name) => record[name] !== undefined);
  const isHeld = isNamed && holdsAny(schema, record);
  if (reportsFailure(body) || (containsError(body) && !isHeld)) throw denied(body);
  if (!isHeld) throw unexpected('it has none of the fields of this operation');
}

function readList(answer: ListResponse, body: unknown, report: Report): Json {
  // Beside an error even a list with entries may be incomplete.
  if (isObject(body) && (reportsFailure(body) || containsError(body))) throw denied(body);
  const entries = listIn(answer.key, body);
  if (entries === undefined) throw unexpected('it holds no list');
  const records = entries.filter(isObject);
  if (entries.length > 0 && records.length === 0) throw unexpected('its list holds no records');
  // One strange record is shown as it is. If all records are strange, this is not the documented list.
  const isStrange = records.length > 0 && !records.some((record) => holdsAny(answer.item, record, 2));
  if (isStrange) throw unexpected('its records have none of the fields of this operation');
  const items = entries.flatMap((entry, index) => {
    if (isObject(entry)) return [coerce(answer.item, entry, report)];
    report(`$.items.${index}`);
    return [];
  });
  const { [answer.key]: _list, ...rest } = isObject(body) ? coerce(answer.extra, body, report) : {};
  return { ...rest, items };
}

/** Throws `unexpected_response`. `report` receives the path of each value that could not be read. */
export function decodeAnswer<A extends ResponseSchema>(
  answer: A,
  body: unknown,
  report: Report,
  isWrite = false,
): ParsedResponse<A> {
  // Casts of checked values: coerce() reads them by the schema of this type.
  if (answer.kind === 'list') return readList(answer, body, report) as ParsedResponse<A>;
  if (!isObject(body)) throw unexpected('its body is not the JSON object of this operation');
  const record = recordIn(answer, body);
  if (!isWrite) assertReadable(answer, body, record);
  return coerce(answer.schema, record, report) as ParsedResponse<A>;
}

export const anotherRecord = 'the API answered with another record than the one that was asked for';

/** Whether a record names another student, course or order than the question: a proxy may have kept it for another one. */
export function isAnotherRecord(input: object, answer: object): boolean {
  const wanted: Json = { ...input };
  const { id, email, slug, course }: Json = { ...answer };
  const foldedText = (value: unknown) => String(value).trim().toLowerCase();
  // A field that the record does not show proves nothing.
  const isOther = (wanted: unknown, ...fields: unknown[]) => {
    const shown = fields.filter((field) => typeof field === 'string' || typeof field === 'number').map(foldedText);
    return wanted !== undefined && shown.length > 0 && !shown.includes(foldedText(wanted));
  };
  const { id_or_slug: either } = wanted;
  if (either !== undefined) return isOther(either, slug, /^\d+$/.test(foldedText(either)) ? id : undefined);
  // The record of a completion has the id of the student.
  const student = wanted.user_email ?? wanted.email;
  if (student !== undefined) return isOther(student, email);
  if (isObject(course)) return isOther(wanted.course_id, course.id);
  const { course_id, bundle_id, digital_product_id, order_id, lesson_id } = wanted;
  return isOther(course_id ?? bundle_id ?? digital_product_id ?? order_id ?? lesson_id, id);
}

export type Decoder = ReturnType<typeof createDecoder>;

export function createDecoder(log: Logger) {
  function decode<O extends Operation>({ id, response, effect }: O, json: unknown, ageMs: number): AnswerOf<O> {
    const unreadable: string[] = [];
    const answer = decodeAnswer<O['response']>(response, json, (path) => unreadable.push(path), effect !== 'read');
    noteFacts(answer, { unreadable, ageMs });
    const fields = unreadable.slice(0, 20);
    if (fields.length > 0) log.warn({ operation: id, fields }, 'values of an unexpected type were left out');
    return answer;
  }

  return {
    read: <O extends Operation>(operation: O, attempt: AttemptResult): AnswerOf<O> => {
      const { response } = operation;
      const result = successOf(attempt);
      if (result.body !== 'json') throw unreadableResponseError(result);
      const answer = decode(operation, result.json, ageIn(result));
      if (response.kind === 'list' && 'items' in answer && Array.isArray(answer.items))
        noteListClaims(answer.items, response, result);
      return answer;
    },
    /** The record of a write, as far as this JSON shows one: nothing is known of it otherwise, and that is no error. */
    written: <O extends Operation>(operation: O, json: unknown): AnswerOf<O> =>
      decode(operation, isObject(json) ? json : {}, 0),
  };
}
