import { setTimeout as sleep } from 'node:timers/promises';
import { quantile } from '../load/measures.ts';
import type { ScaledProgram } from '../load/scaled-program.ts';

/** A call that was cancelled: how long it took from then until the caller, and the program, had done with it. */
export interface Cancelled {
  readonly courseId: number;
  /** Milliseconds; undefined where the call was answered although it was cancelled. */
  readonly callerMs: number | undefined;
  /** Undefined where the program has not done with it. */
  readonly programMs: number | undefined;
}

/** How long the program may take to be done with a cancelled call before it counts as forgotten, in milliseconds. */
const forgottenMs = 2_000;

async function endOf({ ended }: ScaledProgram, courseId: number): Promise<number | undefined> {
  const until = performance.now() + forgottenMs;
  while (!ended.has(courseId) && performance.now() < until) await sleep(5);
  return ended.get(courseId);
}

/** Calls, and cancels when `moment` has come. */
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
  /** Calls at a time. */
  readonly atOnce: number;
  readonly firstId: number;
  /** Waits until the call of this course is to be cancelled. */
  readonly moment: (courseId: number) => Promise<void>;
}

/** Cancels many calls, each at a moment of its own. */
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

/** The time within which this share of the cancelled calls was over, in milliseconds. */
export function timeOf(cancelled: readonly Cancelled[], of: 'callerMs' | 'programMs', share: number): number {
  const times = cancelled.map((one) => one[of] ?? Number.POSITIVE_INFINITY);
  return quantile(times, share);
}
