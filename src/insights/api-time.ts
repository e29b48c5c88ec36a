// Every time in an API response is read here.

/** No record is older: 1970 is written for no time. Orders before it are read as one period. */
export const earliestRecord = Date.parse('1995-01-01T00:00:00Z');

const iso = /^(\d{4}-\d\d-(\d\d))(?:T(\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d:\d\d)?)?$/;

/**
 * Reads a time of the API: ISO 8601, any precision from the day on. Without an offset it is UTC, whatever the zone of this
 * machine. Milliseconds since 1970; undefined for everything else, including epoch numbers.
 */
export function timeOf(written: string | undefined): number | undefined {
  if (written === undefined) return undefined;
  const [, day, ofMonth, time = '00:00', offset = 'Z'] = iso.exec(written.trim()) ?? [];
  if (day === undefined) return undefined;
  const at = Date.parse(`${day}T${time}${offset}`);
  // 30 February is parsed as 2 March.
  const isDay = Number(ofMonth) <= 28 || new Date(`${day}T00:00Z`).getUTCDate() === Number(ofMonth);
  return Number.isNaN(at) || !isDay ? undefined : at;
}

/** The time at which a record was made; undefined too if it is before every record. */
export function recordTime(written: string | undefined): number | undefined {
  const at = timeOf(written);
  return at === undefined || at < earliestRecord ? undefined : at;
}
