import { isObject, type Json } from '../../src/shared/json.ts';

/** The answer with the values that its rows leave out, which it states once in `defaults`. */
export function withWholeRows(structured: Json | undefined): Json {
  const { defaults, ...others } = structured ?? {};
  if (!isObject(defaults)) return { ...others };
  const isRows = (value: unknown): value is Json[] => Array.isArray(value) && value.length > 0 && value.every(isObject);
  return Object.fromEntries(
    Object.entries(others).map(([name, value]) => [
      name,
      isRows(value) ? value.map((one) => ({ ...defaults, ...one })) : value,
    ]),
  );
}
