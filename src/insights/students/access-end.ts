import { dayMs } from '../../shared/durations.ts';

/**
 * The day on which access ended ("2026-07-12"), counted from the last order that gave it, in milliseconds since 1970. Undefined
 * if it has no limit (`days` is undefined, null or 0) or has not ended.
 */
export function accessEnd(last: number | undefined, days: number | null | undefined, now: Date): string | undefined {
  if (!days || last === undefined || !Number.isFinite(last)) return undefined;
  const end = new Date(last + days * dayMs);
  return end < now ? end.toISOString().slice(0, 10) : undefined;
}

/** The time of the last of these orders, in milliseconds since 1970; Infinity if one has no readable time. */
export function lastTime(orders: readonly { readonly at: number | undefined }[]): number {
  return Math.max(...orders.map(({ at }) => at ?? Number.POSITIVE_INFINITY));
}
