import { setTimeout as sleep } from 'node:timers/promises';
import type { Over } from '../built-program.ts';
import type { FaultKind } from '../fault.ts';
import { type Harness, type HarnessOptions, startHarness, type Way } from '../harness.ts';
import type { ToolOperation } from '../operation.ts';
import { answerBytes } from '../raw-http.ts';

/** An active fault: its count, and how to remove it. */
export interface InPlace {
  /** Number of requests that it hit; undefined if it does not act on requests. */
  readonly met?: () => number;
  heal(): Promise<void> | void;
}

/** A harness, and the faults that it supports. */
export interface Bench {
  readonly harness: Harness;
  apply(kind: FaultKind, operation: ToolOperation): Promise<InPlace> | InPlace;
}

/** Fault kinds that share a harness, and the number of such harnesses in parallel. */
export interface Setup {
  readonly takes: (kind: FaultKind) => boolean;
  readonly lanes: number;
  /** The fault lasts as long as the program: every later call returns the same error. */
  readonly lasting?: true;
  /** How long the program itself pauses after the fault, in milliseconds. */
  readonly calmMs?: number;
  /** The correct answers in this setup, if they differ from those of the kind. */
  readonly says?: FaultKind['says'];
  readonly note?: string;
  open(over: Over): Promise<Bench>;
}

/** Timeout in milliseconds: short, so that silent faults end soon, but long enough for a busy machine. */
const settings = { ACADEMY_TIMEOUT_MS: '2000', ACADEMY_RATE_LIMIT: '10000', ACADEMY_RATE_SHARE: '1' };

export const open = <W extends Way>(options: HarnessOptions<W>) =>
  startHarness({ ...options, settings: { ...settings, ...options.settings } });

export const isNamed =
  (...names: string[]) =>
  ({ name }: FaultKind) =>
    names.includes(name);
export const preload = (file: string) => ['--import', new URL(`../places/${file}`, import.meta.url).href];

/** Hits the one request of the operation. */
export function armFor({ faults }: Harness, { name, fault }: FaultKind, { method, path }: ToolOperation): InPlace {
  if (fault === undefined) throw new Error(`${name} has no setup`);
  const match = (itsMethod: string, itsPath: string) => itsMethod === method && itsPath.startsWith(path);
  const armed = faults.arm({ name, fault, match });
  return { met: armed.consumed, heal: armed.disarm };
}

/** Something that happens to the process while the server handles the request of the operation, and answers normally. */
export function during(
  harness: Harness,
  kind: FaultKind,
  operation: ToolOperation,
  happen: (pid: number) => Promise<void>,
): InPlace {
  const fault: FaultKind['fault'] = {
    at: 'body',
    act: async ({ socket, work }) => {
      const answer = answerBytes(await work());
      const happening = happen(harness.program.pid);
      socket.write(answer);
      await happening;
    },
  };
  return armFor(harness, { ...kind, fault }, operation);
}

export async function stall(pid: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  await sleep(2_000);
  process.kill(pid, 'SIGCONT');
}

/** The signal toggles the preloaded code, which handles it within a few milliseconds. */
export async function toggle(pid: number): Promise<void> {
  process.kill(pid, 'SIGUSR2');
  await sleep(50);
}
