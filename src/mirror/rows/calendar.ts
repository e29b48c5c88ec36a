import { timeOf } from '../../insights/api-time.ts';
import { isoTime } from '../../insights/period.ts';
import { dayMs, minuteMs } from '../../shared/durations.ts';
import type { Cell } from '../engine/messages.ts';

/** created_at, created_ms, day, week and month: the columns of `times`, in their order. */
export type TimeCells = readonly [Cell, Cell, Cell, Cell, Cell];

/** Offsets of time zones change at a quarter of an hour, so all moments of one have the same day. */
const quarterMs = 15 * minuteMs;
/** Quarters to remember: two years. */
const maxQuarters = 70_000;
const noTime: TimeCells = [null, null, null, null, null];

/** `2026-W46` of a day such as `2026-11-09`, by ISO 8601: a week belongs to the year of its Thursday. */
export function weekOf(day: string): string {
  const moment = Date.parse(`${day}T00:00:00Z`);
  const weekday = (new Date(moment).getUTCDay() + 6) % 7;
  const thursday = new Date(moment + (3 - weekday) * dayMs);
  const first = Date.UTC(thursday.getUTCFullYear(), 0, 1);
  const week = Math.floor((thursday.getTime() - first) / (7 * dayMs)) + 1;
  return `${thursday.getUTCFullYear()}-W${String(week).padStart(2, '0')}`;
}

/** Computes the calendar of moments in one time zone, a few microseconds each. */
export function createCalendarCells(timezone: string): (written: string | undefined) => TimeCells {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone: timezone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  });
  const weeks = new Map<string, string>();
  const days = new Map<number, string>();

  function dayOf(at: number): string {
    const quarter = Math.floor(at / quarterMs);
    const known = days.get(quarter);
    if (known !== undefined) return known;
    if (days.size >= maxQuarters) days.clear();
    const day = format.format(at);
    days.set(quarter, day);
    return day;
  }

  function weekOfDay(day: string): string {
    const week = weeks.get(day) ?? weekOf(day);
    weeks.set(day, week);
    return week;
  }

  return (written) => {
    const at = timeOf(written);
    if (at === undefined) return written === undefined ? noTime : [written.slice(0, 40), null, null, null, null];
    const day = dayOf(at);
    return [isoTime(at), at, day, weekOfDay(day), day.slice(0, 7)];
  };
}
