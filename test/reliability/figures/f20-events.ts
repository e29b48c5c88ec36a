import { createRandom } from '../../../src/sandbox/seed/random.ts';
import { forge } from '../f20/forged.ts';
import { killWhileWatched } from '../f20/kills.ts';
import { type Figure, type FigureResult, firstFailures, type Size } from '../figure.ts';
import { quantile } from '../load/measures.ts';

const kills: Record<Size, { kills: number; betweenMs: number }> = {
  short: { kills: 1, betweenMs: 1_500 },
  whole: { kills: 20, betweenMs: 29_000 },
};
const forged: Record<Size, Parameters<typeof forge>[0]> = {
  short: { events: 60, calls: 4, watchMs: 1_000 },
  whole: { events: 1_000, calls: 30, watchMs: 150_000 },
};

const milliseconds = (times: readonly number[], share: number) => `${Math.round(quantile(times, share))} ms`;

async function run(size: Size, seed: number): Promise<FigureResult> {
  const watched = await killWhileWatched({ ...kills[size], random: createRandom('f20', seed) });
  const flood = await forge(forged[size]);
  const failures = [...watched.failures, ...flood.failures];
  return {
    tried: `the built program over HTTP, killed ${kills[size].kills} times with SIGKILL while an academy with 600 activities a minute sent ${watched.sent} events and a client of each era watched academy://events; then ${forged[size].events} forged events, 1,300 a minute, while a person made 40 calls a minute`,
    result: `${watched.failures.length} events lost or read twice; forged events: at most ${flood.maxPerMinute} API requests a minute, ${flood.facts} shown as facts, and a person's calls took ${milliseconds(flood.floodCalls, 0.5)} instead of ${milliseconds(flood.quietCalls, 0.5)} at the median`,
    reached: failures.length === 0,
    details: [
      `${watched.updates} notifications; after each one, and after each restart, the client read the new events with new_cursor`,
      `forged events: ${flood.requests} API requests in all; deliveries were answered in ${milliseconds(flood.deliveries, 0.5)} at the median and ${milliseconds(flood.deliveries, 0.99)} at the 99th percentile`,
      `a person's calls, of which the academy took 250 ms: median ${milliseconds(flood.quietCalls, 0.5)}, slowest ${milliseconds(flood.quietCalls, 1)}; while forged events arrived, median ${milliseconds(flood.floodCalls, 0.5)}, slowest ${milliseconds(flood.floodCalls, 1)}`,
    ],
    failures: firstFailures(failures.map((failure) => `seed ${seed}, ${failure}`)),
    zeros: failures.length === 0 ? [{ what: 'events lost or read twice across kills', of: 2 * watched.sent }] : [],
  };
}

export const figure: Figure = {
  id: 'F20',
  title: 'Events, across kills and forgeries',
  target:
    "every event reaches each watching client once; 1,000 forged events cost at most 6 API requests a minute, none is shown as a fact, and a person's calls take at most twice as long meanwhile at the median",
  run,
};
