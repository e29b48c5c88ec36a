import Bottleneck from 'bottleneck';
import type { Clock } from '../../shared/clock.ts';

/** A request that waits for its turn. */
export interface Waiter {
  /** Bottleneck's priority: lower goes first. */
  priority: number;
  /** False once the waiter has left, with or without a turn. */
  isWaiting(): boolean;
  /** Runs the request. Never rejects. */
  start(): Promise<void>;
  /** Rejects the request, because the program ends. */
  drop(): void;
}

export interface Pacing {
  maxConcurrent: number;
  /** Least time between two starts, in milliseconds. */
  minTime: number;
}

export interface PriorityQueueOptions extends Pacing {
  /** Turns that are free at this moment. */
  free: () => number;
  clock: Clock;
  /** How far the wall clock is ahead of the monotonic one, in milliseconds. */
  drift?: () => number;
}

/** If the wall clock steps back by more than this, the queue is replaced. Milliseconds. */
const stepBack = 1_000;

const wallClockDrift = () => Date.now() - performance.now();

/**
 * Bottleneck's queue, with two of its faults worked around. It schedules by the wall clock, so a step back would freeze
 * it: then this replaces the queue. And a priority cannot change: a waiter that moves up gets a second place, and the
 * first one to come counts.
 */
export function createPriorityQueue({ free, clock, drift = wallClockDrift, ...initial }: PriorityQueueOptions) {
  const waiters = new Set<Waiter>();
  let pacing: Pacing = initial;
  let queue = newQueue();
  let lastDrift = drift();
  let endWatch: (() => void) | undefined;

  function newQueue(): Bottleneck {
    const created = new Bottleneck({ reservoir: free(), ...pacing });
    // A listener that throws makes Bottleneck recurse until the stack overflows. Callers receive its errors anyway.
    created.on('error', () => {});
    return created;
  }

  function place(waiter: Waiter, priority: number): void {
    const here = queue;
    const job = async () => {
      // A waiter that has left is still in the queue. So is the second place of a waiter that moved up.
      if (!waiter.isWaiting()) return void queue.incrementReservoir(1);
      waiters.delete(waiter);
      await waiter.start();
    };
    here.schedule({ priority }, job).catch(() => {
      if (here === queue) waiter.drop();
    });
  }

  /** Bottleneck schedules the next job by the wall clock. After a step back that time is far away. */
  function checkClock(): void {
    const now = drift();
    const isBehind = lastDrift - now > stepBack;
    lastDrift = now;
    if (!isBehind) return;
    const old = queue;
    queue = newQueue();
    old.stop({ dropWaitingJobs: true }).catch(() => {});
    for (const waiter of waiters) if (waiter.isWaiting()) place(waiter, waiter.priority);
  }

  function watchClock(): void {
    endWatch ??= clock.later(
      1_000,
      () => {
        endWatch = undefined;
        for (const waiter of waiters) if (!waiter.isWaiting()) waiters.delete(waiter);
        if (waiters.size === 0) return;
        checkClock();
        watchClock();
      },
      'idle',
    );
  }

  return {
    enqueue: (waiter: Waiter): void => {
      checkClock();
      waiters.add(waiter);
      watchClock();
      place(waiter, waiter.priority);
    },
    /** Gives a waiter a better priority. */
    moveUp: (waiter: Waiter, priority: number): void => {
      waiter.priority = priority;
      if (waiter.isWaiting()) place(waiter, priority);
    },
    /** Changes the number of free turns by `count`, which may be negative. */
    refill: (count: number): void => void queue.incrementReservoir(count),
    setPacing: (next: Pacing): void => {
      pacing = next;
      // Without a datastore, Bottleneck applies settings at once. The promise carries no more information.
      void queue.updateSettings({ ...next });
    },
    stop: async (): Promise<void> => {
      endWatch?.();
      await queue.stop({ dropWaitingJobs: true });
    },
  };
}
