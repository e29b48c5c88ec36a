import * as z from 'zod';
import { isDateOrTime } from '../../contract/schemas/date-time.ts';
import { limitedText } from '../../contract/schemas/input-fields.ts';
import { isTimeZone } from '../../insights/calendar.ts';
import {
  earliest,
  type Period,
  type PeriodName,
  type PeriodQuestion,
  periodNames,
  resolvePeriod,
} from '../../insights/period.ts';
import type { KnownProduct } from '../../insights/sales/product-match.ts';
import { productKinds, productRef } from '../../insights/sales/sold-order.ts';
import type { ToolContext } from '../../mcp/tool.ts';
import { type CursorScope, maxRows } from '../../shared/cursor.ts';
import { refuseInput } from '../../shared/invalid-input.ts';

// Where an answer over orders starts or continues. A cursor carries everything that the first part resolved, so the next part
// has the same question on any replica.

/** Tolerated clock difference between replicas. Milliseconds. */
const maxSkew = 60_000;

const moment = z.int().min(earliest);

/** Only compared with the arguments given with the cursor. */
const bound = limitedText(64).refine(isDateOrTime);

/** No title: the client could choose its text. */
const productKey = z.strictObject({
  kind: z.enum(productKinds),
  id: z.int().min(1),
  type: z.literal('challenge').optional(),
});

/** The most products of one question. */
const maxProducts = 20;

const cursorSchema = z.strictObject({
  from: moment.optional(),
  to: moment,
  timezone: limitedText(64).refine(isTimeZone),
  /** The bounds as the first call gave them. */
  period: z.enum(periodNames).optional(),
  created_after: bound.optional(),
  created_before: bound.optional(),
  product: productKey.optional(),
  products: z.array(productKey).max(maxProducts).optional(),
  at: z.int().min(0).max(maxRows),
});
type CursorContent = z.output<typeof cursorSchema>;

type OrderCursorContext = Pick<ToolContext, 'now' | 'timezone' | 'cursors'>;
type Bounds = Omit<PeriodQuestion, 'timezone'> & { timezone?: string | undefined };

export interface OrderCursor {
  readonly period: Period;
  /** The period arguments of the first call. */
  readonly bounds: Pick<Bounds, 'period' | 'created_after' | 'created_before'>;
  /** The product that the first part found; a cursor has no title. */
  readonly product: KnownProduct | undefined;
  /** The same for a question about several. */
  readonly products?: readonly KnownProduct[] | undefined;
  /** Number of rows already shown. */
  readonly at: number;
  readonly isFurther: boolean;
}

export function periodFor({ timezone, ...bounds }: Bounds, context: Pick<ToolContext, 'now' | 'timezone'>) {
  return resolvePeriod({ ...bounds, timezone: timezone ?? context.timezone }, context.now());
}

function readOrderCursor(cursor: string, scope: CursorScope, { now, cursors }: OrderCursorContext): OrderCursor {
  const { from, to, timezone, product, products, at, ...bounds } = cursors.read(cursorSchema, cursor, scope);
  const isPossible = (from ?? earliest) < to && to <= now().getTime() + maxSkew;
  if (!isPossible) throw refuseInput(['cursor has an impossible period']);
  const known = (key: z.output<typeof productKey>) => ({ ...key, title: undefined, ref: productRef(key.kind, key.id) });
  const found = { product: product && known(product), products: products?.map(known) };
  return { period: { from, to, timezone }, bounds, ...found, at, isFurther: true };
}

/** Period arguments given with a cursor must equal those of the first call; they may be omitted. */
function refuseOtherPeriod(given: Bounds, { period: { timezone }, bounds }: OrderCursor): void {
  const first: Bounds = { ...bounds, timezone };
  const names = ['period', 'created_after', 'created_before', 'timezone'] as const;
  const others = names.filter((name) => given[name] !== undefined && given[name] !== first[name]);
  if (others.length > 0) {
    throw refuseInput(others.map((name) => `${name} differs from the first call: omit it if you give cursor`));
  }
}

/** Where a call starts: at the beginning, or at its cursor. Throws `invalid_input` for the cursor of another question. */
export async function orderCursorFor(
  { cursor, period, created_after, created_before, timezone }: Bounds & { cursor?: string | undefined },
  scope: CursorScope,
  context: OrderCursorContext,
): Promise<OrderCursor> {
  const isOpen = created_after === undefined && created_before === undefined;
  const bounds = { period, created_after, created_before };
  if (cursor !== undefined) {
    const position = readOrderCursor(cursor, scope, context);
    refuseOtherPeriod({ ...bounds, timezone }, position);
    return position;
  }
  const first = { ...bounds, period: period ?? (isOpen ? 'all_time' : undefined) } as const;
  const resolved = await periodFor({ ...first, timezone }, context);
  return { period: resolved, bounds: first, product: undefined, at: 0, isFurther: false };
}

export function writeOrderCursor(
  { period, bounds, product, products, at }: OrderCursor,
  scope: CursorScope,
  { cursors }: OrderCursorContext,
): string {
  // A question about one product has no list.
  const keyOf = ({ kind, id, type }: KnownProduct): z.output<typeof productKey> =>
    type === 'challenge' ? { kind, id, type } : { kind, id };
  const found = { product: product && keyOf(product), products: products?.map(keyOf) };
  const content: CursorContent = { ...period, ...bounds, ...found, at };
  return cursors.write(content, scope);
}

const runningPeriods: readonly (PeriodName | undefined)[] = [
  'today',
  'this_week',
  'this_month',
  'this_year',
  'last_7_days',
  'last_30_days',
];

/** Whether the period goes on after the call, so that its sums will grow. All time has no end that could be missing. */
export function isRunning({ bounds, period }: Pick<OrderCursor, 'bounds' | 'period'>): boolean {
  return runningPeriods.includes(bounds.period) || Date.parse(bounds.created_before ?? '') > period.to;
}
