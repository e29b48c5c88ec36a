import { hourMs } from '../shared/durations.ts';
import type { Json } from '../shared/json.ts';

// Every time in an API response is read here.

/** No record is older: 1970 is written for no time. Orders before it are read as one period. */
export const earliestRecord = Date.parse('1995-01-01T00:00:00Z');

const iso = /^(\d{4}-\d\d-(\d\d))(?:T(\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d:\d\d)?)?$/;

/**
 * Reads a time of the API: ISO 8601, any precision from the day on. Without an offset it is UTC, not a time of this
 * machine's zone. Milliseconds since 1970; undefined for everything else, including epoch numbers.
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

/** Up to this length the hour of an event matters, so that its row shows it. Milliseconds. */
const shortPeriodMs = 48 * hourMs;

interface Span {
  /** Milliseconds since 1970; undefined: no bound. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

export function isShort({ from, to }: Span): boolean {
  return from !== undefined && to !== undefined && to - from <= shortPeriodMs;
}

export function spanOf(
  bounds: { created_after?: string | undefined; created_before?: string | undefined },
  now: Date,
): Span {
  const { created_after, created_before } = bounds;
  return { from: timeOf(created_after), to: timeOf(created_before) ?? now.getTime() };
}

/** Writes a time of the API for the row of a table. A text that is no time stays as it is. */
export type RowTime = (written: string | undefined) => string | undefined;

/** "2026-11-09 14:30:07" for a moment: this locale writes local times as ISO 8601 does, so they compare as texts. */
export function localTimes(timezone: string): (at: number) => string {
  // Without the tables of the runtime, which are slow to load.
  if (timezone === 'UTC') return (at) => new Date(at).toISOString().slice(0, 19).replace('T', ' ');
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: timezone, dateStyle: 'short', timeStyle: 'medium' });
  return (at) => format.format(at).padStart(19, '0');
}

/**
 * "2026-03-04": the day in this time zone, and the minute too if the rows are of at most 48 hours. A list of whole times
 * costs twice the tokens of its names; answers about a single record show them whole.
 */
export function rowTimes(timezone: string, span: Span = {}): RowTime {
  const localTime = localTimes(timezone);
  const length = isShort(span) ? 16 : 10;
  return (written) => {
    const at = timeOf(written);
    return at === undefined ? written : localTime(at).slice(0, length);
  };
}

const timeFields = ['created_at', 'updated_at', 'published_at'];

export function withRowTime<Row extends object>(row: Row, rowTime: RowTime): Row {
  const shown: Json = { ...(row as Json) };
  for (const name of timeFields) {
    const time = shown[name];
    if (typeof time === 'string') shown[name] = rowTime(time);
  }
  return shown as Row;
}
