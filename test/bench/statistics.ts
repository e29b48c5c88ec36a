import { inLanes, range } from '../support/lanes.ts';

/** The value below which `share` of the samples lie (nearest rank). NaN without samples. */
export function quantile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

export const median = (samples: readonly number[]): number => quantile(samples, 0.5);
export const p95 = (samples: readonly number[]): number => quantile(samples, 0.95);

/**
 * Measures each subject once in every round, starting with a different one each time: a temporary slowdown of the
 * machine affects all of them. The first `warmUps` rounds do not count.
 */
export async function interleave<Subject, Sample>(
  subjects: readonly Subject[],
  { rounds, warmUps }: { rounds: number; warmUps: number },
  measure: (subject: Subject) => Promise<Sample>,
): Promise<{ subject: Subject; samples: Sample[] }[]> {
  const results = subjects.map((subject) => ({ subject, samples: [] as Sample[] }));
  for (let round = 0; round < warmUps + rounds; round += 1) {
    const first = round % subjects.length;
    for (const { subject, samples } of [...results.slice(first), ...results.slice(0, first)]) {
      const sample = await measure(subject);
      if (round >= warmUps) samples.push(sample);
    }
  }
  return results;
}

export async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

export async function perSecond(
  count: number,
  inFlight: number,
  work: (index: number) => Promise<unknown>,
): Promise<number> {
  const milliseconds = await timed(() => inLanes(range(count), inFlight, work));
  return (count / milliseconds) * 1000;
}
