/** The calendar is loaded when the first period is asked for: most programs that start never need it. */
export async function loadCalendar() {
  return (await import('temporal-polyfill')).Temporal;
}

export type Calendar = Awaited<ReturnType<typeof loadCalendar>>;
export type Day = InstanceType<Calendar['PlainDate']>;

/** The first moment of a day, in milliseconds since 1970: where clocks skip midnight, the first one after it. */
export function midnight(day: Day, timezone: string): number {
  return day.toZonedDateTime(timezone).epochMilliseconds;
}

/** The day that a zone's calendars show at a moment. */
export function dayAt(moment: number, timezone: string, calendar: Calendar): Day {
  return calendar.Instant.fromEpochMilliseconds(moment).toZonedDateTimeISO(timezone).toPlainDate();
}

export const monday = (day: Day): Day => day.subtract({ days: day.dayOfWeek - 1 });
export const firstOfMonth = (day: Day): Day => day.with({ day: 1 });

/** Whether this program knows the rules of a zone. IANA names alone: an offset says nothing of summer time. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
