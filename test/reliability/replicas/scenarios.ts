import { setTimeout as sleep } from 'node:timers/promises';
import { longRunUse, maxInWindow } from '../load/measures.ts';
import { type Fleet, ownLimit, startFleet } from './fleet.ts';

/** Something that happens to four replicas under load, and how much of the budget it may cost. */
interface Scenario {
  readonly name: string;
  /** Requests that may be missing afterwards, by docs/internals/decisions/0013-redis-log.md. */
  readonly maxLoss: number;
  /** Part of the short form; the others are tested in test/redis/ in shorter windows. */
  readonly isShort?: true;
  happen(fleet: Fleet): Promise<void>;
}

const pausedMs = 20_000;
/** A window and the time to come back. */
const windowLoss = Math.ceil((ownLimit * 64) / 60);

export const steady: Scenario = { name: 'nothing happens', maxLoss: 0, isShort: true, happen: async () => {} };

export const scenarios: readonly Scenario[] = [
  steady,
  {
    name: 'kill -9 of a replica, which starts again after 20 s',
    // Tokens of four requests under way and one in hand: each returns half a window later than it would have.
    maxLoss: 12,
    isShort: true,
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
  { name: 'the clock of a replica an hour ahead', maxLoss: 6, isShort: true, happen: async (fleet) => fleet.skew(1) },
];

export interface Observed {
  readonly scenario: Scenario;
  readonly requests: number;
  readonly refused: number;
  readonly inWindow: number;
  /** The part of our share that is used: in the whole run, or once the effects of the event are over. */
  readonly use: number;
  readonly answers: ReadonlyMap<string, number>;
}

/** How long the effects of an event last, in milliseconds: a window without tokens, and the one after. */
const aftermathMs = 150_000;

/** Runs four replicas and 16 clients for a while. What is to happen happens after `eventMs`. */
export async function observe(scenario: Scenario, seed: number, eventMs: number, totalMs: number): Promise<Observed> {
  const fleet = await startFleet(seed);
  const start = performance.now();
  await sleep(eventMs);
  await scenario.happen(fleet);
  const happened = performance.now();
  await sleep(Math.max(0, totalMs - (happened - start)));
  const end = performance.now();
  const answers = new Map(fleet.answers);
  await fleet.close();
  const log = fleet.account.log.filter(({ at }) => at < end);
  const times = log.map(({ at }) => at);
  const isLong = end - happened - aftermathMs >= 120_000;
  const from = isLong && scenario !== steady ? happened + aftermathMs : start;
  return {
    scenario,
    requests: log.length,
    refused: log.filter(({ accepted }) => !accepted).length,
    inWindow: maxInWindow(times, 60_000),
    use: longRunUse(
      times.filter((time) => time >= from),
      { limit: ownLimit, windowMs: 60_000 },
    ),
    answers,
  };
}

/** Requests that an event cost: those that the run without an event made beyond this one. */
export function lossOf({ requests }: Observed, control: Observed): number {
  return Math.max(0, control.requests - requests);
}

export function failuresOf(observed: Observed, control: Observed, wantedUse: number): string[] {
  const { scenario, refused, inWindow, use, answers } = observed;
  const { name, maxLoss } = scenario;
  const loss = lossOf(observed, control);
  const isUnserved = scenario === steady && [...answers.keys()].some((code) => code !== 'ok');
  return [
    ...(refused > 0 ? [`${name}: ${refused} × 429`] : []),
    ...(inWindow > ownLimit ? [`${name}: ${inWindow} requests in a window instead of ${ownLimit}`] : []),
    ...(use >= wantedUse ? [] : [`${name}: ${(use * 100).toFixed(1)}% of the share used`]),
    ...(loss <= maxLoss ? [] : [`${name}: cost ${loss} requests instead of at most ${maxLoss}`]),
    ...(isUnserved ? [`${name}: not every call was served`] : []),
  ];
}
