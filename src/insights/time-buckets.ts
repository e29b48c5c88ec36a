import { AcademyError } from '../shared/errors.ts';
import { type Day, dayAt, firstOfMonth, loadCalendar, midnight, monday } from './calendar.ts';
import type { Period } from './period.ts';

export const calendarUnits = ['day', 'week', 'month'] as const;
export type CalendarUnit = (typeof calendarUnits)[number];

/** A day, week or month of a period. The first and last are cut at the bounds of the period. */
export interface Bucket {
  /** `2026-11-09`, `2026-W46` or `2026-11`. */
  readonly key: string;
  readonly label: string;
  readonly from: number;
  readonly to: number;
  /** The period begins or ends within it. */
  readonly isPartial: boolean;
}

type Span = Period & { from: number };

/** About ten years of days. More would cost time, and nobody reads them. */
const maxBuckets = 4_000;

const starts: Record<CalendarUnit, (day: Day) => Day> = { day: (day) => day, week: monday, month: firstOfMonth };
const steps = { day: { days: 1 }, week: { days: 7 }, month: { months: 1 } } as const;
const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

function keyOf(unit: CalendarUnit, day: Day): string {
  if (unit === 'day') return day.toString();
  if (unit === 'month') return day.toString().slice(0, 7);
  return `${day.yearOfWeek}-W${String(day.weekOfYear).padStart(2, '0')}`;
}

async function daysOf({ from, to, timezone }: Span) {
  const calendar = await loadCalendar();
  return { first: dayAt(from, timezone, calendar), last: dayAt(to - 1, timezone, calendar) };
}

/** Throws `invalid_input` for a period of more than `maxBuckets` units. */
export async function refuseManyBuckets(span: Span, unit: CalendarUnit): Promise<void> {
  const { first, last } = await daysOf(span);
  const between = starts[unit](first).until(starts[unit](last), { largestUnit: unit });
  const count = between[`${unit}s`] + 1;
  if (count <= maxBuckets) return;
  throw new AcademyError(
    'invalid_input',
    `the period has ${count} ${unit}s; group_by ${unit} takes at most ${maxBuckets}`,
    { hint: 'Use a shorter period or a longer unit for group_by.' },
  );
}

/**
 * Every unit in the period, in order, even those without orders; not a day that the zone skipped. Throws `invalid_input` if
 * there are too many.
 */
export async function bucketsOf(span: Span, unit: CalendarUnit): Promise<Bucket[]> {
  await refuseManyBuckets(span, unit);
  const { from, to, timezone } = span;
  const days = await daysOf(span);
  const buckets: Bucket[] = [];
  let first = starts[unit](days.first);
  for (let begin = from; begin < to; ) {
    const next = first.add(steps[unit]);
    const end = Math.min(to, midnight(next, timezone));
    const firstDay = buckets.length === 0 ? days.first : first;
    const lastDay = () => (end === to ? days.last : next.subtract({ days: 1 }));
    const label = unit === 'day' ? (weekdays[first.dayOfWeek - 1] ?? '') : `${firstDay} to ${lastDay()}`;
    const isPartial = begin > midnight(first, timezone) || end < midnight(next, timezone);
    if (end > begin) buckets.push({ key: keyOf(unit, first), label, from: begin, to: end, isPartial });
    first = next;
    begin = end;
  }
  return buckets;
}
