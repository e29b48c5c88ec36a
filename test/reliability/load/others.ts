import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../../src/sandbox/seed/random.ts';
import type { ModelServer } from '../server-models.ts';
import type { Allowance } from './counters.ts';

/** Another user of the account, who sends this share of the limit evenly, even after refusals. */
export function steadyOther({ limit, windowMs }: Allowance, share: number, random: Random) {
  const gap = windowMs / (limit * share);
  return async (server: ModelServer, signal: AbortSignal): Promise<void> => {
    let next = performance.now();
    while (!signal.aborted) {
      server.arriveFromOther();
      // Follows the clock, so that late timers do not slow it down.
      next += gap * (0.5 + random.next());
      await sleep(Math.max(0, next - performance.now()), undefined, { signal }).catch(() => {});
    }
  };
}

/** A process that spent the whole limit just before our start and has ended. */
export function spentBefore({ limit }: Allowance) {
  return async (server: ModelServer): Promise<void> => {
    for (let count = 0; count < limit; count += 1) server.arriveFromOther();
  };
}
