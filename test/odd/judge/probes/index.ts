import type { Probe } from '../verdict.ts';
import { orderProbes } from './orders.ts';
import { salesProbes, timeProbes } from './sales.ts';
import { communityProbes, structureProbes } from './structure.ts';
import { bulkProbes, studentProbes } from './students.ts';
import { updateProbes, writeProbes } from './writes.ts';

const reading: readonly Probe[] = [...salesProbes, ...orderProbes, ...studentProbes, ...communityProbes, ...timeProbes];

export const probes: readonly Probe[] = [
  ...reading,
  ...structureProbes,
  ...writeProbes,
  ...updateProbes,
  ...bulkProbes,
];

/** Whether a question changes nothing, so that other questions can use the same academy. */
export function isReading(probe: Probe): boolean {
  return reading.includes(probe);
}

/** `tool` is the question with that name or, if there is none, all questions of the tool; `tool/*` is all of them. */
function isCalled({ name }: Probe, wanted: string): boolean {
  const [tool] = wanted.split('/');
  return wanted.endsWith('/*') ? name.split('/')[0] === tool : name === wanted;
}

export function probesNamed(names: readonly string[]): Probe[] {
  const called = (wanted: string) => {
    const exact = probes.filter((probe) => isCalled(probe, wanted));
    return exact.length > 0 ? exact : probes.filter((probe) => isCalled(probe, `${wanted}/*`));
  };
  const unknown = names.find((name) => called(name).length === 0);
  if (unknown !== undefined) throw new Error(`no probe is called ${unknown}`);
  const found = new Set(names.flatMap(called));
  return probes.filter((probe) => found.has(probe));
}
