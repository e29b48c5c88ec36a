import * as z from 'zod';
import { isDateOrTime } from '../../contract/schemas/date-time.ts';
import { limitedText } from '../../contract/schemas/input-fields.ts';
import { isTimeZone } from '../../insights/calendar.ts';
import { earliest, type Period, type PeriodQuestion, periodNames, resolvePeriod } from '../../insights/period.ts';
import type { KnownProduct } from '../../insights/sales/product-match.ts';
import { productKinds, productRef } from '../../insights/sales/sold-order.ts';
import type { ToolContext } from '../../mcp/tool.ts';
import { type CursorScope, maxRows } from '../../shared/cursor.ts';
import { refuseInput } from '../../shared/invalid-input.ts';

// Where an answer over orders begins or goes on. A cursor carries all that the first part resolved, so that the next part
// asks the same question, also of another replica.

/** Clocks of replicas may differ so much. Milliseconds. */
const maxSkew = 60_000;

const moment = z.int().min(earliest);

/** Only compared with what is given beside the cursor. */
const bound = limitedText(64).refine(isDateOrTime);

const placeShape = z.strictObject({
  from: moment.optional(),
  to: moment,
  timezone: limitedText(64).refine(isTimeZone),
  /** The bounds in the words of the first part. */
  period: z.enum(periodNames).optional(),
  created_after: bound.optional(),
  created_before: bound.optional(),
  /** No title: that would be text of the client's choice. */
  product: z.strictObject({ kind: z.enum(productKinds), id: z.int().min(1) }).optional(),
  at: z.int().min(0).max(maxRows),
});
type Written = z.output<typeof placeShape>;

type OrderCursorContext = Pick<ToolContext, 'now' | 'timezone' | 'cursors'>;
type Bounds = Omit<PeriodQuestion, 'timezone'> & { timezone?: string | undefined };

export interface OrderCursor {
  readonly period: Period;
  /** What the first part was given as its period. */
  readonly bounds: Pick<Bounds, 'period' | 'created_after' | 'created_before'>;
  /** The one that the first part found; a cursor knows no title. */
  readonly product: KnownProduct | undefined;
  /** Rows that have been shown. */
  readonly at: number;
  readonly isFurther: boolean;
}

export function periodFor({ timezone, ...bounds }: Bounds, context: Pick<ToolContext, 'now' | 'timezone'>) {
  return resolvePeriod({ ...bounds, timezone: timezone ?? context.timezone }, context.now());
}

function readOrderCursor(cursor: string, asked: CursorScope, { now, cursors }: OrderCursorContext): OrderCursor {
  const { from, to, timezone, product, at, ...bounds } = cursors.read(placeShape, cursor, asked);
  const isPossible = (from ?? earliest) < to && to <= now().getTime() + maxSkew;
  if (!isPossible) throw refuseInput(['cursor is of a period that no question can have']);
  const known = product && { ...product, title: undefined, ref: productRef(product.kind, product.id) };
  return { period: { from, to, timezone }, bounds, product: known, at, isFurther: true };
}

/** What is given once more must be what the first part was given; left away, it goes without saying. */
function refuseOthers(given: Bounds, { period: { timezone }, bounds }: OrderCursor): void {
  const first: Bounds = { ...bounds, timezone };
  const names = ['period', 'created_after', 'created_before', 'timezone'] as const;
  const others = names.filter((name) => given[name] !== undefined && given[name] !== first[name]);
  if (others.length > 0) {
    throw refuseInput(others.map((name) => `${name} is not that of the first call: leave it out beside cursor`));
  }
}

/** Where a call begins: anew, or where its cursor says. Throws `invalid_input` for the cursor of another question. */
export async function orderCursorFor(
  { cursor, period, created_after, created_before, timezone }: Bounds & { cursor?: string | undefined },
  asked: CursorScope,
  context: OrderCursorContext,
): Promise<OrderCursor> {
  const isOpen = created_after === undefined && created_before === undefined;
  const bounds = { period, created_after, created_before };
  if (cursor !== undefined) {
    const place = readOrderCursor(cursor, asked, context);
    refuseOthers({ ...bounds, timezone }, place);
    return place;
  }
  const first = { ...bounds, period: period ?? (isOpen ? 'all_time' : undefined) } as const;
  const resolved = await periodFor({ ...first, timezone }, context);
  return { period: resolved, bounds: first, product: undefined, at: 0, isFurther: false };
}

export function writeOrderCursor(
  { period, bounds, product, at }: OrderCursor,
  asked: CursorScope,
  { cursors }: OrderCursorContext,
): string {
  const known = product && { kind: product.kind, id: product.id };
  const written: Written = { ...period, ...bounds, product: known, at };
  return cursors.write(written, asked);
}
