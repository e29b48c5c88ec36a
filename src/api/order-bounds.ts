import type { Period } from '../insights/period.ts';

const dayMs = 86_400_000;

/**
 * How a bound is written: some platforms refuse a time of day. Whole seconds are understood wherever a time is.
 */
export const boundForms = ['second', 'day'] as const;
export type BoundForm = (typeof boundForms)[number];

interface Bounds {
  readonly created_after?: string;
  readonly created_before: string;
}

function write(milliseconds: number, form: BoundForm, round: (value: number) => number): string {
  const time = new Date(round(milliseconds / 1000) * 1000).toISOString();
  return form === 'day' ? time.slice(0, 10) : time.replace('.000Z', 'Z');
}

/**
 * The bounds to ask for, a day wider at each end: the document does not say whether they belong to the time, whether only their
 * day counts, or in which zone. What lies outside of the period is left out here.
 */
export function widerBounds({ from, to }: Pick<Period, 'from' | 'to'>, form: BoundForm): Bounds {
  const before = { created_before: write(to + dayMs, form, Math.ceil) };
  return from === undefined ? before : { created_after: write(from - dayMs, form, Math.floor), ...before };
}

/** A platform that heeds a bound may err by a day and the offset of its zone; what lies further off shows that it does not. */
const mostErrorMs = 2 * dayMs + 14 * 3_600_000;

export type TimeFilter = 'created_after' | 'created_before';

/** The bound that a time shows to be ignored. */
export function ignoredBound(at: number, { from, to }: Pick<Period, 'from' | 'to'>): TimeFilter | undefined {
  if (from !== undefined && at < from - mostErrorMs) return 'created_after';
  return at > to + mostErrorMs ? 'created_before' : undefined;
}
