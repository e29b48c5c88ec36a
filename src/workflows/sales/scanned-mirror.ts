import type { Freshness } from '../../insights/freshness.ts';
import type { SoldOrder } from '../../insights/sales/sold-order.ts';

/** The mirror that answers for a scan. */
export interface ScannedMirror {
  /** Of everything that was read so far. */
  freshness(): Freshness;
  /** All orders of people; undefined if the mirror does not have them. */
  ordersOf(buyers: readonly string[]): Promise<readonly SoldOrder[] | undefined>;
}
