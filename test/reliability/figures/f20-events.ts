import { createRandom } from '../../../src/sandbox/seed/random.ts';
import { forge } from '../f20/forged.ts';
import { killWhileWatched } from '../f20/kills.ts';
import { type Figure, type FigureResult, firstFailures, type Size } from '../figure.ts';

const kills: Record<Size, { kills: number; betweenMs: number }> = {
  short: { kills: 2, betweenMs: 2_000 },
  whole: { kills: 20, betweenMs: 29_000 },
};
const forged: Record<Size, { events: number; watchMs: number }> = {
  short: { events: 200, watchMs: 2_000 },
  whole: { events: 1_000, watchMs: 150_000 },
};

async function run(size: Size, seed: number): Promise<FigureResult> {
  const watched = await killWhileWatched({ ...kills[size], random: createRandom('f20', seed) });
  const flood = await forge(forged[size]);
  const failures = [...watched.failures, ...flood.failures];
  return {
    tried: `the built program over HTTP, killed ${kills[size].kills} times with SIGKILL while an academy with 600 activities a minute sent ${watched.sent} events and a client of each era watched academy://events; then ${forged[size].events} forged events`,
    result: `${watched.failures.length} events lost or read twice; forged events: at most ${flood.maxPerMinute} API requests a minute, ${flood.failures.length} shown as facts`,
    reached: failures.length === 0,
    details: [
      `${watched.updates} notifications; after each one, and after each restart, the client read the new events with new_cursor`,
      `forged events: ${flood.requests} API requests in all; the median delivery was answered in ${Math.round(flood.deliveryMs)} ms`,
    ],
    failures: firstFailures(failures.map((failure) => `seed ${seed}, ${failure}`)),
    zeros: failures.length === 0 ? [{ what: 'events lost or read twice across kills', of: 2 * watched.sent }] : [],
  };
}

export const figure: Figure = {
  id: 'F20',
  title: 'Events, across kills and forgeries',
  target:
    'every event reaches each watching client once; 1,000 forged events cost at most 6 API requests a minute and none is shown as a fact',
  run,
};
