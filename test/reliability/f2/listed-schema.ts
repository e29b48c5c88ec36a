import * as z from 'zod';

/** The schema of one value in tools/list: the parts that are used here. */
export interface ValueSchema {
  readonly [keyword: string]: unknown;
  readonly type?: unknown;
  /** Of a list. */
  readonly items?: ValueSchema | undefined;
  readonly properties?: Readonly<Record<string, ValueSchema>> | undefined;
  readonly required?: readonly string[] | undefined;
}

export const valueSchema: z.ZodType<ValueSchema> = z.looseObject({
  type: z.unknown().optional(),
  get items() {
    return valueSchema.optional();
  },
  get properties() {
    return z.record(z.string(), valueSchema).optional();
  },
  required: z.array(z.string()).optional(),
});

/** Arguments, or a record within them. */
export interface ObjectSchema {
  readonly properties: Readonly<Record<string, ValueSchema>>;
  readonly required: readonly string[];
}

export function objectOf({ properties = {}, required = [] }: ValueSchema): ObjectSchema {
  return { properties, required };
}

/** Text that may be written as a number. */
const idTexts = new Set(['id_or_slug', 'order_id', 'channels', 'product']);

function understoodText({ anyOf, type }: ValueSchema, text: string): unknown {
  const types = JSON.stringify([type, anyOf]);
  if (types.includes('"integer"') && /^[+-]?\d{1,15}$/.test(text.trim())) return Number(text);
  if (types.includes('"boolean"') && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

/** A value as the tool reads it: 42 for "42", true for "true", text for a numeric slug; also in lists and records. */
function understoodValue(name: string, schema: ValueSchema, value: unknown): unknown {
  const { items } = schema;
  if (typeof value === 'number') return idTexts.has(name) && Number.isSafeInteger(value) ? String(value) : value;
  if (typeof value === 'string') return understoodText(schema, value);
  if (Array.isArray(value)) {
    return items === undefined ? value : value.map((entry) => understoodValue(name, items, entry));
  }
  return typeof value === 'object' && value !== null ? understood(objectOf(schema), { ...value }) : value;
}

/** The protocol drops `__proto__`. */
export function understood({ properties }: ObjectSchema, given: Record<string, unknown>): Record<string, unknown> {
  const entries = Object.entries(given).filter(([name]) => name !== '__proto__');
  const schemaOf = (name: string) => (Object.hasOwn(properties, name) ? properties[name] : undefined) ?? {};
  return Object.fromEntries(entries.map(([name, value]) => [name, understoodValue(name, schemaOf(name), value)]));
}
