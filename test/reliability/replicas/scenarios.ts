import { setTimeout as sleep } from 'node:timers/promises';
import { maxInWindow } from '../load/measures.ts';
import { accountLimit, type Fleet, ownLimit, startFleet } from './fleet.ts';

/** Something that happens to four replicas under load, and how much of the budget it may cost. */
interface Scenario {
  readonly name: string;
  /** Requests that may be missing afterwards, by docs/scaling.md. */
  readonly maxLoss: number;
  happen(fleet: Fleet): Promise<void>;
}

const pausedMs = 20_000;
/** A window and the time to come back. */
const windowLoss = Math.ceil((ownLimit * 64) / 60);

export const steady: Scenario = { name: 'nothing happens', maxLoss: 0, happen: async () => {} };

export const scenarios: readonly Scenario[] = [
  steady,
  {
    name: 'kill -9 of a replica, which starts again after 20 s',
    // Tokens of requests under way, and those in hand; each returns within a quarter of a window after its own.
    maxLoss: 12,
    happen: async (fleet) => {
      await fleet.kill(0);
      await sleep(20_000);
      await fleet.startAgain(0);
    },
  },
  { name: 'FLUSHALL', maxLoss: windowLoss, happen: ({ redis }) => redis.flush() },
  {
    name: 'a restart of Redis',
    maxLoss: windowLoss,
    happen: async ({ redis }) => {
      await redis.kill();
      await redis.start();
    },
  },
  {
    name: 'Redis paused for 20 s',
    maxLoss: Math.ceil((ownLimit * (pausedMs / 1_000 + 5)) / 60),
    happen: async ({ redis }) => {
      redis.pause();
      await sleep(pausedMs);
      redis.resume();
    },
  },
  {
    name: 'Redis gone for 3 minutes',
    // After the window without tokens, each replica uses its part: 13 of 13.5.
    maxLoss: windowLoss * 2 + 10,
    happen: async ({ redis }) => {
      await redis.kill();
      await sleep(180_000);
      await redis.start();
    },
  },
  { name: 'the clock of a replica an hour ahead', maxLoss: 6, happen: async (fleet) => fleet.skew(1) },
];

export interface Observed {
  readonly name: string;
  readonly requests: number;
  readonly refused: number;
  readonly inWindow: number;
  /** The part of our share that was used before and long after the event. */
  readonly use: number;
  /** Requests that the event cost. */
  readonly loss: number;
  readonly maxLoss: number;
  readonly answers: string;
}

/** How long the effects of an event last, in milliseconds: a window without tokens, and the one after. */
const aftermathMs = 150_000;

function rate(times: readonly number[], from: number, to: number): number {
  return times.filter((time) => time >= from && time < to).length / (((to - from) / 60_000) * ownLimit);
}

/** Runs four replicas and 16 clients for a while. What is to happen happens after `eventMs`. */
export async function observe(scenario: Scenario, seed: number, eventMs: number, totalMs: number): Promise<Observed> {
  const fleet = await startFleet(seed);
  const start = performance.now();
  await sleep(eventMs);
  const event = performance.now();
  await scenario.happen(fleet);
  const happened = performance.now();
  await sleep(Math.max(0, totalMs - (happened - start)));
  const end = performance.now();
  const answers = [...fleet.answers].map(([code, count]) => `${count} ${code}`).join(', ');
  await fleet.close();
  const { log } = fleet.account;
  const times = log.map(({ at }) => at);
  const after = Math.min(happened + aftermathMs, end);
  const isLong = end - after >= 120_000;
  const usual = rate(times, isLong ? after : start, end);
  const lost = (usual - rate(times, event, after)) * (((after - event) / 60_000) * ownLimit);
  return {
    name: scenario.name,
    requests: log.length,
    refused: log.filter(({ accepted }) => !accepted).length,
    inWindow: maxInWindow(times, 60_000),
    use: usual,
    loss: scenario === steady ? 0 : Math.max(0, Math.round(lost)),
    maxLoss: scenario.maxLoss,
    answers,
  };
}

export function failuresOf(observed: Observed, wantedUse: number): string[] {
  const { name, refused, inWindow, use, loss, maxLoss } = observed;
  return [
    ...(refused > 0 ? [`${name}: ${refused} × 429`] : []),
    ...(inWindow > accountLimit ? [`${name}: ${inWindow} requests in a window`] : []),
    ...(use >= wantedUse ? [] : [`${name}: ${(use * 100).toFixed(1)}% of the share used`]),
    ...(loss <= maxLoss ? [] : [`${name}: cost ${loss} requests instead of at most ${maxLoss}`]),
  ];
}
