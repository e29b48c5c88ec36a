import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import type { Attempt, Limiter } from '../../../src/api/rate-limit/limiter.ts';
import {
  createSlidingLimiter,
  createUnlimited,
  type SlidingLimiterOptions,
} from '../../../src/api/rate-limit/sliding-window-limiter.ts';
import type { Clock } from '../../../src/api/rate-limit/throttle.ts';
import { RateLimitedError } from '../../../src/shared/errors.ts';
import { start } from '../../support/sandbox.ts';
import { collectWarnings } from '../../support/warnings.ts';

/** A clock that stands still until a test moves it, so that no test depends on the speed of the machine. */
interface FakeClock extends Clock {
  /** Moves the time on, and runs what is due on the way. */
  advance(milliseconds: number): void;
  /** Moves the time on in steps until the promise settles. Work that needs real time gets some after each step. */
  until<T>(promise: Promise<T>, stepMs?: number): Promise<T>;
}

function createFakeClock(): FakeClock {
  const timers = new Set<{ at: number; work: () => void }>();
  let time = 1_000;

  function advance(milliseconds: number): void {
    const end = time + milliseconds;
    for (;;) {
      const [next] = [...timers].filter(({ at }) => at <= end).sort((one, other) => one.at - other.at);
      if (next === undefined) break;
      timers.delete(next);
      time = Math.max(time, next.at);
      next.work();
    }
    time = end;
  }

  return {
    now: () => time,
    later: (milliseconds, work) => {
      const timer = { at: time + Math.max(0, milliseconds), work };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    advance,
    until: async (promise, stepMs = 10) => {
      let isSettled = false;
      const settle = () => {
        isSettled = true;
      };
      promise.then(settle, settle);
      while (!isSettled) {
        advance(stepMs);
        await sleep(1);
      }
      return await promise;
    },
  };
}

function limiterFor(options: Partial<SlidingLimiterOptions>): Limiter {
  const limiter = createSlidingLimiter({
    limit: 10,
    share: 1,
    maxWaitMs: 5_000,
    windowMs: 500,
    random: () => 0,
    ...options,
  });
  onTestFinished(() => limiter.stop());
  return limiter;
}

const sent = async (): Promise<Attempt<string>> => ({ value: 'done', sent: true });
const turn = { priority: 'interactive' } as const;

/** Whether a promise has settled, once everything had real time that needs no clock. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  const waiting = Symbol('waiting');
  return (await Promise.race([promise, sleep(100, waiting)])) !== waiting;
}

test('a saturated limiter gets no 429 from a server that counts a sliding window', { timeout: 90_000 }, async () => {
  const windowMs = 300;
  const sandbox = await start({ rateLimit: 20, windowMs, students: 3, orders: 10 });
  // Ninety requests take more than four windows, and much longer on a busy machine.
  const limiter = limiterFor({ limit: 20, windowMs, maxWaitMs: 80_000 });
  const headers = { authorization: `Bearer ${sandbox.apiKey}` };
  const attempt = async () => {
    const response = await fetch(`${sandbox.url}/api/v1/account`, { headers });
    await response.arrayBuffer();
    return { value: response.status, sent: true };
  };
  const statuses = await Promise.all(Array.from({ length: 90 }, () => limiter.take(attempt, turn)));
  expect(statuses).toEqual(Array.from({ length: 90 }, () => 200));
});

test('no window holds more than our share of the limit', async () => {
  const clock = createFakeClock();
  const limiter = limiterFor({ limit: 20, share: 0.5, maxWaitMs: 60_000, clock });
  const times: number[] = [];
  const attempt = async () => {
    times.push(clock.now());
    return { value: undefined, sent: true };
  };
  await clock.until(Promise.all(Array.from({ length: 35 }, () => limiter.take(attempt, turn))));
  for (const time of times)
    expect(times.filter((other) => other >= time && other < time + 500).length).toBeLessThanOrEqual(10);
});

test('a call that would wait too long fails at once, with the seconds to wait', async () => {
  const clock = createFakeClock();
  const limiter = limiterFor({ limit: 2, windowMs: 60_000, maxWaitMs: 30_000, clock });
  await limiter.take(sent, turn);
  await limiter.take(sent, turn);
  clock.advance(10_000);
  // At once: the clock stands still.
  const refusal = await limiter.take(sent, turn).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(RateLimitedError);
  const { retryAfterSeconds, message } = refusal as RateLimitedError;
  expect(retryAfterSeconds).toBe(51);
  expect(message).toContain('51 s');
});

test('as many calls at once as there are tokens are all sent', async () => {
  const limiter = limiterFor({ limit: 90, windowMs: 60_000, maxWaitMs: 30_000, clock: createFakeClock() });
  const calls = Array.from({ length: 90 }, () => limiter.take(sent, turn));
  expect(limiter.budget()).toMatchObject({ remaining: 0, queued: 90 });
  expect(await Promise.all(calls)).toHaveLength(90);
  await expect(limiter.take(sent, turn)).rejects.toBeInstanceOf(RateLimitedError);
});

test('a full queue refuses new requests, not waiting ones', async () => {
  const clock = createFakeClock();
  const limiter = limiterFor({ limit: 1, windowMs: 100, maxWaitMs: 60_000, clock });
  const waiting = Array.from({ length: 102 }, () =>
    limiter.take(sent, turn).then(
      () => 'done',
      () => 'refused',
    ),
  );
  await expect(limiter.take(sent, turn)).rejects.toBeInstanceOf(RateLimitedError);
  expect(await clock.until(Promise.all(waiting.slice(0, 2)))).toEqual(['done', 'done']);
});

test('a cancelled call leaves the queue at once, sends nothing and costs no token', async () => {
  const clock = createFakeClock();
  const limiter = limiterFor({ limit: 1, windowMs: 400, clock });
  await limiter.take(sent, turn);
  const abort = new AbortController();
  let attempts = 0;
  const attempt = async () => {
    attempts += 1;
    return { value: 'done', sent: true };
  };
  const cancelled = limiter.take(attempt, { ...turn, signal: abort.signal });
  const next = limiter.take(attempt, turn);
  abort.abort(new Error('cancelled'));
  await expect(cancelled).rejects.toThrow('cancelled');
  expect(attempts).toBe(0);
  expect(await clock.until(next)).toBe('done');
  expect(attempts).toBe(1);
});

test('a request that was not sent returns its token at once', async () => {
  const limiter = limiterFor({ limit: 1, windowMs: 60_000, clock: createFakeClock() });
  for (let count = 0; count < 5; count += 1) {
    expect(await limiter.take(async () => ({ value: count, sent: false }), turn)).toBe(count);
  }
  expect(limiter.budget()).toMatchObject({ limit: 1, remaining: 1 });
});

test('an attempt that throws counts as sent', async () => {
  const limiter = limiterFor({ limit: 2, windowMs: 60_000 });
  const failing = limiter.take(async () => {
    throw new Error('broken');
  }, turn);
  await expect(failing).rejects.toThrow('broken');
  expect(limiter.budget().remaining).toBe(1);
});

test('an interactive request goes before the pages of a long job', async () => {
  const clock = createFakeClock();
  const limiter = limiterFor({ limit: 2, windowMs: 300, clock });
  const order: string[] = [];
  const note = (name: string) => async () => {
    order.push(name);
    return { value: name, sent: true };
  };
  await Promise.all([limiter.take(sent, turn), limiter.take(sent, turn)]);
  const bulk = ['b1', 'b2', 'b3', 'b4'].map((name) => limiter.take(note(name), { priority: 'bulk' }));
  const question = limiter.take(note('question'), turn);
  await clock.until(Promise.all([...bulk, question]));
  expect(order[0]).toBe('question');
});

test('after a 429 all requests pause for Retry-After, and the budget shrinks', async () => {
  const clock = createFakeClock();
  const limiter = limiterFor({ limit: 40, windowMs: 10_000, clock });
  limiter.refused(300);
  expect(limiter.budget()).toMatchObject({ limit: 26, full: 40 });
  const all = Promise.all([limiter.take(sent, turn), limiter.take(sent, turn)]);
  clock.advance(299);
  expect(await isSettled(all)).toBe(false);
  expect(await clock.until(all)).toEqual(['done', 'done']);
});

test('several concurrent 429s cut the budget once, and clean windows restore it', async () => {
  const clock = createFakeClock();
  const limiter = limiterFor({ limit: 40, windowMs: 200, clock });
  for (let count = 0; count < 4; count += 1) limiter.refused(0);
  expect(limiter.budget().limit).toBe(26);
  clock.advance(199);
  expect(limiter.budget().limit).toBe(26);
  clock.advance(1);
  expect(limiter.budget().limit).toBe(28);
  clock.advance(300);
  expect(limiter.budget().limit).toBe(40);
});

test('an account with a larger limit gets it', async () => {
  const limiter = limiterFor({ limit: 60, share: 0.9, windowMs: 60_000 });
  expect(limiter.budget().limit).toBe(54);
  limiter.setLimit(300);
  expect(limiter.budget()).toMatchObject({ limit: 270, full: 270, remaining: 270 });
});

test('a stopped limiter leaves no request waiting', async () => {
  const limiter = limiterFor({ limit: 1, windowMs: 60_000, maxWaitMs: 120_000 });
  await limiter.take(sent, turn);
  const waiting = limiter.take(sent, turn);
  const refused = expect(waiting).rejects.toThrow('nothing was sent');
  await limiter.stop();
  await refused;
});

test('a bulk request that has waited a third of the maximum wait is promoted', async () => {
  const clock = createFakeClock();
  const limiter = limiterFor({ limit: 2, windowMs: 200, maxWaitMs: 1_800, clock });
  await clock.until(Promise.all([limiter.take(sent, turn), limiter.take(sent, turn)]), 0);
  const bulk = limiter.take(sent, { priority: 'bulk' });
  const questions: Promise<unknown>[] = [];
  // More interactive requests than turns, for as long as the bulk request waits.
  const asking = setInterval(() => {
    while (limiter.budget().queued < 6) questions.push(limiter.take(sent, turn).catch(() => {}));
  }, 1);
  expect(await clock.until(bulk).finally(() => clearInterval(asking))).toBe('done');
  await limiter.stop();
  await Promise.all(questions);
});

test('a wall clock that steps back an hour stops neither waiting nor new requests', async () => {
  const clock = createFakeClock();
  const limiter = limiterFor({ limit: 1, windowMs: 1_000, clock });
  await limiter.take(sent, turn);
  const waiting = [limiter.take(sent, turn), limiter.take(sent, turn)];
  const realNow = Date.now;
  onTestFinished(() => {
    Date.now = realNow;
  });
  Date.now = () => realNow() - 3_600_000;
  const all = Promise.all([...waiting, limiter.take(sent, turn)]);
  expect(await clock.until(all)).toHaveLength(3);
});

test('after a 429 requests are spaced until a window without a 429 has passed', async () => {
  const clock = createFakeClock();
  const limiter = limiterFor({ limit: 20, windowMs: 1_000, clock });
  const refusedAt = clock.now();
  limiter.refused(10);
  const times: number[] = [];
  const attempt = async () => {
    times.push(clock.now());
    return { value: undefined, sent: true };
  };
  await clock.until(Promise.all(Array.from({ length: 5 }, () => limiter.take(attempt, turn))), 1);
  // Fifteen a second are allowed after the cut: one in 67 ms.
  for (const [index, time] of times.entries()) expect(time - refusedAt).toBeGreaterThanOrEqual(10 + index * 66);
  clock.advance(1_000);
  const burst = Promise.all(Array.from({ length: 5 }, () => limiter.take(sent, turn)));
  // The clock stands still: none of them waits for another.
  expect(await burst).toHaveLength(5);
});

test('without a limit, a 429 costs one pause for all waiting requests', async () => {
  const warnings = collectWarnings();
  const clock = createFakeClock();
  const limiter = createUnlimited(5_000, clock);
  onTestFinished(() => limiter.stop());
  limiter.refused(50);
  const all = Promise.all(Array.from({ length: 20 }, () => limiter.take(sent, turn)));
  expect(await isSettled(all)).toBe(false);
  clock.advance(55);
  expect(await all).toHaveLength(20);
  expect(warnings).toEqual([]);
});
