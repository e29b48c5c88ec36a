import { dayMs } from '../../shared/durations.ts';
import { groupBy } from '../../shared/group-by.ts';
import type { RowTime } from '../api-time.ts';
import { isoTime } from '../period.ts';
import { givesProducts, holds, type SoldOrder } from '../sales/sold-order.ts';

/** Since when a person has held a product, as far as orders were seen. */
export interface HeldSince {
  /** The earliest order that was seen. Milliseconds since 1970. */
  readonly at: number;
  /** It is the earliest of all. */
  readonly isFirst: boolean;
}

/** By `SoldOrder.buyer`. Bought and granted both count. `isWhole`: `orders` have all that the person ever made. */
export function heldSince(
  orders: readonly SoldOrder[],
  ref: string,
  isWhole: (buyer: string) => boolean,
): Map<string, HeldSince> {
  const giving = orders.filter((order) => givesProducts(order) && holds(order, ref));
  const since = [...groupBy(giving, ({ buyer }) => buyer)].flatMap(([buyer, own]): [string, HeldSince][] => {
    const dated = own.flatMap(({ at }) => at ?? []);
    // One without a time may be the first.
    const isFirst = dated.length === own.length && isWhole(buyer);
    return dated.length === 0 ? [] : [[buyer, { at: Math.min(...dated), isFirst }]];
  });
  return new Map(since);
}

/** The day, if it is known; otherwise how it compares with the start of the period. */
export function heldSinceText(held: HeldSince | undefined, from: number | undefined, rowTime: RowTime) {
  if (held === undefined) return undefined;
  if (held.isFirst) return rowTime(isoTime(held.at));
  return from !== undefined && held.at < from ? 'before this period' : 'in or before this period';
}

export interface Learner {
  readonly email: string | undefined;
  readonly name: string | undefined;
  /** Undefined if no order with a time was seen. */
  readonly held: HeldSince | undefined;
  readonly granted?: number;
  /** Percent of the course; undefined if it could not be read. */
  readonly percent: number | undefined;
  /** Why it could not be read, if the API refused. */
  readonly why?: string | undefined;
}

export const defaultBands: readonly number[] = [0, 1, 25, 50, 75, 100];

/** "25-49%", "0%" or "100%". */
function labelOf(from: number, next: number | undefined): string {
  const last = next === undefined ? 100 : next - 1;
  // The percent sign keeps the order of bands: objects put keys that are whole numbers first.
  return last <= from ? `${from}%` : `${from}-${last}%`;
}

export function bandsOf(percents: readonly number[], bounds: readonly number[]) {
  const starts = [...new Set([0, ...bounds])].sort((one, other) => one - other);
  return starts.map((from, index) => {
    const next = starts[index + 1];
    const isIn = (percent: number) => (percent >= from || index === 0) && (next === undefined || percent < next);
    return { label: labelOf(from, next), learners: percents.filter(isIn).length };
  });
}

/** Rounds, but shows 100 only for a completed course. */
function rounded(percent: number): number {
  return percent < 100 ? Math.min(99, Math.round(percent)) : 100;
}

function leastFirst(one: Learner, other: Learner): number {
  return (one.percent ?? 0) - (other.percent ?? 0) || (one.held?.at ?? 0) - (other.held?.at ?? 0);
}

export function distribute(
  learners: readonly Learner[],
  { bounds, stuckAfterDays, now }: { bounds: readonly number[]; stuckAfterDays: number; now: Date },
) {
  const percents = learners.flatMap(({ percent }) => (percent === undefined ? [] : [percent]));
  const isOld = ({ held }: Learner) => held !== undefined && now.getTime() - held.at >= stuckAfterDays * dayMs;
  const sum = percents.reduce((total, percent) => total + percent, 0);
  const having = (isIn: (percent: number) => boolean) =>
    learners.filter(({ percent }) => percent !== undefined && isIn(percent));
  return {
    bands: bandsOf(percents, bounds),
    average: percents.length === 0 ? undefined : rounded(sum / percents.length),
    notStarted: having((percent) => percent <= 0).sort(leastFirst),
    /** Not finished `stuckAfterDays` after they first got it, the lowest percent first. */
    stuck: having((percent) => percent < 100)
      .filter(isOld)
      .sort(leastFirst),
    finished: having((percent) => percent >= 100),
    unread: learners.filter(({ percent }) => percent === undefined),
  };
}

export type Distribution = ReturnType<typeof distribute>;
