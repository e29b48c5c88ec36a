/** Formats milliseconds since 1970 as the API does. */
export function isoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

/**
 * Parses any date or time that the contract accepts. A day is its midnight in UTC. A time without an offset is in UTC:
 * `Date.parse` alone would use the zone of the machine.
 */
export function timeOf(text: string): number {
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(text);
  const hasZone = /(?:Z|[+-]\d{2}:?\d{2})$/i.test(text);
  return Date.parse(isDay || hasZone ? text : `${text}Z`);
}
