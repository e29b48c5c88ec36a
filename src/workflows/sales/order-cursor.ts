import { createHash } from 'node:crypto';
import * as z from 'zod';
import { limitedText } from '../../contract/schemas/input-fields.ts';
import {
  earliest,
  isLaterBound,
  isTimeZone,
  type Period,
  type PeriodQuestion,
  resolvePeriod,
} from '../../insights/period.ts';
import type { ToolContext } from '../../mcp/tool.ts';
import { type CursorScope, cursorNumber, maxRows } from '../../shared/cursor.ts';
import { refuseInput } from '../../shared/invalid-input.ts';

// Where an answer over orders starts or continues. A cursor carries everything that the first part resolved, so the next part
// has the same question on any replica.

/** Tolerated clock difference between replicas. Milliseconds. */
const maxSkew = 60_000;

const moment = cursorNumber(earliest, Number.MAX_SAFE_INTEGER);

/** Of a bound of the first call: only compared with the arguments given with the cursor. */
const digest = z.string().regex(/^[\w-]{6}$/);

const digestOf = (text: string | undefined) =>
  text && createHash('sha256').update(text).digest('base64url').slice(0, 6);

/** The order of the values in a cursor. */
const cursorSchema = z.strictObject({
  from: moment.optional(),
  to: moment,
  timezone: limitedText(64).refine(isTimeZone),
  period: digest.optional(),
  created_after: digest.optional(),
  created_before: digest.optional(),
  running: cursorNumber(1, 1).optional(),
  at: cursorNumber(0, maxRows),
});

type OrderCursorContext = Pick<ToolContext, 'now' | 'timezone' | 'cursors'>;
type Bounds = Omit<PeriodQuestion, 'timezone'> & { timezone?: string | undefined };

export type PeriodBounds = Pick<Bounds, 'period' | 'created_after' | 'created_before'>;
const boundNames = ['period', 'created_after', 'created_before'] as const;
type Digests = { readonly [Name in keyof PeriodBounds]?: string | undefined };

export interface OrderCursor {
  readonly period: Period;
  readonly digests: Digests;
  /** Whether the period goes on after the first call. */
  readonly isRunning: boolean;
  readonly at: number;
  readonly isFurther: boolean;
}

export function periodFor({ timezone, ...bounds }: Bounds, context: Pick<ToolContext, 'now' | 'timezone'>) {
  return resolvePeriod({ ...bounds, timezone: timezone ?? context.timezone }, context.now());
}

function readOrderCursor(cursor: string, scope: CursorScope, { now, cursors }: OrderCursorContext): OrderCursor {
  const { from, to, timezone, running, at, ...digests } = cursors.read(cursorSchema, cursor, scope);
  const isPossible = (from ?? earliest) < to && to <= now().getTime() + maxSkew;
  if (!isPossible) throw refuseInput(['cursor has an impossible period']);
  return { period: { from, to, timezone }, digests, isRunning: running === 1, at, isFurther: true };
}

const digestsOf = (bounds: PeriodBounds): Digests =>
  Object.fromEntries(boundNames.map((name) => [name, digestOf(bounds[name])]));

/** Period arguments that come with a cursor must be those of the first call, or be left out. */
function refuseOtherPeriod({ timezone, ...bounds }: Bounds, { period, digests }: OrderCursor): void {
  const first = { ...digests, timezone: period.timezone };
  const own = { ...digestsOf(bounds), timezone };
  const others = ([...boundNames, 'timezone'] as const).filter(
    (name) => own[name] !== undefined && own[name] !== first[name],
  );
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
  if (cursor !== undefined) {
    const position = readOrderCursor(cursor, scope, context);
    refuseOtherPeriod({ period, created_after, created_before, timezone }, position);
    return position;
  }
  const isOpen = created_after === undefined && created_before === undefined;
  const bounds = { period: period ?? (isOpen ? 'all_time' : undefined), created_after, created_before } as const;
  const resolved = await periodFor({ ...bounds, timezone }, context);
  const running = isRunning({ bounds, period: resolved });
  return { period: resolved, digests: digestsOf(bounds), isRunning: running, at: 0, isFurther: false };
}

export function writeOrderCursor(
  { period, digests, isRunning, at }: OrderCursor,
  scope: CursorScope,
  { cursors }: OrderCursorContext,
): string {
  const { from, to, timezone } = period;
  const content = { from, to, timezone, ...digests, running: isRunning ? 1 : undefined, at };
  return cursors.write(cursorSchema, content, scope);
}

const runningName = /^(today|this_\w+|last_\d+_days)$/;

/** Whether the period goes on after the call, so that its sums will grow. All time has no end that could be missing. */
export function isRunning({ bounds, period }: { bounds: PeriodBounds; period: Period }): boolean {
  const { created_after, created_before } = bounds;
  return (
    runningName.test(bounds.period ?? '') ||
    (created_after !== undefined && created_before === undefined) ||
    (created_before !== undefined && isLaterBound(created_before, period))
  );
}
