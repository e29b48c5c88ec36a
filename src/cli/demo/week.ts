/** A stretch of time: from `from` on, up to but without `to`. */
export interface Period {
  readonly from: Date;
  readonly to: Date;
}

const day = 86_400_000;

/** The last whole ISO week before `now`: Monday 00:00 UTC up to the Monday after it. */
export function lastWeek(now: Date): Period {
  const midnight = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate());
  const daysSinceMonday = (now.getUTCDay() + 6) % 7;
  const to = midnight - daysSinceMonday * day;
  return { from: new Date(to - 7 * day), to: new Date(to) };
}

/** Without milliseconds: `2026-11-09T00:00:00Z`. */
export function isoSeconds(time: Date): string {
  return time.toISOString().replace(/\.\d+Z$/, 'Z');
}

export function isoDay(time: Date): string {
  return time.toISOString().slice(0, 10);
}

/** The days of a period as a person says them, the last one included. */
export function inDays({ from, to }: Period): string {
  return `${isoDay(from)} to ${isoDay(new Date(to.getTime() - day))}, Monday to Sunday, UTC`;
}

export function isWithin({ from, to }: Period, timestamp: string): boolean {
  const time = Date.parse(timestamp);
  return time >= from.getTime() && time < to.getTime();
}
