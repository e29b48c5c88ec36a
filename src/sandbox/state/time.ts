/** Milliseconds since 1970 as the API writes times. */
export function isoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

/**
 * Reads what the contract's date fields let through. A day is its midnight in UTC, and a time without an
 * offset is UTC too (`Date.parse` alone would take it as the machine's own zone).
 */
export function timeOf(text: string): number {
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(text);
  const hasZone = /(?:Z|[+-]\d{2}:?\d{2})$/i.test(text);
  return Date.parse(isDay || hasZone ? text : `${text}Z`);
}
