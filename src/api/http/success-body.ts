import { isObject, type Json } from '../../shared/json.ts';
import { actionKeys, errorKeys, isRecord, partsOf, plainKey, statusKeys, successKeys } from './body-keys.ts';
import { isDoubtful } from './doubtful-message.ts';

/** What a body says about its request: denied, possibly denied, or nothing against it. */
export type BodyAssessment = 'denied' | 'unclear' | 'uncontradicted';

const nothing = new Set(['', '0', 'false', 'no', 'none', 'null', 'nil', 'ok', 'success']);
const refusal = new Set(['false', '0', 'no', 'error', 'failed', 'failure', 'fail', 'ko', 'nok']);
const failureWord =
  /^(errors?|err|fail(ed|ure)?|denied|refused|rejected|invalid|forbidden|unauthori[sz]ed|not[ _-]?(found|allowed|permitted|applied|saved|updated|authori[sz]ed)|unprocessable([ _-]entity)?|ko|nok|(validation|internal)[ _-]?(error|failed)|aborted|cancell?ed|exception)$/i;
const successWord =
  /^(ok(ay)?|success(ful|fully)?|succeeded|done|true|yes|created|updated|saved|accepted|applied|completed?|granted|revoked|enrolled|unenrolled|removed|deleted|reset|changed|processed|queued|[12]\d\d|1)[.!]?$/i;

function isNothing(value: unknown): boolean {
  if (value === null || value === undefined || value === false || value === 0) return true;
  if (typeof value === 'string') return nothing.has(value.trim().toLowerCase());
  if (Array.isArray(value)) return value.every(isNothing);
  return isObject(value) && Object.values(value).every(isNothing);
}

function isRefusal(value: unknown): boolean {
  return value === false || value === 0 || (typeof value === 'string' && refusal.has(value.trim().toLowerCase()));
}

/** An HTTP status of failure, as a number or as text. */
function isFailureStatus(value: unknown): boolean {
  const status = typeof value === 'string' && /^\d{3}$/.test(value.trim()) ? Number(value) : value;
  return typeof status === 'number' && status >= 400 && status < 600;
}

function isStatement(key: string, value: unknown): boolean {
  if (typeof value === 'string') return failureWord.test(value.trim()) || isFailureStatus(value);
  if (isFailureStatus(value)) return true;
  return value === false && key !== 'code' && key !== 'type';
}

/** A code beside a message, and no record: an error without its name. */
function isBareError(body: Json): boolean {
  const { code, message, detail = message } = body;
  if (typeof detail !== 'string' || detail.trim() === '' || isRecord(body)) return false;
  if (typeof code === 'number') return code >= 400;
  return typeof code === 'string' && code.trim() !== '' && !isNothing(code) && !successWord.test(code.trim());
}

function deniesItself(body: Json): boolean {
  const isOwn = isRecord(body);
  const denies = ([key, value]: [string, unknown]) => {
    const name = plainKey(key);
    if (successKeys.has(name)) return isRefusal(value);
    if (errorKeys.has(name)) return !isNothing(value);
    // No documented record has the status "error". "failed" may be the status of a record, unless a message is beside
    // it.
    if (isOwn && name === 'status' && /^error$/i.test(String(value))) return true;
    if (isOwn) return name === 'status' && typeof body.message === 'string' && /^fail(ure)?$/i.test(String(value));
    return actionKeys.has(name)
      ? value === false || value === 'false'
      : statusKeys.has(name) && isStatement(name, value);
  };
  return Object.entries(body).some(denies) || isBareError(body);
}

function verdictOfText(text: string): BodyAssessment {
  const words = text.trim();
  if (words === '' || successWord.test(words)) return 'uncontradicted';
  return failureWord.test(words) || refusal.has(words.toLowerCase()) ? 'denied' : 'unclear';
}

function verdictOfList(list: readonly unknown[]): BodyAssessment {
  if (list.some((entry) => entry === false || (isObject(entry) && deniesItself(entry)))) return 'denied';
  const isText = list.length > 0 && list.every((entry) => typeof entry === 'string');
  return isText || isDoubtful(list.filter(isObject)) ? 'unclear' : 'uncontradicted';
}

/**
 * Judges the JSON of a 2xx to a write. `denied`: it has `success: false`, `error`, `errors`, a status of failure or the
 * like. `unclear`: it has a sentence that may deny the write.
 */
export function assessBody(json: unknown, recordKey = ''): BodyAssessment {
  if (json === false) return 'denied';
  if (json === 0) return 'unclear';
  if (typeof json === 'string') return verdictOfText(json);
  if (Array.isArray(json)) return verdictOfList(json);
  if (!isObject(json)) return 'uncontradicted';
  const parts = partsOf(json, recordKey);
  if (parts.some(deniesItself)) return 'denied';
  return isDoubtful(parts) ? 'unclear' : 'uncontradicted';
}

/** Whether a body reports by `success: false` or the like that the request was not done. */
export function reportsFailure(body: Json): boolean {
  return Object.entries(body).some(([key, value]) => successKeys.has(plainKey(key)) && isRefusal(value));
}

/** Whether a body has an `error` or `errors` that is not empty. */
export function containsError(body: Json): boolean {
  return Object.entries(body).some(([key, value]) => /^(errors?)$/.test(plainKey(key)) && !isNothing(value));
}
