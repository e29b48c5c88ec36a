import { isObject } from '../../shared/json.ts';
import { quoted } from '../../shared/quote-text.ts';

/** Removes the secrets from all strings and keys of a value. `json`: the same value as JSON, if the caller has it. A search there is faster. */
export type Redact = <Value>(value: Value, json?: string) => Value;

const hidden = '[hidden]';
/** Shorter secrets occur in ordinary words; no API key is that short. */
const shortest = 8;

const insideQuotes = (text: string) => quoted(text).slice(1, -1);

/** A secret as it is, in a quoted text, and in a quotation of that. The most escaped form comes first. */
function spellings(secret: string): string[] {
  const once = insideQuotes(secret);
  return [...new Set([insideQuotes(once), once, secret])];
}

/** The API may echo its key in an error or a field: the model must not see it. */
export function createRedactor(secrets: readonly string[]): Redact {
  const known = secrets.filter(({ length }) => length >= shortest).flatMap(spellings);
  const strike = (text: string) => known.reduce((rest, secret) => rest.replaceAll(secret, hidden), text);

  function redact(value: unknown): unknown {
    if (typeof value === 'string') return strike(value);
    if (Array.isArray(value)) return value.map(redact);
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, entry]) => [strike(key), redact(entry)]));
  }

  const inJson = known.map((secret) => JSON.stringify(secret).slice(1, -1));
  const isIn = (json: string) => inJson.some((secret) => json.includes(secret));

  // Strings stay strings and objects keep their shape.
  return (value, json) => (json === undefined || isIn(json) ? (redact(value) as typeof value) : value);
}
