import { hourMs, minuteMs } from '../shared/durations.ts';

// Every time in an API response is read here.

const extended =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d)(?::(\d\d)(?::(\d\d))?)?(?:[.,](\d+))?(?: ?(Z|UTC|[+\-\u2212]\d\d(?::?\d\d)?))?)?$/i;
/** Requires a time of day: eight digits alone could be any number. */
const basic = /^(\d{4})(\d\d)(\d\d)T(\d\d)(?:(\d\d)(?:(\d\d))?)?(?:[.,](\d+))?(Z|[+\-\u2212]\d\d(?::?\d\d)?)?$/i;

/** Milliseconds; undefined for an impossible offset. */
function offsetOf(written: string | undefined): number | undefined {
  const [, sign, hours = '0', minutes = '0'] = /^([+\-\u2212])(\d\d):?(\d\d)?$/.exec(written ?? '') ?? [];
  if (sign === undefined) return 0;
  if (Number(hours) > 23 || Number(minutes) > 59) return undefined;
  const offset = Number(hours) * hourMs + Number(minutes) * minuteMs;
  return sign === '+' ? offset : -offset;
}

/** Midnight in UTC; undefined for an impossible date. */
function dayOf(year: number, month: number, day: number): number | undefined {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? date.getTime() : undefined;
}

/** Milliseconds since midnight; undefined for an impossible time. The fraction belongs to the last unit written. */
function timeOfDay([hour, minute, second, fraction]: readonly (string | undefined)[]): number | undefined {
  const [hours, minutes, seconds] = [Number(hour ?? 0), Number(minute ?? 0), Number(second ?? 0)];
  const unit = second === undefined ? (minute === undefined ? hourMs : minuteMs) : 1000;
  const time = hours * hourMs + minutes * minuteMs + seconds * 1000 + Math.floor(Number(`0.${fraction ?? 0}`) * unit);
  // A leap second is :60, and the end of a day may be 24:00.
  return minutes > 59 || seconds > 60 || time > 24 * hourMs + 999 || hours > 24 ? undefined : time;
}

/**
 * Reads a time of the API: ISO 8601 with at least the day, and any offset. Without an offset it is UTC, whatever the zone of
 * this machine. A space may replace the T. Milliseconds since 1970; undefined for everything else, including epoch numbers.
 */
export function timeOf(written: string | undefined): number | undefined {
  const text = written?.trim() ?? '';
  const [, year, month, day, hour, minute, second, fraction, offset] = extended.exec(text) ?? basic.exec(text) ?? [];
  if (year === undefined) return undefined;
  const midnight = dayOf(Number(year), Number(month), Number(day));
  const since = timeOfDay([hour, minute, second, fraction]);
  const shift = offsetOf(offset);
  return midnight === undefined || since === undefined || shift === undefined ? undefined : midnight + since - shift;
}
