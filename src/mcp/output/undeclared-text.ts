import type { Operation } from '../../contract/operation.ts';
import { fieldOf, type ResponseField } from '../../contract/schemas/response-text.ts';
import { AcademyError, type ApiAnswer, ApiError } from '../../shared/errors.ts';
import { isObject, type Json } from '../../shared/json.ts';

/** Error messages of the API that repeat nothing that people wrote: which record is missing, the key, the limit. */
const fixedMessages = [
  /^((the )?(record|endpoint|account|course|challenge|module|lesson|bundle|offer|product|digital product|project|channel|group|topic|post|order|student|user|role) )?(was |is )?not (found|available)[.!]?$/i,
  /^(the )?(api )?(key|token)( is)?( missing| invalid| or| not)+( a key of this account)?[.!]?$/i,
  /^the api key is missing or is not a key of this account$/i,
  /^(unauthorized|forbidden|not allowed|this key belongs to a user who is not an admin)[.!]?$/i,
  /^(account )?rate limit exceeded(; try again in \d{1,6} s)?[.!]?$/i,
];

// Lockdown needs to know who may have written a text that the model reads. For a declared field, the contract says it. Any
// other text may come from anybody: it is harmless only if a program must have made it.

/** A number, a time, or one short word in lower case, such as a status. */
const madeByPrograms =
  /^([+-]?\d{1,20}(\.\d{1,10})?|\d{4}-\d\d-\d\d([T ][\d:.]{5,18}(Z|[+-]\d\d:?\d\d)?)?|[a-z]{0,24})$/;
const plainKey = /^[A-Za-z][A-Za-z0-9_]{0,39}$/;

function isStrange(value: unknown): boolean {
  if (typeof value === 'string') return !madeByPrograms.test(value);
  if (Array.isArray(value)) return value.some(isStrange);
  return isObject(value) && Object.entries(value).some(([key, entry]) => !plainKey.test(key) || isStrange(entry));
}

/** Text of the platform itself is one short line: any other text comes from somebody else. */
function isNoCode({ text }: ResponseField, value: unknown): boolean {
  return text?.kind === 'code' && typeof value === 'string' && (value.length > 1_000 || /[\n\r]/.test(value));
}

function hasStrange(known: ResponseField, value: unknown): boolean {
  const { item, fields } = known;
  if (item && Array.isArray(value)) return value.some((entry) => hasStrange(item, entry));
  if (!fields || !isObject(value)) return isNoCode(known, value);
  return Object.entries(value).some(([name, entry]) => {
    const field = fields.get(name);
    return field === undefined ? !plainKey.test(name) || isStrange(entry) : hasStrange(field, entry);
  });
}

/** Whether a decoded answer has text whose author the contract does not declare. */
export function hasUndeclaredText({ response }: Operation, answer: object): boolean {
  if (response.kind !== 'list') return hasStrange(fieldOf(response.schema), answer);
  const { items, ...beside }: Json = { ...answer };
  const isStrangeItem = (item: unknown) => hasStrange(fieldOf(response.item), item);
  return (Array.isArray(items) && items.some(isStrangeItem)) || hasStrange(fieldOf(response.extra), beside);
}

function quotedIn({ apiCode, apiMessage, supportedFields = [], requestId }: ApiAnswer): boolean {
  const isCode = (text: string | undefined) => text === undefined || plainKey.test(text);
  return (
    !isCode(apiCode) ||
    !supportedFields.every(isCode) ||
    (apiMessage !== undefined && !fixedMessages.some((fixed) => fixed.test(apiMessage.trim()))) ||
    (requestId !== undefined && !/^[\w.:-]{1,100}$/.test(requestId))
  );
}

/** Whether an error repeats text of the API that may come from anybody: the API may quote members in it. */
export function errorHasUndeclaredText(error: unknown): boolean {
  if (error instanceof ApiError) return quotedIn(error.answer);
  return error instanceof AcademyError && error.cause !== undefined && errorHasUndeclaredText(error.cause);
}
