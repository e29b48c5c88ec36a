import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { openSharedState } from '../../src/redis/open-shared-state.ts';
import { createMemoryStore, type SharedStore } from '../../src/shared/shared-store.ts';
import { type RedisServer, startRedis } from './start-redis.ts';

const times = { commandMs: 300, heartbeatMs: 100, blockMs: 100 };

async function open(redis: RedisServer, redisPrefix = 'test') {
  const log = pino({ level: 'silent' });
  const state = await openSharedState({ redisUrl: redis.url, redisPrefix, replicas: 2, log, times });
  onTestFinished(state.close);
  return state;
}

async function startServer(): Promise<RedisServer> {
  const redis = await startRedis();
  onTestFinished(redis.close);
  return redis;
}

/** The forms of a store: two handles of one, as two replicas have them. */
const forms: Record<string, () => Promise<[SharedStore, SharedStore]>> = {
  memory: async () => {
    const store = createMemoryStore();
    return [store, store];
  },
  Redis: async () => {
    const redis = await startServer();
    return [(await open(redis)).storeOf('one', 'secret'), (await open(redis)).storeOf('one', 'secret')];
  },
};

test.for(Object.keys(forms))('both handles of a store in %s see the same values', async (form) => {
  const [one, other] = (await forms[form]?.()) ?? [];
  if (one === undefined || other === undefined) throw new Error('no store');
  expect(await other.get('a')).toBeUndefined();
  await one.set('a', 'text', 10_000);
  const found = await other.get('a');
  expect(found?.value).toBe('text');
  expect(found?.ttlMs).toBeGreaterThan(5_000);
  expect(await other.setIfAbsent('a', 'other', 10_000)).toBe(false);
  expect(await other.setIfAbsent('b', 'first', 10_000)).toBe(true);
  expect(await one.setIfAbsent('b', 'second', 10_000)).toBe(false);
  await other.delete('b');
  expect(await one.setIfAbsent('b', 'second', 10_000)).toBe(true);
  expect([(await one.increment('c', 10_000, 2)).count, (await other.increment('c', 10_000, 1)).count]).toEqual([2, 3]);
});

test('another account, another secret and another deployment see nothing', async () => {
  const redis = await startServer();
  const state = await open(redis);
  await state.storeOf('one', 'secret').set('a', 'text', 10_000);
  expect(await state.storeOf('two', 'secret').get('a')).toBeUndefined();
  expect(await state.storeOf('one', 'another secret').get('a')).toBeUndefined();
  const elsewhere = await open(redis, 'elsewhere');
  expect(await elsewhere.storeOf('one', 'secret').get('a')).toBeUndefined();
});

test('without Redis a store goes on with its own values, and shares again when it is back', async () => {
  const redis = await startServer();
  const store = (await open(redis)).storeOf('one', 'secret');
  await store.set('a', 'text', 60_000);
  await redis.kill();
  await expect.poll(store.isShared).toBe(false);
  expect((await store.get('a'))?.value).toBe('text');
  expect(await store.setIfAbsent('b', 'text', 60_000)).toBe(true);
  expect(await store.setIfAbsent('b', 'text', 60_000)).toBe(false);
  await redis.start();
  await expect.poll(store.isShared).toBe(true);
  await store.set('c', 'text', 60_000);
  expect((await (await open(redis)).storeOf('one', 'secret').get('c'))?.value).toBe('text');
});

test('a full Redis counts as lost until it has room', async () => {
  const redis = await startServer();
  const state = await open(redis);
  await redis.command('CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
  await redis.command('CONFIG', 'SET', 'maxmemory', '1');
  const store = state.storeOf('one', 'secret');
  await store.set('a', 'text', 60_000);
  expect((await store.get('a'))?.value).toBe('text');
  await expect.poll(store.isShared).toBe(false);
  await redis.command('CONFIG', 'SET', 'maxmemory', '0');
  await expect.poll(store.isShared).toBe(true);
});
