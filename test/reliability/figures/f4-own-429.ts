import { inLanes, range } from '../../support/lanes.ts';
import type { Figure, Size } from '../figure.ts';
import { longRunUse, maxInWindow, models, percent } from '../load/model-server.ts';
import { realAllowance, startRealAccount, type Trial, type Tried, trialName, tryOut } from '../load/trial.ts';

type Group = Pick<Trial, 'limit' | 'share' | 'windowMs' | 'windows'>;

/** The trials of a group run in parallel; the groups run one after the other, so that the machine is not the limit. */
const groups: Record<Size, readonly Group[]> = {
  short: [{ limit: 60, share: 1, windowMs: 1_500, windows: 2.2 }],
  whole: [
    { limit: 60, share: 1, windowMs: 2_000, windows: 9 },
    { limit: 60, share: 0.9, windowMs: 2_000, windows: 9 },
    { limit: 300, share: 1, windowMs: 5_000, windows: 5 },
    { limit: 300, share: 0.9, windowMs: 5_000, windows: 5 },
  ],
};
const loads = ['saturate', 'bursty'] as const;
const wantedUse = 0.97;

async function tryGroup(group: Group, seed: number): Promise<Tried[]> {
  const trials = models.flatMap((model) => loads.map((load) => ({ ...group, model, load, seed, maxWaitWindows: 3 })));
  return await Promise.all(trials.map(tryOut));
}

function failuresOf({ trial, log, tally }: Tried): string[] {
  const times = log.map(({ at }) => at);
  const allowed = Math.floor(trial.limit * trial.share);
  const most = maxInWindow(times, trial.windowMs);
  const refused = log.filter(({ accepted }) => !accepted).length;
  const wrongs = [
    ...(refused > 0 ? [`${refused} of ${log.length} requests were refused with 429`] : []),
    ...(most > allowed ? [`${most} requests in one window instead of ${allowed}`] : []),
    ...tally.failed,
  ];
  return wrongs.map((wrong) => `${trialName(trial)}: ${wrong}`);
}

/** Makes enough calls for a little over one real minute, with 20 callers that always have work waiting. */
async function realMinute(share: number) {
  const settings = { ACADEMY_RATE_SHARE: String(share), ACADEMY_MAX_WAIT_MS: '90000' };
  const account = await startRealAccount(settings);
  const limit = Math.floor(realAllowance.limit * share);
  const answers = await inLanes(range(limit * 2), 20, (index) => account.call(index + 1));
  const times = account.log.map(({ at }) => at);
  const refused = account.log.filter(({ status }) => status === 429).length;
  const use = longRunUse(times, { ...realAllowance, limit });
  const name = `a real minute over stdio, share ${share}`;
  const failures = [
    ...(refused > 0 ? [`${name}: ${refused} of ${times.length} requests were refused with 429`] : []),
    ...(use >= wantedUse ? [] : [`${name}: ${percent(use)} of the share used`]),
    ...answers.filter(({ code }) => code !== 'ok').map(({ text }) => `${name}: ${text}`),
  ];
  return { requests: times.length, refused, use, failures };
}

async function tryGroups(size: Size, seed: number): Promise<Tried[]> {
  const tried: Tried[] = [];
  for (const group of groups[size]) tried.push(...(await tryGroup(group, seed)));
  return tried;
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

export const figure: Figure = {
  id: 'F4',
  title: '429s that we cause ourselves',
  target:
    '0 in at least 20,000 requests with 5 ways of counting; in a real minute 0, with at least 97% of the share used',
  run: async (size, seed) => {
    const shares = size === 'whole' ? [1, 0.9] : [];
    const tried = await tryGroups(size, seed);
    // Not in parallel with the others: their bursts would slow down the sandbox in this process.
    const minutes = await Promise.all(shares.map(realMinute));
    const scaled = sum(tried.map(({ log }) => log.length));
    const requests = scaled + sum(minutes.map((minute) => minute.requests));
    const refused = sum(tried.map(({ log }) => log.filter(({ accepted }) => !accepted).length));
    const inMinutes = sum(minutes.map((minute) => minute.refused));
    const failures = [...tried.flatMap(failuresOf), ...minutes.flatMap((minute) => minute.failures)];
    const setups = [...new Set(tried.map(({ trial: { limit, windowMs } }) => `${limit} in ${windowMs / 1000} s`))];
    const inReal =
      minutes.length === 0
        ? ''
        : `; ${requests - scaled} in real minutes from the built program over stdio, with shares 1 and 0.9`;
    const uses = minutes.map(({ use }, index) => `${percent(use)} of share ${shares[index]}`).join(', ');
    return {
      tried: `${scaled} requests over loopback HTTP to APIs with 5 ways of counting, limits of ${setups.join(' and ')}, steady and bursty load${inReal}`,
      result: `${refused + inMinutes} × 429${uses === '' ? '' : `; in a real minute ${uses} used`}`,
      reached: requests >= (size === 'whole' ? 20_000 : 500),
      details: [
        'ways of counting: fixed windows by the clock, fixed windows from the first request, a sliding window, a sliding window that also counts refused requests, a bucket that refills evenly',
        'no window of any trial had more requests than our share of the limit',
        'the use in a real minute predicts the long run: it compares a minute with the time from each request to the one that takes its place',
      ],
      failures,
      zeros: [{ what: 'requests refused with 429 while we are the only user of the account', of: requests }],
    };
  },
};
