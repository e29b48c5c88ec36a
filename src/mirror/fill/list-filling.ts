import type { Logger } from 'pino';
import type { Api } from '../../api/api.ts';
import type { TimeCells } from '../rows/calendar.ts';
import type { Store } from '../store.ts';

/** What a part of the filling works with. */
export interface FillContext {
  readonly api: Api;
  readonly store: Store;
  readonly now: () => Date;
  /** The server's clock less ours, in milliseconds. */
  readonly clockShiftMs: () => number;
  readonly calendar: (written: string | undefined) => TimeCells;
  readonly log: Logger;
  /** Called when a step begins, after it has waited for the one before. */
  readonly onTurn?: () => void;
}

/** Lets a call and the background take turns with a filling: each step sees what the one before it has stored. */
export function inTurns(filling: Filling): Filling {
  let last: Promise<unknown> = Promise.resolve();
  return {
    ...filling,
    step: (context) => {
      const mine = last.then(async () => {
        context.onTurn?.();
        // The step before may have done what this one was for.
        if (await filling.isDue(context)) await filling.step(context);
      });
      last = mine.catch(() => {});
      return mine;
    },
  };
}

/** Fills one list, a few requests at a time. */
export interface Filling {
  readonly name: string;
  /** Whether there is something to read now. */
  isDue(context: FillContext): Promise<boolean>;
  /** Reads and stores a part. Throws an `AcademyError` if the API cannot be reached. */
  step(context: FillContext): Promise<void>;
  /** Makes it due: something has changed. */
  invalidate(): void;
  /** Begins again: what it has stored is lost. */
  forget?(): void;
}
