import type { Refreshable, RefreshQuestion, RefreshResult, RefreshTerms } from '../../mcp/data-mirror.ts';
import { AcademyError } from '../../shared/errors.ts';
import type { FillContext, inTurns } from './list-filling.ts';
import type { Activity } from './pace.ts';

/** Clients end a call after a minute. Milliseconds. */
const longestMs = 45_000;

export interface RefreshParts {
  readonly context: FillContext;
  readonly fillings: Readonly<Record<Refreshable, ReturnType<typeof inTurns>>>;
  /** A step that waits for one of the background hurries that one. */
  readonly waiting: Activity;
  /** The longest time, in milliseconds. */
  readonly refreshMs: number;
}

/** Reads a list until nothing of it is due, with the requests of one call. Returns at its deadline with what it has. */
export async function refresh(
  { what = 'orders', since }: RefreshQuestion,
  { api, signal, progress }: RefreshTerms,
  { context, fillings, waiting, refreshMs }: RefreshParts,
): Promise<RefreshResult> {
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(Math.min(refreshMs, longestMs))]);
  const own: FillContext = {
    ...context,
    isAsked: true,
    api: {
      call: (operation, input, options = {}) =>
        api.call(operation, input, { ...options, signal: deadline, priority: 'bulk' }),
    },
  };
  const filling = fillings[what];
  const inTurn = () => ({ ...own, onTurn: waiting.begin() });
  try {
    await filling.prepare(inTurn(), since);
    filling.invalidate(true);
    for (let done = 1; await filling.isDue(own); done += 1) {
      deadline.throwIfAborted();
      await filling.step(inTurn());
      progress(done, undefined, `read ${done} parts of the ${what}`);
    }
    return { stopped: undefined };
  } catch (error) {
    signal.throwIfAborted();
    if (deadline.aborted) return { stopped: 'the time of this call was over; call again to go on' };
    if (error instanceof AcademyError) return { stopped: `${error.code}: ${error.message}` };
    throw error;
  }
}
