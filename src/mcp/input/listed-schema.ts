import type * as z from 'zod';
import { type ListedForm, listedForms } from '../../contract/schemas/listed-form.ts';
import { isObject, type Json } from '../../shared/json.ts';

// Every conversation pays for tools/list before its first question. It leaves out what no caller needs to choose and fill
// in a tool; the server enforces all of it, and a refusal names the rule.

/** Larger numbers are limits of the platform rather than choices. */
const farNumber = 499;
const farEntries = 100;

/** Values that mean the same as another one of their enum. Accepted, but not listed. */
const synonyms: Readonly<Record<string, string>> = { offer: 'bundle' };

function isEnforced(key: string, value: unknown): boolean {
  switch (key) {
    case 'additionalProperties':
      return value === false;
    case 'minimum':
    case 'minLength':
    case 'minItems':
      return value === 0 || value === 1;
    case 'maximum':
      return Number(value) > farNumber;
    case 'maxItems':
      return Number(value) > farEntries;
    default:
      return key === 'maxLength' && typeof value === 'number';
  }
}

function withoutSynonyms(values: readonly unknown[]): unknown[] {
  return values.filter((value) => typeof value !== 'string' || !values.includes(synonyms[value]));
}

/** JSON Schema of arguments as tools/list shows it. */
export function listedInput(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(listedInput);
  if (!isObject(schema)) return schema;
  const kept = Object.entries(schema).filter(([key, value]) => !isEnforced(key, value));
  return Object.fromEntries(
    kept.map(([key, value]) => [
      key,
      key === 'enum' && Array.isArray(value) ? withoutSynonyms(value) : listedInput(value),
    ]),
  );
}

/** JSON Schema of an answer as tools/list shows it: names and types. The answers explain themselves in words. */
export function listedOutput(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(listedOutput);
  if (!isObject(schema)) return schema;
  const kept = Object.entries(schema).filter(([key, value]) => {
    if (key === 'description') return typeof value !== 'string';
    return key !== 'properties' || !isObject(value) || Object.keys(value).length > 0;
  });
  return Object.fromEntries(kept.map(([key, value]) => [key, listedOutput(value)]));
}

/** Clients refuse a list without `items`. */
const shapeless: Readonly<Record<string, Json>> = { array: { type: 'array', items: { type: 'object' } } };

const shorten: Readonly<Record<ListedForm, (schema: Json) => Json>> = {
  bare: ({ description: _description, ...rest }) => rest,
  shapeless: ({ type }) => shapeless[String(type)] ?? { type },
};

/** Applies the form of a schema in tools/list, for `override` of `z.toJSONSchema`. */
export function applyListedForm({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodType; jsonSchema: Json }): void {
  const { form } = listedForms.get(zodSchema as z.ZodType) ?? {};
  if (form === undefined) return;
  const short = shorten[form]({ ...jsonSchema });
  for (const key of Object.keys(jsonSchema)) delete jsonSchema[key];
  Object.assign(jsonSchema, short);
}
