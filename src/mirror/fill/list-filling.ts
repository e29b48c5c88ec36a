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
  /** Somebody waits: readings again for their age alone come later. */
  readonly isAsked?: boolean;
  /** Called when a step begins, after it has waited for the one before. */
  readonly onTurn?: () => void;
}

/** Fills one list, a few requests at a time. */
export interface Filling {
  readonly name: string;
  /** Whether there is something to read now. */
  isDue(context: FillContext): Promise<boolean>;
  /** Reads and stores a part. Throws an `AcademyError` if the API cannot be reached. */
  step(context: FillContext): Promise<void>;
  /** Makes it due: something has changed. `isAsked`: somebody wants all of it compared now. */
  invalidate(isAsked?: boolean): void;
  /** Comes before the steps of a refresh. `since`: orders since this moment are to be read again. */
  prepare?(context: FillContext, since: number | undefined): Promise<void>;
}

/** Lets a call and the background take turns with a filling: each step sees what the one before it has stored. */
export function inTurns(filling: Filling): Filling & Required<Pick<Filling, 'prepare'>> {
  let last: Promise<unknown> = Promise.resolve();
  function turn({ onTurn }: FillContext, work: () => Promise<void>): Promise<void> {
    const mine = last.then(async () => {
      onTurn?.();
      await work();
    });
    last = mine.catch(() => {});
    return mine;
  }
  return {
    ...filling,
    step: (context) =>
      turn(context, async () => {
        // The step before may have done what this one was for.
        if (await filling.isDue(context)) await filling.step(context);
      }),
    prepare: (context, since) => turn(context, async () => await filling.prepare?.(context, since)),
  };
}

/** When a list is to be read again: after an interval, and at once if it has changed since its reading began. */
export function createSchedule() {
  let dueAt = Number.NEGATIVE_INFINITY;
  let changes = 0;
  return {
    isDue: ({ now }: Pick<FillContext, 'now'>) => now().getTime() >= dueAt,
    /** Begins a reading. Call the result at its end, with the time until the next one in milliseconds. */
    begin: () => {
      const known = changes;
      return ({ now }: Pick<FillContext, 'now'>, intervalMs: number) => {
        dueAt = changes === known ? now().getTime() + intervalMs : Number.NEGATIVE_INFINITY;
      };
    },
    invalidate: () => {
      changes += 1;
      dueAt = Number.NEGATIVE_INFINITY;
    },
  };
}
