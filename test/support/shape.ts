/** The types of record fields, and the check of a record against the table of its fields. */
type Kind =
  | 'integer'
  | 'string'
  | 'boolean'
  | 'decimal'
  | 'timestamp'
  | 'array'
  | 'object'
  | 'string or null'
  | 'timestamp or null'
  | 'anything'
  | 'string if present';

export type Shape = Readonly<Record<string, Kind>>;

const isString = (value: unknown): boolean => typeof value === 'string';
const isTimestamp = (value: unknown): boolean =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)$/.test(value);

const checks: Record<Kind, (value: unknown) => boolean> = {
  integer: Number.isInteger,
  string: isString,
  boolean: (value) => typeof value === 'boolean',
  decimal: (value) => typeof value === 'string' && /^\d+(\.\d+)?$/.test(value),
  timestamp: isTimestamp,
  array: Array.isArray,
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'string or null': (value) => value === null || isString(value),
  'timestamp or null': (value) => value === null || isTimestamp(value),
  anything: (value) => value !== undefined,
  'string if present': (value) => value === undefined || value === null || isString(value),
};

/** Lists the problems of a record: a missing field, a wrong type, or a field that is not in the document. */
export function differences(record: Record<string, unknown>, shape: Shape): string[] {
  const wrong = Object.entries(shape)
    .filter(([field, kind]) => !checks[kind](record[field]))
    .map(([field, kind]) => `${field} should be ${kind}, is ${JSON.stringify(record[field])}`);
  const unknown = Object.keys(record).filter((field) => !(field in shape));
  return [...wrong, ...unknown.map((field) => `${field} is not in the document`)];
}
