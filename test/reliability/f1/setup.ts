import { setTimeout as sleep } from 'node:timers/promises';
import type { Over } from '../built-program.ts';
import type { FaultKind } from '../fault.ts';
import { type Harness, type HarnessOptions, startHarness, type Way } from '../harness.ts';
import type { ToolOperation } from '../operation.ts';
import { answerBytes } from '../raw-http.ts';

/** What a fault in place tells of itself, and how it goes away. */
export interface InPlace {
  /** Requests that it met; undefined where it is no matter of requests. */
  readonly met?: () => number;
  heal(): Promise<void> | void;
}

/** A harness and the faults that it can make. */
export interface Bench {
  readonly harness: Harness;
  apply(kind: FaultKind, operation: ToolOperation): Promise<InPlace> | InPlace;
}

/** Kinds that share a harness, and how many such harnesses run in parallel. */
export interface Setup {
  readonly takes: (kind: FaultKind) => boolean;
  readonly lanes: number;
  /** The fault stays for the life of the program: after it only the same error can come. */
  readonly lasting?: true;
  /** How long the program itself holds back after the fault, in milliseconds. */
  readonly calmMs?: number;
  /** What a correct client says here, where it is not what the kind says. */
  readonly says?: FaultKind['says'];
  readonly note?: string;
  open(over: Over): Promise<Bench>;
}

/** Short, so that silence is over soon, and long enough for a busy machine. Milliseconds. */
const settings = { ACADEMY_TIMEOUT_MS: '2000', ACADEMY_RATE_LIMIT: '10000', ACADEMY_RATE_SHARE: '1' };

export const open = <W extends Way>(options: HarnessOptions<W>) =>
  startHarness({ ...options, settings: { ...settings, ...options.settings } });

export const isNamed =
  (...names: string[]) =>
  ({ name }: FaultKind) =>
    names.includes(name);
export const preload = (file: string) => ['--import', new URL(`../places/${file}`, import.meta.url).href];

/** Meets the one request of the operation. */
export function armFor({ faults }: Harness, { name, fault }: FaultKind, { method, path }: ToolOperation): InPlace {
  if (fault === undefined) throw new Error(`${name} has no setup`);
  const match = (itsMethod: string, itsPath: string) => itsMethod === method && itsPath.startsWith(path);
  const armed = faults.arm({ name, fault, match });
  return { met: armed.consumed, heal: armed.disarm };
}

/** Something that happens to the process while the request of the operation is at the server, which answers as ever. */
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

/** The signal toggles what was preloaded; it is handled within a few milliseconds. */
export async function toggle(pid: number): Promise<void> {
  process.kill(pid, 'SIGUSR2');
  await sleep(50);
}
