import { setTimeout as sleep } from 'node:timers/promises';
import { createRandom, type Random } from '../../../src/sandbox/seed/random.ts';
import { quantile } from '../../bench/statistics.ts';
import { inLanes, range } from '../../support/lanes.ts';
import type { Figure, Size } from '../figure.ts';
import { type ScaledProgram, startScaledAccount } from '../load/scaled.ts';

type Cancelled = Awaited<ReturnType<typeof callAndCancel>>;

/** Maximum time in which the program must end a cancelled call, in milliseconds; after that the call counts as leaked. */
const forgottenMs = 2_000;

async function endOf({ ended }: ScaledProgram, courseId: number): Promise<number | undefined> {
  const until = performance.now() + forgottenMs;
  while (!ended.has(courseId) && performance.now() < until) await sleep(5);
  return ended.get(courseId);
}

async function callAndCancel(program: ScaledProgram, courseId: number, moment: (courseId: number) => Promise<void>) {
  const abort = new AbortController();
  const answer = program.call(courseId, abort.signal).then(
    () => undefined,
    () => performance.now(),
  );
  await moment(courseId);
  const at = performance.now();
  abort.abort();
  const rejected = await answer;
  const ended = await endOf(program, courseId);
  return {
    courseId,
    /** Milliseconds; undefined if the call was answered although it was cancelled. */
    callerMs: rejected === undefined ? undefined : rejected - at,
    /** Milliseconds; undefined if it never ended for the program. */
    programMs: ended === undefined ? undefined : Math.max(0, ended - at),
  };
}

function timeOf(cancelled: readonly Cancelled[], of: 'callerMs' | 'programMs', share: number): number {
  const times = cancelled.map((one) => one[of] ?? Number.POSITIVE_INFINITY);
  return quantile(times, share);
}

const counts: Record<Size, number> = { short: 40, whole: 500 };
/** Long enough that no token returns while calls are cancelled. */
const windowMs: Record<Size, number> = { short: 1_500, whole: 8_000 };
const slowestMs = 50;
/** Extra time for tokens to return, because timers may be late on a busy machine. Milliseconds. */
const patienceMs = 3_000;

type Setup = Awaited<ReturnType<typeof setUp>>;

const setUp = (limit: number, size: Size, latencyMs: [number, number], random: Random) =>
  startScaledAccount({ limit, windowMs: windowMs[size], latencyMs, share: 1, maxWaitWindows: 2, random });

const requestedIds = ({ server }: Setup) => server.log.map(({ path }) => Number(path.split('/').at(-1)));

/** Waits until every hold must have ended, and reports tokens that have not returned. */
async function leaked({ program }: Setup, limit: number, size: Size): Promise<string[]> {
  const until = performance.now() + windowMs[size] * 1.01 + patienceMs;
  while (program.budget().remaining !== limit && performance.now() < until) await sleep(50);
  const { remaining, queued } = program.budget();
  return remaining === limit && queued === 0
    ? []
    : [`${remaining} of ${limit} tokens after all holds, ${queued} queued`];
}

function failuresOf(cancelled: readonly Cancelled[]): string[] {
  const answered = cancelled.filter(({ callerMs }) => callerMs === undefined).length;
  const forgotten = cancelled.filter(({ programMs }) => programMs === undefined).length;
  return [
    ...(answered > 0 ? [`${answered} calls were answered although they were cancelled`] : []),
    ...(forgotten > 0 ? [`${forgotten} calls went on in the program`] : []),
  ];
}

/** Spends the budget first, so that every further call waits in the queue. */
async function cancelQueued(size: Size, random: Random) {
  const limit = 60;
  const setup = await setUp(limit, size, [1, 3], random);
  await Promise.all(range(limit).map((index) => setup.program.call(index + 1)));
  const moment = () => sleep(random.integer(0, 30));
  const cancelled = await inLanes(range(counts[size]), 20, (index) =>
    callAndCancel(setup.program, limit + 1 + index, moment),
  );
  const leaks = await leaked(setup, limit, size);
  const sent = requestedIds(setup).filter((courseId) => courseId > limit).length;
  const failures = [
    ...failuresOf(cancelled),
    ...leaks,
    ...(sent > 0 ? [`${sent} requests were sent for calls that were cancelled in the queue`] : []),
  ];
  return { name: 'queued', cancelled, sent, failures };
}

async function arrival({ server }: Setup, courseId: number): Promise<void> {
  const until = performance.now() + patienceMs;
  while (!server.arrived.has(`/api/v1/courses/${courseId}`) && performance.now() < until) await sleep(2);
}

/** Sends each request at once, and cancels it in flight. A sent request keeps its token for a whole hold. */
async function cancelInFlight(size: Size, random: Random) {
  const limit = 600;
  const latencyMs: [number, number] = [200, 400];
  const setup = await setUp(limit, size, latencyMs, random);
  const moment = async (courseId: number) => {
    await arrival(setup, courseId);
    await sleep(random.integer(0, 30));
  };
  const cancelled = await inLanes(range(counts[size]), 8, (index) => callAndCancel(setup.program, index + 1, moment));
  const { remaining = 0 } = setup.program.budget();
  await sleep(latencyMs[1]);
  const sent = requestedIds(setup).length;
  const early = remaining - (limit - sent);
  const failures = [
    ...failuresOf(cancelled),
    ...(early > 0 ? [`${early} tokens of sent requests returned too early`] : []),
    ...(await leaked(setup, limit, size)),
  ];
  return { name: 'in flight', cancelled, sent, failures };
}

const milliseconds = (value: number) => `${value.toFixed(1)} ms`;

/** Only the whole form judges times: with 40 calls, one stall of a busy machine would be the p99. */
function slow(cancelled: readonly Cancelled[], size: Size): string[] {
  if (size === 'short') return [];
  const share = 0.99;
  return (['callerMs', 'programMs'] as const)
    .map((of) => ({ of, time: timeOf(cancelled, of, share) }))
    .filter(({ time }) => !(time < slowestMs))
    .map(({ of, time }) => `p${share * 100} of ${of} is ${milliseconds(time)}`);
}

export const figure: Figure = {
  id: 'F9',
  title: 'Cancelled calls',
  target: 'p99 below 50 ms, queued and in flight; 0 requests sent for queued calls; 0 tokens lost',
  run: async (size, seed) => {
    const queued = await cancelQueued(size, createRandom('f9-queued', seed));
    const inFlight = await cancelInFlight(size, createRandom('f9-in-flight', seed));
    const parts = [queued, inFlight];
    const failures = parts.flatMap((part) =>
      [...part.failures, ...slow(part.cancelled, size)].map((failure) => `${part.name}: ${failure}`),
    );
    const lines = parts.map(
      (part) =>
        `${part.name}: p99 ${milliseconds(timeOf(part.cancelled, 'callerMs', 0.99))} to the caller, ${milliseconds(timeOf(part.cancelled, 'programMs', 0.99))} until the program has ended the call`,
    );
    return {
      tried: `${counts[size]} calls cancelled in the queue and ${counts[size]} in flight (${inFlight.sent} had reached the API), at random moments, by a real MCP client in memory; windows scaled`,
      result: `${lines.join('; ')}; ${queued.sent} requests sent for queued calls; ${failures.length === 0 ? 'every token returned' : 'see below'}`,
      details: [
        'after all holds have ended the budget is complete again; before that, each sent request keeps its token',
      ],
      failures,
      zeros: [{ what: 'requests sent for a call that was cancelled in the queue', of: counts[size] }],
    };
  },
};
