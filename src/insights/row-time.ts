import { hourMs } from '../shared/durations.ts';
import { timeOf } from './api-time.ts';

/** Up to this length the hour of an event matters, so that its row shows it. Milliseconds. */
const shortPeriodMs = 48 * hourMs;

interface Span {
  /** Milliseconds since 1970; undefined: no bound. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** Whether rows of this span show minutes. */
export function isShort({ from, to }: Span): boolean {
  return from !== undefined && to !== undefined && to - from <= shortPeriodMs;
}

/** The span of the bounds of a call, which may be a date or a time. */
export function spanOf(
  bounds: { created_after?: string | undefined; created_before?: string | undefined },
  now: Date,
): Span {
  const { created_after, created_before } = bounds;
  return { from: timeOf(created_after), to: timeOf(created_before) ?? now.getTime() };
}

/** Writes a time of the API for the row of a table. A text that is no time stays as it is. */
export type RowTime = (written: string | undefined) => string | undefined;

/** A time as most APIs write it, of a day that every month has: its own text is the row's. */
const plainUtc = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?Z$/;

/** Without the tables of the runtime, which are slow to load. */
function utcRowTime(hasMinutes: boolean): RowTime {
  const shown = (time: string) => (hasMinutes ? `${time.slice(0, 10)} ${time.slice(11, 16)}` : time.slice(0, 10));
  return (written) => {
    if (written !== undefined && plainUtc.test(written)) return shown(written);
    const at = timeOf(written);
    return at === undefined ? written : shown(new Date(at).toISOString());
  };
}

/**
 * "2026-03-04": the day in this time zone, and the minute too if the rows are of at most 48 hours. A list of whole times
 * costs twice the tokens of its names; answers about a single record show them whole.
 */
export function rowTimes(timezone: string, span: Span = {}): RowTime {
  if (timezone === 'UTC') return utcRowTime(isShort(span));
  const day = { year: 'numeric', month: '2-digit', day: '2-digit' } as const;
  const minute = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
  const hasMinutes = isShort(span);
  const format = new Intl.DateTimeFormat('en', { timeZone: timezone, ...day, ...(hasMinutes ? minute : {}) });
  return (written) => {
    const at = timeOf(written);
    if (at === undefined) return written;
    const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
    const date = `${parts.year?.padStart(4, '0')}-${parts.month}-${parts.day}`;
    return hasMinutes ? `${date} ${parts.hour}:${parts.minute}` : date;
  };
}

const timeFields = ['created_at', 'updated_at', 'published_at'];

/** A row whose times are as `rowTime` writes them. */
export function withRowTime<Row extends object>(row: Row, rowTime: RowTime): Row {
  const written = { ...row } as Record<string, unknown>;
  const times = timeFields.map((name) => [name, written[name]] as const);
  for (const [name, time] of times) if (typeof time === 'string') written[name] = rowTime(time);
  // The same fields, of the same types.
  return written as Row;
}
