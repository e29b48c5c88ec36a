import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from './watcher.ts';

/** Milliseconds between two calls: with the checks of events, they fit into the limit of an account. */
export const paceMs = 1_500;

/**
 * The times of the calls of a person, in milliseconds, one every 1.5 seconds. Each reads another page, so that each sends a
 * request to the API. `first`: the first page.
 */
export async function timeCalls({ call }: Connection, calls: number, first: number): Promise<number[]> {
  const times: number[] = [];
  for (let page = first; page < first + calls; page += 1) {
    const started = performance.now();
    await call('list_orders', { page, per_page: 1, status: 'all' });
    const milliseconds = performance.now() - started;
    times.push(milliseconds);
    await sleep(Math.max(0, paceMs - milliseconds));
  }
  return times;
}
