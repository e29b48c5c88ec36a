import { setTimeout as sleep } from 'node:timers/promises';
import { claimOf } from '../claim.ts';
import type { FaultServer, LogEntry } from '../fault-server.ts';
import type { ToolOperation } from '../operation.ts';
import type { ToolAnswer } from '../tool-answer.ts';
import { isRead } from './weather.ts';

/** The history of one write, from its first call to the last repeat. */
export interface Story {
  readonly name: string;
  readonly operation: ToolOperation;
  readonly calls: readonly Heard[];
}

/** One call: the program's answer, and the state of the sandbox at that time. */
export interface Heard {
  readonly answer: ToolAnswer;
  readonly count: number;
  /** The requests of the write itself within this call. */
  readonly sent: readonly LogEntry[];
  /** Whether a read failed within the call: then reading back may have shown nothing. */
  readonly readsFailed: boolean;
  /** Time of the program's last read; undefined without one. */
  readonly lastReadAt: number | undefined;
}

/** Pauses before each repeat, in milliseconds: an agent repeats at once, and twice more after the named wait. */
export const repeatAfter = (quarantineMs: number) => [0, quarantineMs + 100, quarantineMs + 100];

async function callOnce(call: Caller, operation: ToolOperation, { log }: FaultServer): Promise<Heard> {
  const before = log.length;
  const answer = claimOf(operation, await call(operation.tool, operation.args));
  const entries = log.slice(before);
  const sent = entries.filter(({ method, path }) => method === operation.method && path.startsWith(operation.path));
  const reads = entries.filter(({ method, path }) => isRead(method, path));
  const readsFailed = reads.some(({ fault }) => fault !== undefined);
  return { answer, count: operation.count(), sent, readsFailed, lastReadAt: reads.at(-1)?.at };
}

type Caller = (name: string, args: Record<string, unknown>) => Promise<ToolAnswer>;

/** An agent that repeats a call until the answer reports it as done, at most three times. */
export async function insist(
  call: Caller,
  operation: ToolOperation,
  server: FaultServer,
  name: string,
  pauses: readonly number[],
) {
  const calls = [await callOnce(call, operation, server)];
  for (const pause of pauses) {
    if (calls.at(-1)?.answer.outcome === 'applied') break;
    await sleep(pause);
    calls.push(await callOnce(call, operation, server));
  }
  return { name, operation, calls } satisfies Story;
}
