import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { createSlidingLimiter, type SlidingLimiterOptions } from '../../src/api/rate-limit/limiter.ts';
import { createRedisLink, createRedisTokenLog } from '../../src/redis/open-shared-state.ts';
import { RateLimitedError } from '../../src/shared/errors.ts';
import { maxInWindow } from '../reliability/load/model-server.ts';
import { type RedisServer, startRedis } from './start-redis.ts';

const windowMs = 3_000;
const limit = 60;
const replicas = 4;
/** Longest time until a request is answered, in this test. */
const timeoutMs = windowMs / 2;
const soon = { commandMs: 250, heartbeatMs: 100, blockMs: windowMs * 1.02 };
const logKey = 'test:budget:two';

/** An account that records when each request is sent. */
interface Account {
  readonly times: number[];
  send(): Promise<void>;
}

function createAccount(): Account {
  const times: number[] = [];
  return {
    times,
    send: async () => {
      await sleep(5);
      times.push(performance.now());
      await sleep(5);
    },
  };
}

async function startReplica(redis: RedisServer, account: Account, share = 1) {
  const link = createRedisLink({ redisUrl: redis.url, redisPrefix: 'test', times: soon });
  await expect.poll(link.isUp).toBe(true);
  const tokens = createRedisTokenLog(link, 'one', replicas);
  const limiter = createSlidingLimiter({ limit, share, windowMs, maxWaitMs: windowMs * 5, timeoutMs, tokens });
  let isRunning = true;
  const failed: string[] = [];
  async function work(): Promise<void> {
    while (isRunning) {
      await limiter.take(account.send, { priority: 'interactive' }).catch(async (error: Error) => {
        failed.push(error.message);
        await sleep(20);
      });
    }
  }
  const workers = Promise.all([work(), work(), work(), work()]);
  const close = async () => {
    isRunning = false;
    await limiter.stop();
    await link.close();
    await workers;
  };
  /** Ends its load, but not the replica. */
  const rest = async () => {
    isRunning = false;
    await workers;
  };
  return { link, tokens, limiter, failed, close, rest, kill: () => void link.close() };
}

async function startReplicas() {
  const redis = await startRedis();
  const account = createAccount();
  const running = await Promise.all(Array.from({ length: replicas }, () => startReplica(redis, account)));
  onTestFinished(async () => {
    await Promise.all(running.map((replica) => replica.close()));
  });
  return { redis, account, running };
}

/** Resolves when two windows together have used this part of the budget: on a busy machine that may take a while. */
async function untilUsed({ times }: Account, part: number): Promise<void> {
  const spanMs = windowMs * 2;
  const from = performance.now();
  const use = () => {
    const now = performance.now();
    if (now - from < spanMs) return 0;
    return times.filter((time) => time > now - spanMs).length / (limit * 2);
  };
  await expect.poll(use, { timeout: 90_000, interval: 100 }).toBeGreaterThan(part);
}

test('four replicas use the whole budget and never more', { timeout: 180_000 }, async () => {
  const { account, running } = await startReplicas();
  await sleep(windowMs);
  await untilUsed(account, 0.9);
  expect(maxInWindow(account.times, windowMs)).toBeLessThanOrEqual(limit);
  expect(running.flatMap(({ failed }) => failed)).toEqual([]);
});

test.for(['flush', 'restart', 'pause'] as const)(
  'no window holds more than the limit across a %s of Redis, and the budget is used again',
  { timeout: 180_000 },
  async (event) => {
    const { redis, account, running } = await startReplicas();
    await sleep(windowMs);
    if (event === 'flush') await redis.flush();
    if (event === 'restart') {
      await redis.kill();
      await redis.start();
    }
    if (event === 'pause') {
      redis.pause();
      await sleep(windowMs * 3);
      expect(running.every(({ link }) => !link.isUp())).toBe(true);
      redis.resume();
    }
    await expect.poll(() => running.every(({ link }) => link.isUp())).toBe(true);
    await untilUsed(account, 0.9);
    expect(maxInWindow(account.times, windowMs)).toBeLessThanOrEqual(limit);
  },
);

