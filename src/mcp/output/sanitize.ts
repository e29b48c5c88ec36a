import * as z from 'zod';
import { type TextKind, textKinds } from '../../contract/schemas/response-text.ts';
import { unwrap } from '../../contract/schemas/unwrap.ts';
import { cleanText, isAltered, oneLine } from '../../shared/clean-text.ts';
import { isObject, type Json, setField } from '../../shared/json.ts';
import { alteredKey } from './altered-fields.ts';
import { academyTextKey, untrustedKey } from './fence-free-text.ts';

// Text that people typed is data. A name or title becomes one line of at most 200 characters; free text goes under the key
// `untrusted` or, if the academy wrote it, `academy_text`; the text form shows both between lines with a nonce. Nulls and empty values are left out. A record names its
// fields whose text is not shown as it is, so that nobody writes the shown text back.

const maxLine = 200;
/** In characters. URLs with signatures are longer than names. */
const maxCode = 1_000;

/** A field that the contract does not know is free text if it could hold a sentence. */
function kindOf(schema: z.ZodType | undefined, value: string): TextKind['kind'] {
  const known = schema === undefined ? undefined : textKinds.get(schema)?.kind;
  if (known === 'line' || known === 'block') return known;
  const isCode = schema === undefined ? !/\s/.test(value) && value.length <= maxLine : value.length <= maxCode;
  return isCode && !/[\n\r]/.test(value) ? 'code' : 'block';
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true;
  return Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0;
}

function itemOf(schema: z.ZodType | undefined): z.ZodType | undefined {
  return schema instanceof z.ZodArray ? unwrap(schema.element) : undefined;
}

/** A text that needs a fence, or a list with such a text. */
function isFree(schema: z.ZodType | undefined, value: unknown): boolean {
  if (Array.isArray(value)) return value.some((entry) => isFree(itemOf(schema), entry));
  return typeof value === 'string' && kindOf(schema, value) === 'block';
}

/** Whether free text is known to be the academy's. Anybody may have written a text that the contract does not know. */
function isOfAcademy(schema: z.ZodType | undefined): boolean {
  const text = schema === undefined ? undefined : textKinds.get(itemOf(schema) ?? schema);
  return text?.kind === 'block' && text.by === 'admin';
}

function presentFree(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(presentFree).filter((entry) => !isEmpty(entry));
  return typeof value === 'string' ? cleanText(value).trim() : presentValue(undefined, value);
}

function presentValue(schema: z.ZodType | undefined, value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map((entry) => presentValue(itemOf(schema), entry)).filter((entry) => !isEmpty(entry));
  }
  if (isObject(value)) return presentObject(schema instanceof z.ZodObject ? schema : undefined, value);
  if (typeof value !== 'string') return value;
  return oneLine(value, kindOf(schema, value) === 'line' ? maxLine : maxCode);
}

/** Whether a text, or a text of a list, is not shown as it is. Nested records name their own fields. */
function isTextAltered(value: unknown, shown: unknown): boolean {
  if (typeof value === 'string') return isAltered(value, typeof shown === 'string' ? shown : '');
  if (!Array.isArray(value) || !value.some((entry) => typeof entry === 'string')) return false;
  const texts = new Set<unknown>(Array.isArray(shown) ? shown : []);
  return value.some((entry) => typeof entry === 'string' && entry.trim() !== '' && !texts.has(entry.trim()));
}

function presentObject(schema: z.ZodObject | undefined, value: Json): Json {
  const plain: Json = {};
  const untrusted: Json = {};
  const academyText: Json = {};
  const altered: string[] = [];
  for (const [name, field] of Object.entries(value)) {
    if (isEmpty(field)) continue;
    const declared = schema !== undefined && Object.hasOwn(schema.shape, name) ? schema.shape[name] : undefined;
    const known = declared && unwrap(declared);
    const free = isFree(known, field);
    const shown = free ? presentFree(field) : presentValue(known, field);
    const key = known === undefined ? oneLine(name, 60) : name;
    const freeText = isOfAcademy(known) ? academyText : untrusted;
    if (!isEmpty(shown)) setField(free ? freeText : plain, key, shown);
    if (isTextAltered(field, shown)) altered.push(key);
  }
  return {
    ...plain,
    ...(altered.length > 0 ? { [alteredKey]: altered } : {}),
    ...(Object.keys(academyText).length > 0 ? { [academyTextKey]: academyText } : {}),
    ...(Object.keys(untrusted).length > 0 ? { [untrustedKey]: untrusted } : {}),
  };
}

/** A record of the API for an answer: cleaned, without nulls, free text under a key of its own. Unknown fields are kept. */
export function sanitizeRecord<Schema extends z.ZodObject>(
  schema: Schema,
  value: object,
  only?: readonly string[],
): Json {
  if (only === undefined) return presentObject(schema, { ...value });
  const fields: Json = { ...value };
  return presentObject(
    schema,
    Object.fromEntries(only.filter((name) => Object.hasOwn(fields, name)).map((name) => [name, fields[name]])),
  );
}
