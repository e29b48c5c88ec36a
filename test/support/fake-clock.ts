import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../src/api/rate-limit/throttle.ts';

/** A clock that stands still until a test moves it, so that no test depends on the speed of the machine. */
export interface FakeClock extends Clock {
  /** Moves the time on, and runs what is due on the way. */
  advance(milliseconds: number): void;
  /** Moves the time on in steps until the promise settles. Work that needs real time gets some after each step. */
  until<T>(promise: Promise<T>, stepMs?: number): Promise<T>;
}

export function createFakeClock(): FakeClock {
  const timers = new Set<{ at: number; work: () => void }>();
  let time = 1_000;

  function advance(milliseconds: number): void {
    const end = time + milliseconds;
    for (;;) {
      const [next] = [...timers].filter(({ at }) => at <= end).sort((one, other) => one.at - other.at);
      if (next === undefined) break;
      timers.delete(next);
      time = Math.max(time, next.at);
      next.work();
    }
    time = end;
  }

  return {
    now: () => time,
    later: (milliseconds, work) => {
      const timer = { at: time + Math.max(0, milliseconds), work };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    advance,
    until: async (promise, stepMs = 10) => {
      let isSettled = false;
      const settle = () => {
        isSettled = true;
      };
      promise.then(settle, settle);
      while (!isSettled) {
        advance(stepMs);
        await sleep(1);
      }
      return await promise;
    },
  };
}
