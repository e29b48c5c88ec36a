import { isObject, type Json } from '../../shared/json.ts';
import { wrapperKeys } from './error-body.ts';

// Keys by which an answer says whether the request was done, and where in a body they are.

/** `isSuccess`, `has_errors` and `Errors` are keys like `success` and `errors`. */
export function plainKey(key: string): string {
  return key
    .toLowerCase()
    .replaceAll(/[_-]/g, '')
    .replace(/^(is|has|was)(?=success|ok|error)/, '');
}

/** Keys such as `success`: true if the request was done. */
export const successKeys = new Set(['success', 'succeeded', 'successful', 'ok', 'okay']);

/** Keys that name what was done: `updated: false`. */
export const actionKeys = new Set(
  'updated saved created changed applied accepted done processed valid granted revoked'.split(' '),
);

/** Keys that hold an error. */
export const errorKeys = new Set([
  ...['error', 'errors', 'errormessage', 'errormessages', 'errorcode', 'errordescription', 'errordetails'],
  ...['errordetail', 'errorcount', 'exception', 'failure', 'failures', 'fault', 'failed', 'denied', 'validationerrors'],
]);

/** Keys whose value says how it went: `status: "failed"`. A record may have such a field of its own. */
export const statusKeys = new Set(
  'status result outcome state statuscode statustext responsestatus code type'.split(' '),
);

/** A record has an id, an email or a slug. Its `status` is its own, not the request's. */
export function isRecord(value: Json): boolean {
  const own = Object.keys(value).filter((key) => !errorKeys.has(plainKey(key)) && !statusKeys.has(plainKey(key)));
  return own.includes('id') || own.includes('email') || own.includes('slug');
}

/** The body, and each object below it that is in a wrapper, alone, or under the key of the operation's record. */
export function partsOf(body: Json, recordKey: string, depth = 2): Json[] {
  const entries = Object.entries(body);
  const inner = entries.filter(([key]) => wrapperKeys.has(key) || key === recordKey || entries.length === 1);
  const below = depth === 0 ? [] : inner.flatMap(([, value]) => (isObject(value) ? [value] : []));
  return [body, ...below.flatMap((part) => partsOf(part, recordKey, depth - 1))];
}
