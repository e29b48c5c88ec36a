import type { MirrorFreshness, MirrorPeriod } from '../../mcp/data-mirror.ts';
import { dayMs, minuteMs } from '../../shared/durations.ts';
import type { OrderWindow } from '../fill/order-windows.ts';

/** The longest time since new orders were looked for: the filling looks every 2 minutes. Milliseconds. */
const maxLookAgeMs = 10 * minuteMs;
/** The longest time since an order was read: the filling reads all again within 2 days. Milliseconds. */
const maxChangeAgeMs = 3 * dayMs;

/** What the mirror knows of its orders. */
export interface OrderState {
  /** The newest first. */
  readonly windows: readonly OrderWindow[];
  /** The windows reach back to the first order of the academy. */
  readonly hasBeginning: boolean;
  /** What was read before this moment is outdated: our clock, in milliseconds. */
  readonly outdatedAt: number;
}

/** The windows of a period, if they are complete, without a gap, and reach back to its start. */
function windowsOf({ from, to }: MirrorPeriod, { windows, hasBeginning }: OrderState): OrderWindow[] | undefined {
  const own = windows.filter((window) => window.from < to && window.to > (from ?? Number.NEGATIVE_INFINITY));
  const isWhole = own.every(({ isComplete, to: end }, index) => isComplete && end >= (own[index - 1]?.from ?? end));
  const oldest = own.at(-1);
  const reachesBack = from !== undefined && oldest !== undefined && oldest.from <= from;
  return isWhole && oldest !== undefined && (hasBeginning || reachesBack) ? own : undefined;
}

/** How fresh the orders of a period are; undefined if some are missing, or if they are too old. */
export function freshnessOf(period: MirrorPeriod, state: OrderState, now: number): MirrorFreshness | undefined {
  const own = windowsOf(period, state);
  const [newest] = state.windows;
  if (own === undefined || newest === undefined) return undefined;
  const readAt = own.reduce((least, window) => Math.min(least, window.readAt), newest.to);
  const isFresh = now - newest.to <= maxLookAgeMs && now - readAt <= maxChangeAgeMs;
  return isFresh && readAt > state.outdatedAt
    ? { asOf: new Date(newest.to), changesAsOf: new Date(readAt) }
    : undefined;
}
