import { createHash } from 'node:crypto';
import * as z from 'zod';
import { oneLine } from '../clean.ts';
import { isTimeZone } from '../insights/calendar.ts';
import { earliest, type Period, type PeriodQuestion, periodNames, resolvePeriod } from '../insights/period.ts';
import type { KnownProduct } from '../insights/product-match.ts';
import { productKinds, productRef } from '../insights/sold-order.ts';
import { readCursor, writeCursor } from './cursor.ts';
import { refuseInput } from './input.ts';
import type { ToolContext } from './tool.ts';

// Where an answer over orders begins or goes on. A cursor carries all that the first part resolved, so that the next part
// asks the same question, also of another replica.

/** Clocks of replicas may differ so much. Milliseconds. */
const mostSkew = 60_000;
const longestTitle = 200;

const moment = z.int().min(earliest);

const placeShape = z.strictObject({
  from: moment.optional(),
  to: moment,
  timezone: z.string().refine(isTimeZone),
  /** The bounds in the words of the first part. */
  period: z.enum(periodNames).optional(),
  created_after: z.string().optional(),
  created_before: z.string().optional(),
  product: z
    .strictObject({ kind: z.enum(productKinds), id: z.int().min(1), title: z.string().max(longestTitle).optional() })
    .optional(),
  at: z.int().min(0),
});
type Written = z.output<typeof placeShape>;

const cursorShape = placeShape.extend({ sum: z.string() });

type Bounds = Omit<PeriodQuestion, 'timezone'> & { timezone?: string | undefined };

export interface Place {
  readonly period: Period;
  /** What the first part was given as its period. */
  readonly bounds: Pick<Bounds, 'period' | 'created_after' | 'created_before'>;
  /** The one that the first part found. */
  readonly product: KnownProduct | undefined;
  /** Rows that have been shown. */
  readonly at: number;
  readonly isFurther: boolean;
}

/** The tool, and those of its arguments that must be equal in every part. */
export type Asked = readonly [tool: string, ...args: unknown[]];

/** No signature: replicas share no secret, and who makes up a cursor deceives themselves alone. */
function sumOf(place: Written, asked: Asked): string {
  const fields = Object.entries(place)
    .filter(([, value]) => value !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([asked, fields]))
    .digest('base64url')
    .slice(0, 10);
}

export function periodFor({ timezone, ...bounds }: Bounds, context: Pick<ToolContext, 'now' | 'timezone'>) {
  return resolvePeriod({ ...bounds, timezone: timezone ?? context.timezone }, context.now());
}

function readPlace(cursor: string, asked: Asked, now: Date): Place {
  const { sum, ...written } = readCursor(cursorShape, cursor);
  const { from, to, timezone, product, at, ...bounds } = written;
  const isPossible = (from ?? earliest) < to && to <= now.getTime() + mostSkew;
  if (!isPossible || sum !== sumOf(written, asked)) {
    throw refuseInput([
      'cursor belongs to another tool or other arguments: pass it as it is, with those of the answer before',
    ]);
  }
  const known = product && { ...product, title: product.title, ref: productRef(product.kind, product.id) };
  return { period: { from, to, timezone }, bounds, product: known, at, isFurther: true };
}

/** What is given once more must be what the first part was given; left away, it goes without saying. */
function refuseOthers(given: Bounds, { period: { timezone }, bounds }: Place): void {
  const first: Bounds = { ...bounds, timezone };
  const names = ['period', 'created_after', 'created_before', 'timezone'] as const;
  const others = names.filter((name) => given[name] !== undefined && given[name] !== first[name]);
  if (others.length > 0) {
    throw refuseInput(others.map((name) => `${name} is not that of the first call: leave it out beside cursor`));
  }
}

/** Where a call begins: anew, or where its cursor says. Throws `invalid_input` for the cursor of another question. */
export async function placeFor(
  { cursor, period, created_after, created_before, timezone }: Bounds & { cursor?: string | undefined },
  asked: Asked,
  context: Pick<ToolContext, 'now' | 'timezone'>,
): Promise<Place> {
  const isOpen = created_after === undefined && created_before === undefined;
  const bounds = { period, created_after, created_before };
  if (cursor !== undefined) {
    const place = readPlace(cursor, asked, context.now());
    refuseOthers({ ...bounds, timezone }, place);
    return place;
  }
  const first = { ...bounds, period: period ?? (isOpen ? 'all_time' : undefined) } as const;
  const resolved = await periodFor({ ...first, timezone }, context);
  return { period: resolved, bounds: first, product: undefined, at: 0, isFurther: false };
}

export function writePlace({ period, bounds, product, at }: Place, asked: Asked): string {
  const title = product?.title === undefined ? undefined : oneLine(product.title, longestTitle);
  const known = product && { kind: product.kind, id: product.id, title };
  const written: Written = { ...period, ...bounds, product: known, at };
  return writeCursor({ ...written, sum: sumOf(written, asked) });
}
