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

export interface CoveredPart extends Freshness {
  /** Its start; minus infinity: from the first order on. */
  readonly from: number;
}

/**
 * The newest part of a period of which the mirror has every order: complete windows that were read recently, from the end of
 * the period back to the first gap. Undefined if there is none, or if new orders were not looked for recently.
 */
export function coveredPart(
  { from = Number.NEGATIVE_INFINITY, to }: MirrorPeriod,
  { windows, hasBeginning, outdatedAt }: OrderState,
  now: number,
): CoveredPart | undefined {
  const [newest] = windows;
  if (newest === undefined || now - newest.to > maxLookAgeMs) return undefined;
  let start = Math.min(to, newest.to);
  let readAt = newest.to;
  const first = windows.at(-1);
  const whole = windows.map((one) =>
    hasBeginning && one === first ? { ...one, from: Number.NEGATIVE_INFINITY } : one,
  );
  for (const window of whole.filter((one) => one.from < to && one.to > from)) {
    const isRecent = now - window.readAt <= maxChangeAgeMs && window.readAt > outdatedAt;
    if (!window.isComplete || !isRecent || window.to < start) break;
    readAt = Math.min(readAt, window.readAt);
    start = window.from;
  }
  const isCovered = start < Math.min(to, newest.to);
  return isCovered ? { from: start, newUpTo: new Date(newest.to), changesAsOf: new Date(readAt) } : undefined;
}
