/** The part of JSON Schema that the schemas of tools use. */
export interface JsonSchema {
  type?: string | readonly string[];
  enum?: readonly string[];
  anyOf?: readonly JsonSchema[];
  items?: JsonSchema;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  properties?: Record<string, JsonSchema>;
  required?: readonly string[];
  description?: string;
}

function numberWords({ minimum, maximum }: JsonSchema): string {
  if (minimum === undefined) return maximum === undefined ? 'integer' : `integer up to ${maximum}`;
  return maximum === undefined ? `integer from ${minimum}` : `integer from ${minimum} to ${maximum}`;
}

function typeWords(schema: JsonSchema, type: string): string {
  if (type === 'integer' || type === 'number') return numberWords(schema);
  if (type !== 'string') return type;
  return schema.maxLength === undefined ? 'string' : `string, at most ${schema.maxLength} characters`;
}

/** What a value may be: "integer from 1 to 25", "`paid` or `all`". */
export function limitsOf(schema: JsonSchema): string {
  if (schema.anyOf !== undefined) return [...new Set(schema.anyOf.map(limitsOf))].join(' or ');
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${value}\``).join(', ');
  const types = [schema.type ?? 'string'].flat();
  return types.map((type) => typeWords(schema, type)).join(' or ');
}
