import type { Freshness } from '../../insights/freshness.ts';
import type { MirrorPeriod } from '../../mcp/data-mirror.ts';
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

/** The windows, with the time before the oldest one if they reach back to the first order. */
function wholeWindows({ windows, hasBeginning }: OrderState): readonly OrderWindow[] {
  const isOldest = (index: number) => hasBeginning && index === windows.length - 1;
  return windows.map((window, index) => (isOldest(index) ? { ...window, from: Number.NEGATIVE_INFINITY } : window));
}

/** The windows of a period, if they are complete, without a gap, and reach back to its start. */
function windowsOf({ from = Number.NEGATIVE_INFINITY, to }: MirrorPeriod, state: OrderState) {
  const own = wholeWindows(state).filter((window) => window.from < to && window.to > from);
  const isWhole = own.every(({ isComplete, to: end }, index) => isComplete && end >= (own[index - 1]?.from ?? end));
  return isWhole && (own.at(-1)?.from ?? Number.POSITIVE_INFINITY) <= from ? own : undefined;
}

/** How fresh the orders of a period are; undefined if some are missing, or if they are too old. */
export function freshnessOf(period: MirrorPeriod, state: OrderState, now: number): Freshness | undefined {
  const own = windowsOf(period, state);
  const [newest] = state.windows;
  if (own === undefined || newest === undefined) return undefined;
  const readAt = own.reduce((least, window) => Math.min(least, window.readAt), newest.to);
  const isFresh = now - newest.to <= maxLookAgeMs && now - readAt <= maxChangeAgeMs;
  return isFresh && readAt > state.outdatedAt
    ? { newUpTo: new Date(newest.to), changesAsOf: new Date(readAt) }
    : undefined;
}