test('each replica uses its fixed part while Redis is away', { timeout: 180_000 }, async () => {
  const { redis, account, running } = await startReplicas();
  await sleep(windowMs);
  await redis.kill();
  await expect.poll(() => running.every(({ link }) => !link.isUp())).toBe(true);
  const lost = performance.now();
  await sleep(windowMs * 0.9);
  // Only requests whose token was taken before: four under way and one for the next.
  expect(account.times.filter((time) => time > lost).length).toBeLessThanOrEqual(replicas * 5);
  await untilUsed(account, 0.85);
  expect(maxInWindow(account.times, windowMs)).toBeLessThanOrEqual(limit);
});

test('the tokens of a replica that dies return', { timeout: 180_000 }, async () => {
  const { account, running } = await startReplicas();
  await sleep(windowMs);
  const [dead] = running;
  // They wait for a request that never ends. The others take tokens as well, so it asks until it has enough.
  for (let taken = 0; taken < limit / 5; ) {
    const state = await dead?.tokens.take(`dead ${taken}`, limit, windowMs + timeoutMs);
    if (state?.isTaken) taken += 1;
    else await sleep(5);
  }
  dead?.kill();
  await dead?.limiter.stop();
  await untilUsed(account, 0.9);
  expect(maxInWindow(account.times, windowMs)).toBeLessThanOrEqual(limit);
});

test('a queue that Redis left in the middle of its work loses no turn', { timeout: 180_000 }, async () => {
  const { redis, account, running } = await startReplicas();
  for (let time = 0; time < 5; time += 1) {
    await sleep(windowMs * 1.1);
    await redis.flush();
  }
  await expect.poll(() => running.every(({ link }) => link.isUp())).toBe(true);
  await sleep(windowMs * 1.5);
  await Promise.all(running.map((replica) => replica.rest()));
  await sleep(windowMs * 1.1);
  // One request alone is never stuck behind a token that nobody uses: it would be refused after the longest wait.
  for (const { limiter } of running) {
    await limiter.take(async () => {}, { priority: 'interactive' });
  }
  expect(maxInWindow(account.times, windowMs)).toBeLessThanOrEqual(limit);
});

/** A replica without load, on an account whose window is a minute. */
async function openLimiter(redis: RedisServer, options: Partial<SlidingLimiterOptions> = {}) {
  const link = createRedisLink({ redisUrl: redis.url, redisPrefix: 'test', times: soon });
  await expect.poll(link.isUp).toBe(true);
  const tokens = createRedisTokenLog(link, 'two', replicas);
  const limiter = createSlidingLimiter({ limit: 60, share: 1, maxWaitMs: 10_000, tokens, ...options });
  onTestFinished(async () => {
    await limiter.stop();
    await link.close();
  });
  const send = () =>
    limiter
      .take(async () => 0, { priority: 'interactive' })
      .catch((error: unknown) => {
        if (error instanceof RateLimitedError) return error.retryAfterSeconds;
        throw error;
      });
  return { limiter, send };
}

async function openTwo(options: Partial<SlidingLimiterOptions> = {}) {
  const redis = await startRedis();
  return [await openLimiter(redis, options), await openLimiter(redis, options)] as const;
}

test('a call that tokens of another replica hold up too long is refused at once, with the seconds to wait', async () => {
  const [one, other] = await openTwo({ limit: 2 });
  expect([await one.send(), await one.send()]).toEqual([0, 0]);
  expect(await other.send()).toBeGreaterThan(30);
  expect(other.limiter.budget()).toMatchObject({ limit: 2, remaining: 0, queued: 0 });
});

test('a token without an answer returns one window after its request must have ended', async () => {
  const redis = await startRedis();
  const { limiter } = await openLimiter(redis, { timeoutMs: 30_000 });
  let answer = () => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const sending = limiter.take(() => answered, { priority: 'interactive' });
  const leftMs = async () => {
    const [, time] = (await redis.command('ZRANGE', logKey, '0', '-1', 'WITHSCORES')) as string[];
    const [seconds] = (await redis.command('TIME')) as string[];
    return Number(time) - Number(seconds) * 1_000;
  };
  await expect.poll(leftMs).toBeGreaterThan(80_000);
  answer();
  await sending;
  await expect.poll(leftMs).toBeLessThan(62_000);
});
