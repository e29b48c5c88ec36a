import type { Period } from '../../insights/period.ts';
import type { SaleQuestion } from '../../insights/sales/coverage-gaps.ts';

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

/** A stretch of time to ask for, and at which of its ends a day more. */
export interface Window extends Pick<Period, 'from' | 'to'> {
  readonly isWideFrom: boolean;
  readonly isWideTo: boolean;
}

/**
 * The bounds to send. The document does not say whether they belong to the time, whether only their day counts, or in which zone.
 * What lies outside of the period is left out here.
 */
export function boundsOf({ from, to, isWideFrom, isWideTo }: Window, form: BoundForm): Bounds {
  const isDay = form === 'day';
  const before = { created_before: write(to + (isWideTo || isDay ? dayMs : 0), form, Math.ceil) };
  if (from === undefined) return before;
  return { created_after: write(from - (isWideFrom || isDay ? dayMs : 1_000), form, Math.floor), ...before };
}

/** Later than until now there is nothing: to ask for a day more costs nothing. */
export function mainWindow({ period, endsNow = false }: SaleQuestion): Window {
  return { from: period.from, to: period.to, isWideFrom: false, isWideTo: endsNow };
}

/**
 * An order so near to an end shows that nothing between them was kept back: half an hour, by which zones differ, or in a quiet
 * academy a few times what usually lies between two orders, at most two hours. Milliseconds.
 */
function nearMs(first: number, last: number, count: number): number {
  return Math.min(Math.max(30 * 60_000, (6 * (last - first)) / count), 2 * 3_600_000);
}

const dayOf = (at: number) => Math.floor(at / dayMs);

/** Whether an order within a period shows that its end was understood to the minute. */
function isProof(at: number, end: number, near: number): boolean {
  return Math.abs(end - at) < near && dayOf(at) === dayOf(end);
}

/**
 * What is still to be asked for, a day wider, after a period was read by its exact bounds: its ends, unless an order near to
 * them was seen. `times` are those of the orders of the period.
 */
export function edgesOf({ period: { from, to }, endsNow = false }: SaleQuestion, times: readonly number[]): Window[] {
  const wide = { isWideFrom: true, isWideTo: true };
  const first = times.reduce<number | undefined>((one, at) => Math.min(one ?? at, at), undefined);
  const last = times.reduce<number | undefined>((one, at) => Math.max(one ?? at, at), undefined);
  if (first === undefined || last === undefined) return from !== undefined || !endsNow ? [{ from, to, ...wide }] : [];
  const near = nearMs(first, last, times.length);
  const isOpenFrom = from !== undefined && !isProof(first, from, near);
  const isOpenTo = !endsNow && !isProof(last, to - 1, near);
  if (isOpenFrom && isOpenTo && last - first < 2 * dayMs) return [{ from, to, ...wide }];
  return [...(isOpenFrom ? [{ from, to: first, ...wide }] : []), ...(isOpenTo ? [{ from: last, to, ...wide }] : [])];
}

/** A platform that heeds a bound may err by a day and the offset of its zone; what lies further off shows that it does not. */
const maxErrorMs = 2 * dayMs + 14 * 3_600_000;

export type TimeFilter = 'created_after' | 'created_before';

/** The bound that a time shows to be ignored. */
export function ignoredBound(at: number, { from, to }: Pick<Period, 'from' | 'to'>): TimeFilter | undefined {
  if (from !== undefined && at < from - maxErrorMs) return 'created_after';
  return at > to + maxErrorMs ? 'created_before' : undefined;
}
