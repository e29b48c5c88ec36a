import { setTimeout as sleep } from 'node:timers/promises';
import { createRandom, type Random } from '../../../src/sandbox/seed/random.ts';
import type { Figure, Size } from '../figure.ts';
import { type Allowance, type Model, type ModelServer, models, percent } from '../load/model-server.ts';
import { type Trial, type Tried, trialName, tryOut } from '../load/trial.ts';

const allowance: Record<Size, { limit: number; windowMs: number }> = {
  short: { limit: 60, windowMs: 1_500 },
  whole: { limit: 60, windowMs: 3_000 },
};
const windows: Record<Size, number> = { short: 10, whole: 20 };
/** Windows left out of the measure, in which the limiter detects the other user: over few windows they would count too much. */
const skipped: Record<Size, number> = { short: 2, whole: 0 };
const restartWindows = 3;
/** The default share, and callers that wait as long as the setting allows. */
const patient = { share: 0.9, maxWaitWindows: 10, callers: 8, load: 'saturate' } as const;
const othersShare = 0.5;

const most = { ours: 0.06, others: 0.2, atRestart: { told: 4, untold: 16 } } as const;

interface Way {
  readonly model: Model;
  readonly retryAfter: boolean;
}

const withRetryAfter = (model: Model): Way => ({ model, retryAfter: true });
const everyWay = models.flatMap((model) => [withRetryAfter(model), { model, retryAfter: false }]);
const ways: Record<Size, { sharing: readonly Way[]; restarts: readonly Way[] }> = {
  short: { sharing: [withRetryAfter('fixed'), withRetryAfter('sliding')], restarts: models.map(withRetryAfter) },
  whole: { sharing: everyWay, restarts: everyWay },
};

/** Eight callers of ours and another user of the account, who never slows down after a refusal. */
function sharing(size: Size, seed: number): Trial[] {
  return ways[size].sharing.map((way) => {
    const random = createRandom('f6', seed, way.model, String(way.retryAfter));
    const others = steadyOther(allowance[size], othersShare, random);
    return { ...allowance[size], ...patient, ...way, windows: windows[size], seed, others };
  });
}

/** The first moments of a process that does not know how much another user has spent. */
function restarts(size: Size, seed: number): Trial[] {
  const others = spentBefore(allowance[size]);
  return ways[size].restarts.map((way) => ({
    ...allowance[size],
    ...patient,
    ...way,
    windows: restartWindows,
    seed,
    others,
  }));
}

async function share(trial: Trial, skip: number): Promise<Tried> {
  const tried = await tryOut(trial);
  const from = (tried.log[0]?.at ?? 0) + skip * trial.windowMs;
  return { ...tried, log: tried.log.filter(({ at }) => at >= from) };
}

/** Requests of one side, and how many of them were refused. */
function refusals({ log }: Tried, caller: 'us' | 'other') {
  const requests = log.filter((entry) => entry.caller === caller);
  const refused = requests.filter(({ accepted }) => !accepted).length;
  return { requests: requests.length, refused, part: refused / Math.max(1, requests.length) };
}

const unanswered = ({ tally }: Tried) => tally.failed.length + tally.refused + tally.toldToWait;

function failuresOfCalls(tried: Tried): string[] {
  const lost = unanswered(tried);
  return lost === 0 ? [] : [`${lost} calls failed, such as: ${tried.tally.failed[0] ?? 'refused after all tries'}`];
}

/** The short form has too few requests to judge shares, and a busy machine shifts them. */
function failuresOfSharing(tried: Tried, size: Size): string[] {
  if (size === 'short') return failuresOfCalls(tried);
  const ours = refusals(tried, 'us').part;
  const others = refusals(tried, 'other').part;
  const wrongs = [
    ...(ours > most.ours ? [`${percent(ours)} of our requests were refused`] : []),
    ...(others > most.others ? [`${percent(others)} of the other user's requests were refused`] : []),
    ...failuresOfCalls(tried),
  ];
  return wrongs.map((wrong) => `${trialName(tried.trial)}: ${wrong}`);
}

function failuresOfRestart(tried: Tried): string[] {
  const { refused } = refusals(tried, 'us');
  const allowed = tried.trial.retryAfter ? most.atRestart.told : most.atRestart.untold;
  const wrongs = [
    ...(refused > allowed ? [`${refused} × 429 instead of ${allowed} at most`] : []),
    ...failuresOfCalls(tried),
  ];
  return wrongs.map((wrong) => `restart, ${trialName(tried.trial)}: ${wrong}`);
}

const wayOf = ({ trial: { model, retryAfter } }: Tried) => `${model}${retryAfter ? '' : ' without Retry-After'}`;

function lineOf(tried: Tried): string {
  const ours = refusals(tried, 'us');
  const others = refusals(tried, 'other');
  return `${wayOf(tried)}: ${percent(ours.part)} of our ${ours.requests} requests refused, ${percent(others.part)} of the other's ${others.requests}`;
}

function range(parts: readonly number[]): string {
  return `${percent(Math.min(...parts))} to ${percent(Math.max(...parts))}`;
}

export const figure: Figure = {
  id: 'F6',
  title: 'Another user of the account',
  target:
    'up to 6% of our requests refused, up to 20% of the other user’s, 0 failed calls; after a restart up to 4 × 429 with Retry-After, 16 without',
  run: async (size, seed) => {
    const [shared, restarted] = await Promise.all([
      Promise.all(sharing(size, seed).map((trial) => share(trial, skipped[size]))),
      Promise.all(restarts(size, seed).map(tryOut)),
    ]);
    const failures = [
      ...shared.flatMap((tried) => failuresOfSharing(tried, size)),
      ...restarted.flatMap((tried) => (size === 'short' ? failuresOfCalls(tried) : failuresOfRestart(tried))),
    ];
    const lost = [...shared, ...restarted].reduce((sum, tried) => sum + unanswered(tried), 0);
    const partsOf = (caller: 'us' | 'other') => shared.map((tried) => refusals(tried, caller).part);
    const atRestart = (told: boolean) =>
      Math.max(
        0,
        ...restarted.filter(({ trial }) => trial.retryAfter === told).map((tried) => refusals(tried, 'us').refused),
      );
    return {
      tried: `8 callers that always have work waiting, share 0.9, and another user who sends half the limit evenly, even after refusals: ${windows[size]} windows of ${allowance[size].limit} in ${allowance[size].windowMs / 1000} s with each of ${shared.length} accounts (ways of counting, with and without Retry-After); and ${restarted.length} starts immediately after the whole limit was spent`,
      result: `${range(partsOf('us'))} of our requests refused, ${range(partsOf('other'))} of the other's, ${lost} calls failed; after a restart up to ${atRestart(true)} × 429 with Retry-After, ${atRestart(false)} without`,
      details: [
        ...shared.map(lineOf),
        `429s after a restart: ${restarted.map((tried) => `${wayOf(tried)} ${refusals(tried, 'us').refused}`).join(', ')}`,
        'pauses after a 429 scale with the window: at first 5 s of a minute, at most a minute; callers wait up to 10 windows',
      ],
      failures,
    };
  },
};

/** Another user of the account, who sends this share of the limit evenly, even after refusals. */
function steadyOther({ limit, windowMs }: Allowance, share: number, random: Random) {
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
function spentBefore({ limit }: Allowance) {
  return async (server: ModelServer): Promise<void> => {
    for (let count = 0; count < limit; count += 1) server.arriveFromOther();
  };
}
