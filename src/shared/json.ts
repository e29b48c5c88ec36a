export type Json = Record<string, unknown>;

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const nothing = /^(|0|false|no|none|null|never|ok)$/i;

/** Whether a value says nothing: no value, a word such as "none", or a list or object of such values. */
export function isNothing(value: unknown, words: RegExp = nothing): boolean {
  if (typeof value === 'object' && value !== null) return Object.values(value).every((one) => isNothing(one, words));
  return value === null || value === undefined || words.test(String(value).trim());
}

/** Sets a field. `__proto__` needs the slower defineProperty to become an ordinary field. */
export function setField(object: Json, name: string, value: unknown): void {
  if (name === '__proto__') Object.defineProperty(object, name, { value, enumerable: true });
  else object[name] = value;
}
