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

/** The day in a time zone at a moment. */
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
