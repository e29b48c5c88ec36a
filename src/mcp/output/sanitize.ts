import type * as z from 'zod';
import { fieldOf, type ResponseField, type TextKind } from '../../contract/schemas/response-text.ts';
import { cleanText, isAltered, oneLine } from '../../shared/clean-text.ts';
import { isObject, type Json, setField } from '../../shared/json.ts';
import { academyTextKey, alteredKey, untrustedKey } from './fence-free-text.ts';

// Text that people typed is data. A name or title becomes one line of at most 200 characters. Free text goes under the key
// `untrusted` or, if the academy wrote it, `academy_text`; the text form shows both between lines with a nonce. Nulls and empty
// values are left out. A record names its fields whose text is not shown as it is, so that the shown text is not written back.

const maxLine = 200;
/** In characters. URLs with signatures are longer than names. */
const maxCode = 1_000;

/** A field that the contract does not know is free text if it could hold a sentence. */
function kindOf(field: ResponseField | undefined, value: string): TextKind['kind'] {
  const known = field?.text?.kind;
  if (known === 'line' || known === 'block') return known;
  const isCode = field === undefined ? value.length <= maxLine && !/\s/.test(value) : value.length <= maxCode;
  return isCode && !/[\n\r]/.test(value) ? 'code' : 'block';
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true;
  return Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0;
}

/** A text that needs a fence, or a list with such a text. */
function isFree(field: ResponseField | undefined, value: unknown): boolean {
  if (Array.isArray(value)) return value.some((entry) => isFree(field?.item, entry));
  return typeof value === 'string' && kindOf(field, value) === 'block';
}

/** Whether free text is known to be the academy's. Anybody may have written a text that the contract does not know. */
function isOfAcademy(field: ResponseField | undefined): boolean {
  const text = (field?.item ?? field)?.text;
  return text?.kind === 'block' && text.by === 'admin';
}

function presentFree(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(presentFree).filter((entry) => !isEmpty(entry));
  return typeof value === 'string' ? cleanText(value).trim() : presentValue(undefined, value);
}

function presentValue(field: ResponseField | undefined, value: unknown, kind?: TextKind['kind']): unknown {
  if (typeof value === 'string') return oneLine(value, (kind ?? kindOf(field, value)) === 'line' ? maxLine : maxCode);
  if (Array.isArray(value)) {
    return value.map((entry) => presentValue(field?.item, entry)).filter((entry) => !isEmpty(entry));
  }
  return isObject(value) ? presentFields(field?.fields, value, Object.keys(value)) : value;
}

/** Whether a text, or a text of a list, is not shown as it is. Nested records name their own fields. */
function isTextAltered(value: unknown, shown: unknown): boolean {
  if (typeof value === 'string') return isAltered(value, typeof shown === 'string' ? shown : '');
  if (!Array.isArray(value) || !value.some((entry) => typeof entry === 'string')) return false;
  const texts = new Set<unknown>(Array.isArray(shown) ? shown : []);
  return value.some((entry) => typeof entry === 'string' && entry.trim() !== '' && !texts.has(entry.trim()));
}

function presentFields(fields: ResponseField['fields'], record: Json, names: readonly string[]): Json {
  const plain: Json = {};
  const academyText: Json = {};
  const untrusted: Json = {};
  const altered: string[] = [];
  for (const name of names) {
    const value = record[name];
    if (isEmpty(value)) continue;
    const field = fields?.get(name);
    const key = field === undefined ? oneLine(name, 60) : name;
    const kind = typeof value === 'string' ? kindOf(field, value) : undefined;
    const isFenced = kind === undefined ? isFree(field, value) : kind === 'block';
    const shown = isFenced ? presentFree(value) : presentValue(field, value, kind);
    if (shown !== value && isTextAltered(value, shown)) altered.push(key);
    if (isEmpty(shown)) continue;
    const fence = isOfAcademy(field) ? academyText : untrusted;
    setField(isFenced ? fence : plain, key, shown);
  }
  if (altered.length > 0) plain[alteredKey] = altered;
  if (!isEmpty(academyText)) plain[academyTextKey] = academyText;
  if (!isEmpty(untrusted)) plain[untrustedKey] = untrusted;
  return plain;
}

/** A record of the API for an answer: cleaned, without nulls, free text under a key of its own. Unknown fields are kept. */
export function sanitizeRecord<Schema extends z.ZodObject>(
  schema: Schema,
  value: object,
  only?: readonly string[],
): Json {
  const record = value as Json;
  return presentFields(fieldOf(schema).fields, record, only ?? Object.keys(record));
}
