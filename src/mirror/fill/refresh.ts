import type { Refreshable, RefreshQuestion, RefreshResult, RefreshTerms } from '../../mcp/data-mirror.ts';
import { AcademyError } from '../../shared/errors.ts';
import type { FillContext, Filling } from './list-filling.ts';
import { readWindows } from './order-windows.ts';
import { scanPeriod, storeScan } from './orders.ts';
import type { Activity } from './pace.ts';
import type { WrittenOrders } from './written-orders.ts';

export interface RefreshParts {
  readonly context: FillContext;
  readonly fillings: Readonly<Record<Refreshable, Filling>>;
  readonly written: WrittenOrders;
  /** A step that waits for one of the background hurries that one. */
  readonly waiting: Activity;
  /** The longest time, in milliseconds. */
  readonly refreshMs: number;
}

/**
 * The periods to read again, newest first: those of the filling, since each has few pages. What was read counts, even if the time
 * of the call is over before the last one.
 */
async function periodsSince(since: number, { store, now }: FillContext): Promise<{ from: number; to: number }[]> {
  const windows = await readWindows(store);
  const at = now().getTime();
  const periods = windows
    .filter(({ to }) => to > since)
    .map(({ from, to }, index) => ({ from: Math.max(from, since), to: index === 0 ? at : to }));
  const earliest = periods.at(-1)?.from ?? at;
  return earliest > since ? [...periods, { from: since, to: earliest }] : periods;
}

/** Reads the orders since a moment again, whatever is known of them. */
async function rereadOrders(
  since: number,
  context: FillContext,
  { written }: RefreshParts,
  progress: (done: number) => void,
): Promise<void> {
  for (const [index, period] of (await periodsSince(since, context)).entries()) {
    const scan = await scanPeriod(period, context);
    await context.store.write(storeScan(scan, period, context));
    await written.repeatSince(scan.asOf.getTime());
    const stopped = scan.stopped();
    if (stopped !== undefined) throw new AcademyError('api_unavailable', stopped);
    progress(index + 1);
  }
}

/** Reads a list from its start to its end. */
async function reread(
  filling: Filling,
  context: FillContext,
  waiting: Activity,
  progress: (done: number) => void,
): Promise<void> {
  filling.invalidate();
  for (let done = 1; await filling.isDue(context); done += 1) {
    await filling.step({ ...context, onTurn: waiting.begin() });
    progress(done);
    // The first steps of orders bring the new ones; older ones follow in the background.
    if (filling.name === 'orders') return;
  }
}

/** Reads newer data with the requests of one call. Returns at its deadline with what it has. */
export async function refresh(
  { what = 'orders', since }: RefreshQuestion,
  { api, signal, progress }: RefreshTerms,
  parts: RefreshParts,
): Promise<RefreshResult> {
  const { context, fillings, refreshMs } = parts;
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(refreshMs)]);
  const own: FillContext = {
    ...context,
    api: {
      call: (operation, input, options = {}) =>
        api.call(operation, input, { ...options, signal: deadline, priority: 'bulk' }),
    },
  };
  const report = (done: number) => progress(done, undefined, `read ${done} parts of the ${what}`);
  try {
    // Before the orders since a moment: an empty mirror has no period yet, whose time says how fresh it is.
    await reread(fillings[what], own, parts.waiting, report);
    if (what === 'orders' && since !== undefined) await rereadOrders(since, own, parts, report);
    return { stopped: undefined };
  } catch (error) {
    signal.throwIfAborted();
    if (deadline.aborted) return { stopped: 'the time of this call was over; call again to go on' };
    if (error instanceof AcademyError) return { stopped: `${error.code}: ${error.message}` };
    throw error;
  }
}
