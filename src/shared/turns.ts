import { AcademyError, RateLimitedError } from './errors.ts';

/** Runs one piece of work after the other: each may need much memory. */
export type Turns = <Result>(work: () => Promise<Result>) => Promise<Result>;

export function createTurns(): Turns {
  let last: Promise<unknown> = Promise.resolve();
  return async (work) => {
    const mine = last.then(work, work);
    last = mine.catch(() => {});
    return await mine;
  };
}

/** The same, with turns for each caller, who leaves with the signal. The work can ask whether anybody else waits. */
export type CallerTurns = ReturnType<typeof createCallerTurns>;

interface Waiter {
  readonly caller: string;
  readonly signal: AbortSignal;
}

const retrySeconds = 5;

/**
 * The next turn goes to the caller whose last turn was the longest ago, so that one caller's queue never delays another for
 * long. `together`: turns at a time. `mostWaiting`: pieces of work of one caller that can wait.
 */
export function createCallerTurns(what: string, { together = 1, mostWaiting = 2 } = {}) {
  let waiting: { readonly caller: string; start(): void }[] = [];
  /** The number of the last turn of each caller while others waited. */
  const lastTurn = new Map<string, number>();
  let turns = 0;
  let running = 0;

  function next(): void {
    if (running >= together) return;
    const before = ({ caller }: { caller: string }) => lastTurn.get(caller) ?? 0;
    // A stable sort: of one caller, the first comes first.
    const [first] = waiting.toSorted((one, other) => before(one) - before(other));
    if (first === undefined) {
      if (running === 0) lastTurn.clear();
      return;
    }
    running += 1;
    turns += 1;
    lastTurn.set(first.caller, turns);
    waiting = waiting.filter((one) => one !== first);
    first.start();
  }

  async function enter({ caller, signal }: Waiter): Promise<void> {
    if (waiting.filter((one) => one.caller === caller).length >= mostWaiting) {
      const hint = `Wait until one of them has ended, about ${retrySeconds} s.`;
      throw new RateLimitedError(`${mostWaiting} of your ${what} wait already`, retrySeconds, { hint });
    }
    await new Promise<void>((resolve, reject) => {
      const onAbort = () => {
        waiting = waiting.filter((other) => other !== one);
        reject(new AcademyError('cancelled', 'the call was cancelled'));
      };
      const start = () => {
        signal.removeEventListener('abort', onAbort);
        resolve();
      };
      const one = { caller, start };
      signal.addEventListener('abort', onAbort);
      waiting.push(one);
      next();
      if (signal.aborted && waiting.includes(one)) onAbort();
    });
  }

  return async <Result>(waiter: Waiter, work: (othersWait: () => boolean) => Promise<Result>): Promise<Result> => {
    await enter(waiter);
    try {
      return await work(() => waiting.some(({ caller }) => caller !== waiter.caller));
    } finally {
      running -= 1;
      next();
    }
  };
}
