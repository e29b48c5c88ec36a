type Json = Record<string, unknown>;
export type Path = readonly (string | number)[];

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The place of each value that is neither object nor list, by the listed schema of a tool's arguments. */
export function leavesOf(schema: unknown, path: Path = []): Path[] {
  if (!isObject(schema)) return [path];
  if (isObject(schema.properties)) {
    return Object.entries(schema.properties).flatMap(([name, field]) => leavesOf(field, [...path, name]));
  }
  if (isObject(schema.items)) return leavesOf(schema.items, [...path, 0]);
  return path.length === 0 ? [] : [path];
}

function placed(holder: unknown, [step, ...rest]: Path, value: unknown): unknown {
  if (step === undefined) return value;
  if (typeof step === 'number') return [placed(Array.isArray(holder) ? holder[0] : undefined, rest, value)];
  const fields = isObject(holder) ? holder : {};
  return { ...fields, [step]: placed(fields[step], rest, value) };
}

/** The arguments, with another value in one place. */
export function withLeaf(given: Json, path: Path, value: unknown): Json {
  return placed(given, path, value) as Json;
}
