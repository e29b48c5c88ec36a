import type { Period } from '../../insights/period.ts';
import type { SaleQuestion } from '../../insights/sales/coverage-gaps.ts';
import { dayMs } from '../../shared/durations.ts';

/** The precision of a bound: some platforms refuse a time of day. Every platform that accepts a time accepts whole seconds. */
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

/** A time range to request. A wide end is extended by a day. */
export interface Window extends Pick<Period, 'from' | 'to'> {
  readonly isWideFrom: boolean;
  readonly isWideTo: boolean;
}

/**
 * The bounds to send. The API document does not say whether they are inclusive, whether only their day counts, or in which zone.
 * The caller drops orders outside the period.
 */
export function boundsOf({ from, to, isWideFrom, isWideTo }: Window, form: BoundForm): Bounds {
  const isDay = form === 'day';
  const before = { created_before: write(to + (isWideTo || isDay ? dayMs : 0), form, Math.ceil) };
  if (from === undefined) return before;
  return { created_after: write(from - (isWideFrom || isDay ? dayMs : 1_000), form, Math.floor), ...before };
}

/** If the period ends now, its end is wide: there are no later orders, so a day more costs nothing. */
export function mainWindow({ period, endsNow = false }: SaleQuestion): Window {
  return { from: period.from, to: period.to, isWideFrom: false, isWideTo: endsNow };
}

/**
 * An order this near to a bound proves that the API did not cut orders there. At least half an hour, the step of time zones; in a
 * quiet academy six times the usual gap between orders, at most two hours. Milliseconds.
 */
function nearMs(first: number, last: number, count: number): number {
  return Math.min(Math.max(30 * 60_000, (6 * (last - first)) / count), 2 * 3_600_000);
}

const dayOf = (at: number) => Math.floor(at / dayMs);

/** Whether an order in the period proves that the API applied a bound to the minute. */
function isProof(at: number, end: number, near: number): boolean {
  return Math.abs(end - at) < near && dayOf(at) === dayOf(end);
}

/**
 * The ends of a period to request again, a day wider, after it was read by its exact bounds: each end without an order near it.
 * `times` are the times of the orders in the period.
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

/** A platform that applies a bound may be off by two days and its zone's offset; an order further away shows that it ignores it. */
const maxErrorMs = 2 * dayMs + 14 * 3_600_000;

export type TimeFilter = 'created_after' | 'created_before';

/** The bound that the API must have ignored to return an order of this time. */
export function ignoredBound(at: number, { from, to }: Pick<Period, 'from' | 'to'>): TimeFilter | undefined {
  if (from !== undefined && at < from - maxErrorMs) return 'created_after';
  return at > to + maxErrorMs ? 'created_before' : undefined;
}
