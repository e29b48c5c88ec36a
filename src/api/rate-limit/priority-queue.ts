import Bottleneck from 'bottleneck';

/** Somebody who waits for a turn. */
export interface Waiter {
  /** Bottleneck's priority: lower goes first. */
  priority: number;
  /** False once the waiter has gone, with or without a turn. */
  isWaiting(): boolean;
  /** Its turn has come. Never rejects. */
  start(): Promise<void>;
  /** No turn will come: the program ends. */
  drop(): void;
}

export interface Pacing {
  maxConcurrent: number;
  /** Least time between two starts, in milliseconds. */
  minTime: number;
}

export interface PriorityQueueOptions extends Pacing {
  /** Turns that may be given at this moment. */
  free: () => number;
  /** How far the wall clock is ahead of the monotonic one, in milliseconds. */
  drift?: () => number;
}

/** A step of the wall clock back by more than this makes a new queue, in milliseconds. */
const stepBack = 1_000;

const wallClockDrift = () => Date.now() - performance.now();

/**
 * The order in which waiters get their turns: Bottleneck's queue, with two of its faults worked around. It schedules by
 * the wall clock, so a step back would freeze it: the queue is then made anew. And a priority, once given, stays: a
 * waiter that is moved up stands in the queue twice, and the second place is passed over.
 */
export function createPriorityQueue({ free, drift = wallClockDrift, ...initial }: PriorityQueueOptions) {
  const waiters = new Set<Waiter>();
  let pacing: Pacing = initial;
  let queue = newQueue();
  let lastDrift = drift();
  let watch: NodeJS.Timeout | undefined;

  function newQueue(): Bottleneck {
    const created = new Bottleneck({ reservoir: free(), ...pacing });
    // A listener that throws makes Bottleneck recurse until the stack ends; its errors reach the callers anyway.
    created.on('error', () => {});
    return created;
  }

  function place(waiter: Waiter, priority: number): void {
    const here = queue;
    const job = async () => {
      // Whoever has left is still in the queue; so is the second place of one who was moved up.
      if (!waiter.isWaiting()) return void queue.incrementReservoir(1);
      waiters.delete(waiter);
      await waiter.start();
    };
    here.schedule({ priority }, job).catch(() => {
      if (here === queue) waiter.drop();
    });
  }

  /** Bottleneck knows when the next job may start by the wall clock: after a step back that is far away. */
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
    watch ??= setInterval(() => {
      for (const waiter of waiters) if (!waiter.isWaiting()) waiters.delete(waiter);
      if (waiters.size > 0) return checkClock();
      clearInterval(watch);
      watch = undefined;
    }, 1_000).unref();
  }

  return {
    enqueue: (waiter: Waiter): void => {
      checkClock();
      waiters.add(waiter);
      watchClock();
      place(waiter, waiter.priority);
    },
    /** Gives a waiter a better place. */
    moveUp: (waiter: Waiter, priority: number): void => {
      waiter.priority = priority;
      if (waiter.isWaiting()) place(waiter, priority);
    },
    /** Changes the number of turns that may be given, by a number that may be negative. */
    refill: (count: number): void => void queue.incrementReservoir(count),
    setPacing: (next: Pacing): void => {
      pacing = next;
      // Settings of a limiter without a datastore change at once; the promise says nothing more.
      void queue.updateSettings({ ...next });
    },
    stop: async (): Promise<void> => {
      clearInterval(watch);
      await queue.stop({ dropWaitingJobs: true });
    },
  };
}
