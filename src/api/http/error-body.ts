import { oneLine } from '../../shared/clean-text.ts';
import { isObject } from '../../shared/json.ts';

/** The API's code and message of a failure, cleaned and cut. */
export interface ErrorBodyText {
  readonly code: string | undefined;
  readonly message: string | undefined;
}

const maxApiText = 500;
const maxCode = 60;
const maxReasons = 10;
const deepest = 4;

const messageKeys = ['message', 'error', 'detail', 'details', 'error_description', 'error_message', 'reason', 'title'];

/** A text on one line, not yet cut; undefined for an empty text or another type. */
export function lineOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? oneLine(value, Number.MAX_SAFE_INTEGER) : undefined;
}

/** "title: can't be blank" for `{title: ["can't be blank"]}`. Rails uses `base` for a whole record. */
function ofField(name: string, reason: string): string {
  return /^(base|\d+)$/.test(name) ? reason : `${oneLine(name, maxCode)}: ${reason}`;
}

/** The reasons in an error of any form: a text, a list, an object with a message, or a list per field. */
function reasonsIn(value: unknown, depth = 0): string[] {
  const text = lineOf(value);
  if (text !== undefined) return [text];
  if (depth > deepest) return [];
  if (Array.isArray(value)) return value.slice(0, maxReasons).flatMap((entry) => reasonsIn(entry, depth + 1));
  if (!isObject(value)) return [];
  const said = messageKeys.flatMap((key) => (lineOf(value[key]) === undefined ? [] : [lineOf(value[key]) ?? '']));
  const own = said.slice(0, 1);
  const inner = value.errors === undefined ? [] : reasonsIn(value.errors, depth + 1);
  if (own.length > 0 || inner.length > 0) return [...own, ...inner];
  // A code or a pointer beside the message is not a reason.
  const fields = Object.entries(value).filter(([name]) => !['code', 'status', 'source', 'id'].includes(name));
  return fields.flatMap(([name, entry]) => reasonsIn(entry, depth + 1).map((reason) => ofField(name, reason)));
}

/** Joins the reasons, each once: the document's `error` often repeats the message of the first of `errors`. */
function joined(reasons: readonly string[]): string | undefined {
  const each = [...new Set(reasons)].slice(0, maxReasons);
  if (each.length === 0) return undefined;
  const [first = '', ...others] = each;
  const rest = others.filter((reason) => !first.includes(reason));
  return oneLine(rest.length === 0 ? first : `${first.replace(/[.:]$/, '')}: ${rest.join('; ')}`, maxApiText);
}

/** An error such as "endpoint_not_available" is a code, not a sentence. */
const codePattern = /^[a-z0-9]+(_[a-z0-9]+)+$/i;

function codeIn(body: Record<string, unknown>): string | undefined {
  const { error, errors } = body;
  const listed: unknown = Array.isArray(errors) ? errors.find(isObject) : errors;
  const places = [listed, body, error].filter(isObject);
  const codes = places.flatMap(({ code }) => lineOf(code) ?? []);
  const bare = [error, body.status, body.type].flatMap((value) => lineOf(value) ?? []);
  return (codes[0] ?? bare.find((text) => codePattern.test(text)))?.slice(0, maxCode);
}

/** The code and message of an error body. API document: "Errors". Other forms are accepted too. */
export function parseErrorBody(body: unknown): ErrorBodyText {
  if (!isObject(body)) return { code: undefined, message: joined(reasonsIn(body)) };
  const error = reasonsIn(body.error);
  const beside = messageKeys.flatMap((key) => (key === 'error' ? [] : (lineOf(body[key]) ?? []))).slice(0, 1);
  const message = joined([...error, ...beside, ...reasonsIn(body.errors)]);
  const inner = message === undefined && isObject(body.data) ? parseErrorBody(body.data) : undefined;
  return { code: codeIn(body) ?? inner?.code, message: message ?? inner?.message };
}

const reasonKeys = /^(errors?|messages?|details?|warnings)$/i;

/**
 * The list of supported fields. The document promises it but does not give its key, so this takes any array of strings,
 * except those that are reasons.
 */
export function supportedFieldsIn(body: unknown, isReason = false): readonly string[] | undefined {
  const isList = Array.isArray(body) && body.length > 0 && body.every((entry) => typeof entry === 'string');
  if (isList) return isReason ? undefined : body.slice(0, 50).map((entry: string) => oneLine(entry, maxCode));
  if (!isObject(body) && !Array.isArray(body)) return undefined;
  for (const [key, value] of Object.entries(body)) {
    // In `errors: {title: ["is invalid"]}` the lists are reasons; in `errors: [{supported: [...]}]` they are not.
    const isBelow =
      reasonKeys.test(key) ||
      (isReason && !Array.isArray(body) && Array.isArray(value) && !/support|allow|permit|valid/i.test(key));
    const isItem = isReason && Array.isArray(body) && isObject(value);
    const found = supportedFieldsIn(value, isItem ? false : isBelow);
    if (found !== undefined) return found;
  }
  return undefined;
}
