import type { Figure, Size } from '../figure.ts';
import { longRunUse, type Model, models, percent } from '../load/model-server.ts';
import { startRealAccount, type Trial, trialName, tryOut } from '../load/trial.ts';

type Run = Pick<Trial, 'limit' | 'windowMs' | 'windows'> & { model: Model };

/** Windows that can be measured: the first batch of requests only starts the clock. Two batches take one window. */
const runs: Record<Size, readonly Run[]> = {
  short: [{ model: 'sliding', limit: 60, windowMs: 5_000, windows: 1.7 }],
  whole: [
    ...models.map((model) => ({ model, limit: 60, windowMs: 3_000, windows: 10 })),
    ...(['fixed', 'sliding'] as const).map((model) => ({ model, limit: 300, windowMs: 4_000, windows: 9 })),
  ],
};
const wantedUse = 0.97;

async function useOf(run: Run, seed: number) {
  const { trial, log } = await tryOut({ ...run, load: 'saturate', share: 1, seed, maxWaitWindows: 3 });
  const times = log.map(({ at }) => at);
  const refused = log.filter(({ accepted }) => !accepted).length;
  return { name: trialName(trial), use: longRunUse(times, trial), refused };
}

interface Burst {
  readonly calls: number;
  /** The latest time of the last answer, in seconds. */
  readonly withinS: number;
  readonly settings: Record<string, string>;
}

const ten: Burst = { calls: 10, withinS: 3, settings: {} };
const sixty: Burst = { calls: 60, withinS: 12, settings: { ACADEMY_RATE_SHARE: '1' } };
const bursts: Record<Size, readonly Burst[]> = { short: [ten], whole: [ten, sixty] };

/** Makes all calls at once, to a built program that has just started. The short form does not judge the time. */
async function fromIdle(burst: Burst, size: Size) {
  const account = await startRealAccount(burst.settings);
  const started = performance.now();
  const answers = await Promise.all(Array.from({ length: burst.calls }, (_, index) => account.call(index + 1)));
  const seconds = (performance.now() - started) / 1000;
  const refused = account.log.filter(({ status }) => status === 429).length;
  const failures = [
    ...answers.filter(({ code }) => code !== 'ok').map(({ text }) => text),
    ...(refused > 0 ? [`${refused} requests were refused with 429`] : []),
    ...(size === 'short' || seconds < burst.withinS ? [] : [`took ${seconds.toFixed(1)} s`]),
  ];
  return { ...burst, seconds, failures: failures.map((failure) => `${burst.calls} calls from idle: ${failure}`) };
}

async function burstsFromIdle(size: Size) {
  const done: Awaited<ReturnType<typeof fromIdle>>[] = [];
  for (const burst of bursts[size]) done.push(await fromIdle(burst, size));
  return done;
}

export const figure: Figure = {
  id: 'F5',
  title: 'Use of the limit',
  target: 'at least 97% of our share in the long run; 10 calls from idle in 3 s, 60 in 12 s',
  run: async (size, seed) => {
    // Not in parallel: the bursts are measured in real time.
    const idle = await burstsFromIdle(size);
    const uses = await Promise.all(runs[size].map((one) => useOf(one, seed)));
    const least = Math.min(...uses.map(({ use }) => use));
    const failures = [
      ...uses
        .filter(({ use }) => size === 'whole' && !(use >= wantedUse))
        .map(({ name, use }) => `${name}: ${percent(use)} used`),
      ...uses.filter(({ refused }) => refused > 0).map(({ name, refused }) => `${name}: ${refused} × 429`),
      ...idle.flatMap((one) => one.failures),
    ];
    const lots = runs[size].map(
      ({ limit, windowMs, windows }) => `${Math.floor(windows)} windows of ${limit} in ${windowMs / 1000} s`,
    );
    const setups = [...new Set(lots)].join(', ');
    const burstsSaid = idle
      .map(({ calls, seconds }) => `${calls} calls from idle in ${seconds.toFixed(1)} s`)
      .join(', ');
    return {
      tried: `12 callers that always have work waiting, share 1: ${setups}; bursts from idle by the built program over stdio at 60 requests a real minute`,
      result: `at least ${percent(least)} of the limit used in the long run; ${burstsSaid}`,
      details: [
        ...uses.map(({ name, use }) => `${name}: ${percent(use)}`),
        'the long run is measured over whole cycles: the time from each request to the one that takes its place. Answers take as long as 100 to 500 ms of a minute, scaled; each token returns 1% of a window late on purpose',
      ],
      failures,
    };
  },
};
