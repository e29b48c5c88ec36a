import { type Figure, type FigureResult, firstFailures, type Size } from '../figure.ts';
import { failuresOf, lossOf, type Observed, observe, scenarios, steady } from '../replicas/scenarios.ts';

const wantedUse = 0.9;
const lengths = { short: { eventMs: 45_000, totalMs: 120_000 }, whole: { eventMs: 120_000, totalMs: 600_000 } };

const percent = (part: number) => `${(part * 100).toFixed(1)}%`;

function lineOf(observed: Observed, control: Observed): string {
  const { scenario, requests, refused, inWindow, use, answers } = observed;
  const cost =
    scenario === steady ? '' : `; it cost ${lossOf(observed, control)} requests of at most ${scenario.maxLoss}`;
  const said = [...answers].map(([code, count]) => `${count} ${code}`).join(', ');
  return `${scenario.name}: ${requests} requests, ${refused} × 429, at most ${inWindow} in a minute, ${percent(use)} of the share used${cost}; answers: ${said}`;
}

async function run(size: Size, seed: number): Promise<FigureResult> {
  const { eventMs, totalMs } = lengths[size];
  const chosen = scenarios.filter(({ isShort }) => size === 'whole' || isShort);
  const observed = await Promise.all(
    chosen.map((scenario, index) => observe(scenario, seed + index, eventMs, totalMs)),
  );
  const control = observed.find(({ scenario }) => scenario === steady);
  if (control === undefined) throw new Error('there is no run without an event');
  const failures = observed.flatMap((one) => failuresOf(one, control, wantedUse));
  const requests = observed.reduce((sum, one) => sum + one.requests, 0);
  const refused = observed.reduce((sum, one) => sum + one.refused, 0);
  const least = Math.min(...observed.map(({ use }) => use));
  const most = Math.max(...observed.map((one) => lossOf(one, control)));
  return {
    tried: `${requests.toLocaleString('en')} requests of 16 real clients to four replicas of the built program with one Redis, each request to another replica, at 60 a real minute with share 0.9, ${totalMs / 60_000} minutes for each of ${observed.length} cases`,
    result: `${refused} × 429; at least ${percent(least)} of the share used; a failure cost at most ${most} requests`,
    reached: failures.length === 0,
    details: [
      ...observed.map((one) => lineOf(one, control)),
      'the API counts a sliding window, and refused requests as well',
    ],
    failures: firstFailures(failures),
    zeros: refused === 0 ? [{ what: 'requests of replicas refused with 429', of: requests }] : [],
  };
}

export const figure: Figure = {
  id: 'F21',
  title: 'Replicas that share a limit',
  target:
    '0 × 429 and at least 90% of the share used, also through the loss of a replica, a flushed, restarted, paused or absent Redis and a wrong clock, each at most at its documented cost',
  run,
};
