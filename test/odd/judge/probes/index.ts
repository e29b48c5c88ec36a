import type { Probe } from '../probe.ts';
import { communityProbes } from './community.ts';
import { orderProbes } from './orders.ts';
import { salesProbes } from './sales.ts';
import { structureProbes } from './structure.ts';
import { studentProbes } from './students.ts';
import { bulkProbes, updateProbes, writeProbes } from './writes.ts';

export const probes: readonly Probe[] = [
  ...salesProbes,
  ...orderProbes,
  ...studentProbes,
  ...communityProbes,
  ...structureProbes,
  ...writeProbes,
  ...updateProbes,
  ...bulkProbes,
];

/** Probes whose name is one of these, or begins with one of these and a slash. */
export function probesNamed(names: readonly string[]): Probe[] {
  const unknown = names.find((name) => !probes.some((probe) => isCalled(probe, name)));
  if (unknown !== undefined) throw new Error(`no probe is called ${unknown}`);
  return probes.filter((probe) => names.some((name) => isCalled(probe, name)));
}

const isCalled = ({ name }: Probe, wanted: string) => name === wanted || name.startsWith(`${wanted}/`);
