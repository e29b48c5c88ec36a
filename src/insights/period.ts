import { dayMs } from '../shared/durations.ts';
import { refuseInput } from '../shared/invalid-input.ts';
import { localTimes, timeOf } from './api-time.ts';

/** Loads the calendar when the first period is resolved: most processes never need it. */
export async function loadCalendar() {
  return (await import('temporal-polyfill')).Temporal;
}

export type Calendar = Awaited<ReturnType<typeof loadCalendar>>;
export type Day = InstanceType<Calendar['PlainDate']>;

/** The first moment of a day, in milliseconds since 1970. If clocks skip midnight, the first moment after it. */
export function midnight(day: Day, timezone: string): number {
  return day.toZonedDateTime(timezone).epochMilliseconds;
}

export function dayAt(moment: number, timezone: string, calendar: Calendar): Day {
  return calendar.Instant.fromEpochMilliseconds(moment).toZonedDateTimeISO(timezone).toPlainDate();
}

export const monday = (day: Day): Day => day.subtract({ days: day.dayOfWeek - 1 });
export const firstOfMonth = (day: Day): Day => day.with({ day: 1 });

/** Whether this runtime knows a time zone. Accepts IANA names only: an offset does not define summer time. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

type Span = readonly [first: Day, end: Day];

const firstOfYear = (day: Day) => day.with({ month: 1, day: 1 });

/** Weeks follow ISO 8601 and begin on Monday; `last_N_days` end with today. */
const spans = {
  today: (today: Day): Span => [today, today.add({ days: 1 })],
  yesterday: (today: Day): Span => [today.subtract({ days: 1 }), today],
  this_week: (today: Day): Span => [monday(today), monday(today).add({ days: 7 })],
  last_week: (today: Day): Span => [monday(today).subtract({ days: 7 }), monday(today)],
  last_7_days: (today: Day): Span => [today.subtract({ days: 6 }), today.add({ days: 1 })],
  last_30_days: (today: Day): Span => [today.subtract({ days: 29 }), today.add({ days: 1 })],
  this_month: (today: Day): Span => [firstOfMonth(today), firstOfMonth(today).add({ months: 1 })],
  last_month: (today: Day): Span => [firstOfMonth(today).subtract({ months: 1 }), firstOfMonth(today)],
  this_year: (today: Day): Span => [firstOfYear(today), firstOfYear(today).add({ years: 1 })],
  last_year: (today: Day): Span => [firstOfYear(today).subtract({ years: 1 }), firstOfYear(today)],
};

export type PeriodName = keyof typeof spans | 'all_time';
export const periodNames = [...Object.keys(spans), 'all_time'] as PeriodName[];

export interface PeriodQuestion {
  period?: PeriodName | undefined;
  created_after?: string | undefined;
  created_before?: string | undefined;
  /** IANA name. */
  timezone: string;
}

/** Includes `from`, excludes `to`; milliseconds since 1970. */
export interface Period {
  /** Undefined: no lower bound. */
  readonly from: number | undefined;
  readonly to: number;
  readonly timezone: string;
}

/** Earlier times have no four-digit year in UTC. */
export const earliest = Date.parse('0001-01-01T00:00:00Z') - dayMs;

export const hasOffset = (written: string) => /(Z|[+-]\d{2}(:?\d{2})?)$/i.test(written.slice(10));

/** Whether a bound is later than the end of its period, which never ends after the time of the question. */
export function isLaterBound(written: string, { to, timezone }: Period): boolean {
  if (hasOffset(written)) return Date.parse(written) > to;
  return written.replace(/[Tt]/, ' ') > localTimes(timezone)(to);
}

/** A date means its local midnight; a time without an offset is local to the zone. */
function momentOf(name: string, written: string, timezone: string, calendar: Calendar): number {
  try {
    if (/^\d{4}-\d{2}-\d{2}$/.test(written)) return midnight(calendar.PlainDate.from(written), timezone);
    if (hasOffset(written)) return calendar.Instant.from(written).epochMilliseconds;
    return calendar.PlainDateTime.from(written).toZonedDateTime(timezone).epochMilliseconds;
  } catch {
    // The calendar's own errors quote the input.
    throw refuseInput([`${name} is not a valid date or time`]);
  }
}

/** Milliseconds since 1970 of a date or time. Throws `invalid_input`, with the name of the argument. */
export async function resolveMoment(name: string, written: string, timezone: string): Promise<number> {
  return momentOf(name, written, timezone, await loadCalendar());
}

function named(period: PeriodName, timezone: string, now: number, calendar: Calendar): Period {
  if (period === 'all_time') return { from: undefined, to: now, timezone };
  const today = dayAt(now, timezone, calendar);
  const [first, end] = spans[period](today);
  return { from: midnight(first, timezone), to: Math.min(midnight(end, timezone), now), timezone };
}

/**
 * Resolves the bounds once. The period is half-open and never ends after `now`, so later orders cannot shift pages. Without
 * bounds it is all time. Throws `invalid_input` for bounds that contradict each other, with the names of their arguments.
 */
