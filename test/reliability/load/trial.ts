import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { createRandom } from '../../../src/sandbox/seed/random.ts';
import { type ModelServer, scaledLatency, startModelServer } from '../server-models.ts';
import { burst, createCallers, saturate, type Tally } from './callers.ts';
import type { Allowance, Model } from './counters.ts';
import { createScaledClient, defaultMaxWaitWindows } from './scaled-client.ts';

export interface Trial extends Allowance {
  readonly model: Model;
  readonly load: 'saturate' | 'bursty';
  readonly share: number;
  /** Duration. */
  readonly windows: number;
  readonly seed: number;
  readonly retryAfter?: boolean;
  readonly callers?: number;
  readonly maxWaitWindows?: number;
  /** The other users of the account, until the signal. */
  readonly others?: (server: ModelServer, signal: AbortSignal) => Promise<void>;
}

export interface Tried {
  readonly trial: Trial;
  readonly log: ModelServer['log'];
  readonly tally: Tally;
}

export const trialName = ({ model, load, limit, share, windowMs, seed, retryAfter = true }: Trial): string =>
  `seed ${seed}, ${model}, ${load}, limit ${limit} in ${windowMs / 1000} s, share ${share}${retryAfter ? '' : ', no Retry-After'}`;

/** Puts load on an API of one model through the real limiter and HTTP client, over loopback. */
export async function tryOut(trial: Trial): Promise<Tried> {
  const { windowMs, windows, limit, load, callers: count = 12, retryAfter = true } = trial;
  const random = createRandom(trialName(trial));
  const server = await startModelServer({ ...trial, retryAfter, latencyMs: scaledLatency(windowMs), random });
  const { maxWaitWindows = defaultMaxWaitWindows } = trial;
  const client = createScaledClient({ ...trial, maxWaitWindows, url: server.url, random });
  const end = new AbortController();
  // Every caller listens to it. From 11 listeners on, Node would warn of a leak.
  setMaxListeners(0, end.signal);
  const callers = createCallers(client, end.signal);
  const size = limit / 60;
  const bursts = { windowMs, calls: [20 * size, 89 * size], random } as const;
  const working = [
    trial.others?.(server, end.signal),
    load === 'saturate' ? saturate(callers, count, windowMs / 60, end.signal) : burst(callers, bursts, end.signal),
  ];
  await sleep(windows * windowMs);
  end.abort();
  await Promise.all(working);
  await client.close();
  await server.close();
  return { trial, log: server.log, tally: callers.tally };
}
