import { expect, onTestFinished, test } from 'vitest';
import { redisProblem } from '../../src/redis/link.ts';
import { startRedis } from './start-redis.ts';

test('a Redis that answers is no problem, and one that has ended or wants a password is', async () => {
  const redis = await startRedis();
  onTestFinished(() => redis.close());
  expect(await redisProblem(redis.url, 3_000)).toBeUndefined();
  await redis.command('CONFIG', 'SET', 'requirepass', 'pw');
  expect(await redisProblem(redis.url, 3_000)).toMatch(/NOAUTH/);
  expect(await redisProblem(redis.url.replace('//', '//:pw@'), 3_000)).toBeUndefined();
  await redis.kill();
  expect(await redisProblem(redis.url, 3_000)).toMatch(/ECONNREFUSED/);
});
