import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import {
  createSlidingLimiter,
  createUnlimited,
  type SlidingLimiterOptions,
} from '../../../src/api/rate-limit/limiter.ts';
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

const turn = { priority: 'interactive' } as const;
const sent = async () => 'done';
const many = <T>(count: number, make: () => T) => Array.from({ length: count }, make);

/** A limiter on a clock of the test. `ask` sends a request; `times` are those of the requests that were recorded. */
function limited(options: Partial<SlidingLimiterOptions>) {
  const clock = createFakeClock();
  const fast = { limit: 10, share: 1, maxWaitMs: 5_000, windowMs: 500, random: () => 0 };
  const limiter = createSlidingLimiter({ ...fast, clock, ...options });
  onTestFinished(() => limiter.stop());
  const ask = () => limiter.take(sent, turn);
  const times: number[] = [];
  const record = () =>
    limiter.take(async () => {
      times.push(clock.now());
      return 'done';
    }, turn);
  return { limiter, clock, ask, record, times };
}

/** Whether a promise has settled, once everything had real time that needs no clock. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  const waiting = Symbol('waiting');
  return (await Promise.race([promise, sleep(100, waiting)])) !== waiting;
}

test('a saturated limiter gets no 429 from a server that counts a sliding window', { timeout: 90_000 }, async () => {
  const windowMs = 300;
  const sandbox = await start({ rateLimit: 20, windowMs, students: 3, orders: 10 });
  // Ninety requests take more than four windows, and much longer on a busy machine.
  const limiter = createSlidingLimiter({ limit: 20, share: 1, windowMs, maxWaitMs: 80_000 });
  onTestFinished(() => limiter.stop());
  const headers = { authorization: `Bearer ${sandbox.apiKey}` };
  const attempt = async () => {
    const response = await fetch(`${sandbox.url}/api/v1/account`, { headers });
    await response.arrayBuffer();
    return response.status;
  };
  const statuses = await Promise.all(many(90, () => limiter.take(attempt, turn)));
  expect(statuses).toEqual(many(90, () => 200));
});

test('no window holds more than our share of the limit', async () => {
  const { clock, record, times } = limited({ limit: 20, share: 0.5, maxWaitMs: 60_000 });
  await clock.until(Promise.all(many(35, record)));
  for (const time of times)
    expect(times.filter((other) => other >= time && other < time + 500).length).toBeLessThanOrEqual(10);
});

test('a call that would wait too long fails at once, with the seconds to wait', async () => {
  const { clock, ask } = limited({ limit: 2, windowMs: 60_000, maxWaitMs: 30_000 });
  await ask();
  await ask();
  clock.advance(10_000);
  // At once: the clock stands still.
  const refusal = await ask().catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(RateLimitedError);
  expect(refusal).toMatchObject({ retryAfterSeconds: 51, message: expect.stringContaining('51 s') });
});

test('as many calls at once as there are tokens are all sent', async () => {
  const { limiter, ask } = limited({ limit: 90, windowMs: 60_000, maxWaitMs: 30_000 });
  const calls = many(90, ask);
  expect(limiter.budget()).toMatchObject({ remaining: 0, queued: 90 });
  expect(await Promise.all(calls)).toHaveLength(90);
  await expect(ask()).rejects.toBeInstanceOf(RateLimitedError);
});

test('a full queue refuses new requests, not waiting ones', async () => {
  const { clock, ask } = limited({ limit: 1, windowMs: 100, maxWaitMs: 60_000 });
  const waiting = many(102, () => ask().catch(() => 'refused'));
  await expect(ask()).rejects.toBeInstanceOf(RateLimitedError);
  expect(await clock.until(Promise.all(waiting.slice(0, 2)))).toEqual(['done', 'done']);
});

test('a cancelled call leaves the queue at once, sends nothing and costs no token', async () => {
  const { limiter, clock, ask, record, times } = limited({ limit: 1, windowMs: 400 });
  await ask();
  const abort = new AbortController();
  const cancelled = limiter.take(() => expect.unreachable(), { ...turn, signal: abort.signal });
  const next = record();
  abort.abort(new Error('cancelled'));
  await expect(cancelled).rejects.toThrow('cancelled');
  expect(times).toEqual([]);
  expect(await clock.until(next)).toBe('done');
});

test('a request that was not sent returns its token at once', async () => {
  const { limiter } = limited({ limit: 1, windowMs: 60_000 });
  for (let count = 0; count < 5; count += 1) await limiter.take(async (noteUnsent) => noteUnsent(), turn);
  expect(limiter.budget()).toMatchObject({ limit: 1, remaining: 1 });
});

test('an attempt that throws counts as sent', async () => {
  const { limiter } = limited({ limit: 2, windowMs: 60_000 });
  await expect(limiter.take(() => Promise.reject(new Error('broken')), turn)).rejects.toThrow('broken');
  expect(limiter.budget().remaining).toBe(1);
});

test('an interactive request goes before the pages of a long job', async () => {
  const { limiter, clock, ask } = limited({ limit: 2, windowMs: 300 });
  const order: string[] = [];
  const note = (name: string) => async () => order.push(name);
  await Promise.all([ask(), ask()]);
  const bulk = ['b1', 'b2', 'b3', 'b4'].map((name) => limiter.take(note(name), { priority: 'bulk' }));
  const question = limiter.take(note('question'), turn);
  await clock.until(Promise.all([...bulk, question]));
  expect(order[0]).toBe('question');
});

test('after a 429 all requests pause for Retry-After, and the budget shrinks', async () => {
  const { limiter, clock, ask } = limited({ limit: 40, windowMs: 10_000 });
  limiter.refused(300);
  expect(limiter.budget()).toMatchObject({ limit: 26, full: 40 });
  const all = Promise.all([ask(), ask()]);
  clock.advance(299);
  expect(await isSettled(all)).toBe(false);
  expect(await clock.until(all)).toEqual(['done', 'done']);
});

test('several concurrent 429s cut the budget once, and clean windows restore it', () => {
  const { limiter, clock } = limited({ limit: 40, windowMs: 200 });
  for (let count = 0; count < 4; count += 1) limiter.refused(0);
  const after = [0, 199, 1, 300].map((milliseconds) => {
    clock.advance(milliseconds);
    return limiter.budget().limit;
  });
  expect(after).toEqual([26, 26, 28, 40]);
});

test('an account with a larger limit gets it', () => {
  const { limiter } = limited({ limit: 60, share: 0.9, windowMs: 60_000 });
  expect(limiter.budget().limit).toBe(54);
  limiter.setLimit(300);
  expect(limiter.budget()).toMatchObject({ limit: 270, full: 270, remaining: 270 });
});

test('a stopped limiter leaves no request waiting', async () => {
  const { limiter, ask } = limited({ limit: 1, windowMs: 60_000, maxWaitMs: 120_000 });
  await ask();
  const refused = expect(ask()).rejects.toThrow('nothing was sent');
  await limiter.stop();
  await refused;
});

test('a bulk request that has waited a third of the maximum wait is promoted', async () => {
  const { limiter, clock, ask } = limited({ limit: 2, windowMs: 200, maxWaitMs: 1_800 });
  await clock.until(Promise.all([ask(), ask()]), 0);
  const bulk = limiter.take(sent, { priority: 'bulk' });
  const questions: Promise<unknown>[] = [];
  // More interactive requests than turns, for as long as the bulk request waits.
  const asking = setInterval(() => {
    while (limiter.budget().queued < 6) questions.push(ask().catch(() => {}));
  }, 1);
  expect(await clock.until(bulk).finally(() => clearInterval(asking))).toBe('done');
  await limiter.stop();
  await Promise.all(questions);
});

test('a wall clock that steps back an hour stops neither waiting nor new requests', async () => {
  const { clock, ask } = limited({ limit: 1, windowMs: 1_000 });
  await ask();
  const waiting = [ask(), ask()];
  const realNow = Date.now;
  onTestFinished(() => {
    Date.now = realNow;
  });
  Date.now = () => realNow() - 3_600_000;
  expect(await clock.until(Promise.all([...waiting, ask()]))).toHaveLength(3);
});

test('after a 429 requests are spaced until a window without a 429 has passed', async () => {
  const { limiter, clock, ask, record, times } = limited({ limit: 20, windowMs: 1_000 });
  const refusedAt = clock.now();
  limiter.refused(10);
  await clock.until(Promise.all(many(5, record)), 1);
  // Fifteen a second are allowed after the cut: one in 67 ms.
  for (const [index, time] of times.entries()) expect(time - refusedAt).toBeGreaterThanOrEqual(10 + index * 66);
  clock.advance(1_000);
  // The clock stands still: none of them waits for another.
  expect(await Promise.all(many(5, ask))).toHaveLength(5);
});

test('without a limit, a 429 costs one pause for all waiting requests', async () => {
  const warnings = collectWarnings();
  const clock = createFakeClock();
  const limiter = createUnlimited(5_000, clock);
  onTestFinished(() => limiter.stop());
  limiter.refused(50);
  const all = Promise.all(many(20, () => limiter.take(sent, turn)));
  expect(await isSettled(all)).toBe(false);
  clock.advance(55);
  expect(await all).toHaveLength(20);
  expect(warnings).toEqual([]);
});
