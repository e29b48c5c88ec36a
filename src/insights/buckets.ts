import { type Day, dayAt, firstOfMonth, loadCalendar, midnight, monday } from './calendar.ts';
import type { Period } from './period.ts';

export const calendarUnits = ['day', 'week', 'month'] as const;
export type CalendarUnit = (typeof calendarUnits)[number];

/** A day, week or month of a period, cut off where the period begins or ends within it. */
export interface Bucket {
  /** `2026-11-09`, `2026-W46` or `2026-11`. */
  readonly key: string;
  readonly label: string;
  readonly from: number;
  readonly to: number;
}

const starts: Record<CalendarUnit, (day: Day) => Day> = { day: (day) => day, week: monday, month: firstOfMonth };
const steps = { day: { days: 1 }, week: { days: 7 }, month: { months: 1 } } as const;
const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

function keyOf(unit: CalendarUnit, day: Day): string {
  if (unit === 'day') return day.toString();
  if (unit === 'month') return day.toString().slice(0, 7);
  return `${day.yearOfWeek}-W${String(day.weekOfYear).padStart(2, '0')}`;
}

/** Every unit that a period touches, in order, whether or not anything happened in it. */
export async function bucketsOf(
  { from, to, timezone }: Period & { from: number },
  unit: CalendarUnit,
): Promise<Bucket[]> {
  const calendar = await loadCalendar();
  const dayOf = (moment: number) => dayAt(moment, timezone, calendar);
  const buckets: Bucket[] = [];
  for (let first = starts[unit](dayOf(from)); midnight(first, timezone) < to; first = first.add(steps[unit])) {
    const begin = Math.max(from, midnight(first, timezone));
    const end = Math.min(to, midnight(first.add(steps[unit]), timezone));
    const label = unit === 'day' ? weekdays[first.dayOfWeek - 1] : `${dayOf(begin)} to ${dayOf(end - 1)}`;
    buckets.push({ key: keyOf(unit, first), label: label ?? '', from: begin, to: end });
  }
  return buckets;
}
