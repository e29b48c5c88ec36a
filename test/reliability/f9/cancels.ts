import { setTimeout as sleep } from 'node:timers/promises';
import { quantile } from '../load/measures.ts';
import type { ScaledProgram } from '../load/scaled-program.ts';

/** A cancelled call: the time from the cancellation until it ended for the caller, and for the program. */
export interface Cancelled {
  readonly courseId: number;
  /** Milliseconds; undefined if the call was answered although it was cancelled. */
  readonly callerMs: number | undefined;
  /** Milliseconds; undefined if it never ended for the program. */
  readonly programMs: number | undefined;
}

/** Maximum time in which the program must end a cancelled call, in milliseconds; after that the call counts as leaked. */
const forgottenMs = 2_000;

async function endOf({ ended }: ScaledProgram, courseId: number): Promise<number | undefined> {
  const until = performance.now() + forgottenMs;
  while (!ended.has(courseId) && performance.now() < until) await sleep(5);
  return ended.get(courseId);
}

/** Makes a call, and cancels it when `moment` resolves. */
async function callAndCancel(
  program: ScaledProgram,
  courseId: number,
  moment: (courseId: number) => Promise<void>,
): Promise<Cancelled> {
  const abort = new AbortController();
  const answer = program.call(courseId, abort.signal).then(
    () => undefined,
    () => performance.now(),
  );
  await moment(courseId);
  const at = performance.now();
  abort.abort();
  const rejected = await answer;
  const ended = await endOf(program, courseId);
  return {
    courseId,
    callerMs: rejected === undefined ? undefined : rejected - at,
    programMs: ended === undefined ? undefined : Math.max(0, ended - at),
  };
}

export interface Cancelling {
  readonly count: number;
  /** Concurrent calls. */
  readonly atOnce: number;
  readonly firstId: number;
  /** Waits until the call for this course should be cancelled. */
  readonly moment: (courseId: number) => Promise<void>;
}

/** Cancels many calls, each at its own moment. */
export async function cancelMany(program: ScaledProgram, cancelling: Cancelling): Promise<Cancelled[]> {
  const { count, atOnce, firstId, moment } = cancelling;
  const done: Cancelled[] = [];
  let next = 0;
  const caller = async () => {
    while (next < count) {
      next += 1;
      done.push(await callAndCancel(program, firstId + next, moment));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, caller));
  return done;
}

/** The time within which this share of the cancelled calls ended, in milliseconds. */
export function timeOf(cancelled: readonly Cancelled[], of: 'callerMs' | 'programMs', share: number): number {
  const times = cancelled.map((one) => one[of] ?? Number.POSITIVE_INFINITY);
  return quantile(times, share);
}