export async function resolvePeriod(
  { period, created_after, created_before, timezone }: PeriodQuestion,
  now: Date,
  [after, before] = ['created_after', 'created_before'],
): Promise<Period> {
  const isOpen = created_after === undefined && created_before === undefined;
  if (period !== undefined && !isOpen) throw refuseInput([`give either period or ${after} and ${before}, not both`]);
  const calendar = await loadCalendar();
  if (isOpen) return named(period ?? 'all_time', timezone, now.getTime(), calendar);
  const bound = (name = '', written?: string) =>
    written === undefined ? undefined : momentOf(name, written, timezone, calendar);
  const from = bound(after, created_after);
  const to = Math.min(bound(before, created_before) ?? Number.POSITIVE_INFINITY, now.getTime());
  if ((from ?? to) < earliest)
    throw refuseInput([`the year of ${from === undefined ? before : after} must be 1 or later`]);
  if (from !== undefined && from >= now.getTime()) throw refuseInput([`${after} is in the future`]);
  if (from !== undefined && from >= to) throw refuseInput([`${after} must be before ${before}`]);
  return { from, to, timezone };
}

/** `2026-11-09T00:00:00Z`: UTC; milliseconds only if they are not 0. */
export function isoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace('.000Z', 'Z');
}

export function asOf(moment: Date): string {
  return isoTime(Math.floor(moment.getTime() / 1000) * 1000);
}

/**
 * The bounds of a request that must show every record of a span: a day wider at both ends, since the API document does not say
 * whether bounds are inclusive, whether only their day counts, or in which zone. In whole seconds, which every platform accepts.
 */
export function widerBounds({ from, to }: { readonly from?: number | undefined; readonly to?: number | undefined }) {
  const bound = (at: number, round: (value: number) => number) => isoTime(round(at / 1000) * 1000);
  return {
    ...(from === undefined ? {} : { created_after: bound(from - dayMs, Math.floor) }),
    ...(to === undefined ? {} : { created_before: bound(to + dayMs, Math.ceil) }),
  };
}

export function periodFacts({ from, to, timezone }: Period) {
  return { ...(from === undefined ? {} : { from: isoTime(from) }), to: isoTime(to), timezone };
}

/** "2026-11-09", "2026-11-09 14:30" or "2026-11-09 14:30:07": the shortest that is exact to the second. */
function localTime(at: number, timezone: string): string {
  return localTimes(timezone)(at).replace(/ 00:00:00$|(?<= \d\d:\d\d):00$/, '');
}

/** "from 2026-11-09, before 2026-11-16 (UTC)": the bounds in the time zone. A last day that is not over is "to" its time. */
export function periodText({ from, to, timezone }: Period): string {
  const end = localTime(to, timezone);
  const [separator, bound] = end.includes(' ') ? [' ', `to ${end}`] : [', ', `before ${end}`];
  const start = from === undefined ? '' : `from ${localTime(from, timezone)}${separator}`;
  return `${start}${bound} (${timezone})`;
}

/** "name=Ana; min_points=50": the filters of a question, as `inline` formats values. */
export function filtersText(filters: object, inline: (value: unknown) => string): string {
  const present = Object.entries(filters).filter(([, value]) => value !== undefined);
  return present.map(([name, value]) => `${name}=${inline(value)}`).join('; ');
}

/** Why no record can be within these bounds; undefined if some can. */
export function emptyPeriodNote(
  { created_after: after, created_before: before }: Omit<PeriodQuestion, 'timezone'>,
  now: Date,
): string | undefined {
  const [from, to] = [timeOf(after), timeOf(before)];
  if (from === undefined) return undefined;
  if (from > now.getTime()) return `created_after ${after} is in the future`;
  return to !== undefined && to <= from ? 'created_before is not after created_after' : undefined;
}

// The filters of a question, applied to records.

/** A filter that a call gives. A record without the value that it needs neither passes nor fails. */
export interface Filter<Item> {
  readonly field: string;
  readonly passes: (item: Item) => boolean | undefined;
}

export function filterBy<Item, Value, Given>(
  field: string,
  wanted: Given | undefined,
  read: (item: Item) => Value | null | undefined,
  passes: (value: Value, wanted: Given) => boolean,
): Filter<Item>[] {
  if (wanted === undefined) return [];
  const isPassed = (item: Item) => {
    const value = read(item);
    return value === undefined || value === null ? undefined : passes(value, wanted);
  };
  return [{ field, passes: isPassed }];
}

export const isSame = <Value>(value: Value, wanted: Value) => value === wanted;
export const isAtLeast = (value: number, least: number) => value >= least;
export const isBelow = (value: number, bound: number) => value < bound;
export const isAtMost = (value: number, most: number) => value <= most;

/**
 * The records that pass every filter (`kept`), how many fail none but lack a value, by its field (`lacking`), the records that
 * fail none (`passed`), and the filters that any record fails (`ignored`, if the API has applied them).
 */
export function applyFilters<Item>(items: readonly Item[], filters: readonly Filter<Item>[]) {
  const [kept, passed]: [Item[], Item[]] = [[], []];
  const lacking: Record<string, number> = {};
  const ignored = new Set<string>();
  for (const item of items) {
    const results = filters.map(({ field, passes }) => ({ field, result: passes(item) }));
    const failed = results.filter(({ result }) => result === false);
    for (const { field } of failed) ignored.add(field);
    if (failed.length > 0) continue;
    passed.push(item);
    const unknown = results.find(({ result }) => result === undefined)?.field;
    if (unknown === undefined) kept.push(item);
    else lacking[unknown] = (lacking[unknown] ?? 0) + 1;
  }
  return { kept, passed, lacking, ignored: [...ignored] };
}
