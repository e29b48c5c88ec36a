import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { openSharedState, redisProblem } from '../../src/redis/open-shared-state.ts';
import { createMemoryStore, type SharedStore } from '../../src/shared/shared-store.ts';
import { type RedisServer, startRedis } from './start-redis.ts';

const times = { commandMs: 300, heartbeatMs: 100, blockMs: 100 };

async function open(redis: Pick<RedisServer, 'url'>, redisPrefix = 'test') {
  const log = pino({ level: 'silent' });
  const state = await openSharedState({ redisUrl: redis.url, redisPrefix, replicas: 2, log, times });
  onTestFinished(state.close);
  return state;
}

/** The forms of a store: two handles of one, as two replicas have them. */
const forms: Record<string, () => Promise<[SharedStore, SharedStore]>> = {
  memory: async () => {
    const store = createMemoryStore();
    return [store, store];
  },
  Redis: async () => {
    const redis = await startRedis();
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
  const redis = await startRedis();
  const state = await open(redis);
  await state.storeOf('one', 'secret').set('a', 'text', 10_000);
  expect(await state.storeOf('two', 'secret').get('a')).toBeUndefined();
  expect(await state.storeOf('one', 'another secret').get('a')).toBeUndefined();
  const elsewhere = await open(redis, 'elsewhere');
  expect(await elsewhere.storeOf('one', 'secret').get('a')).toBeUndefined();
});

test('without Redis a store goes on with its own values, and shares again when it is back', async () => {
  const redis = await startRedis();
  const store = (await open(redis)).storeOf('one', 'secret');
  await store.set('a', 'text', 60_000);
  await redis.kill();
  await expect.poll(store.isShared).toBe(false);
  expect((await store.get('a'))?.value).toBe('text');
  expect(await store.setIfAbsent('b', 'text', 60_000)).toBeUndefined();
  expect(await store.setIfAbsent('b', 'text', 60_000)).toBe(false);
  await redis.start();
  await expect.poll(store.isShared).toBe(true);
  await store.set('c', 'text', 60_000);
  expect((await (await open(redis)).storeOf('one', 'secret').get('c'))?.value).toBe('text');
});

test('a full Redis counts as lost until it has room', async () => {
  const redis = await startRedis();
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

/** An address that leads to one server after another, as that of a primary does. Open connections stay where they are. */
async function startAddress(first: RedisServer) {
  let target = first.url;
  const address = createServer((client) => {
    const server = connect(Number(new URL(target).port), '127.0.0.1');
    client.pipe(server).pipe(client);
    for (const socket of [client, server]) socket.on('error', () => server.destroy());
  }).listen(0, '127.0.0.1');
  await once(address, 'listening');
  onTestFinished(() => void address.close());
  const { port } = address.address() as AddressInfo;
  const moveTo = ({ url }: RedisServer) => {
    target = url;
  };
  return { url: `redis://127.0.0.1:${port}`, moveTo };
}

test('after a failover behind one address, the new primary is found', async () => {
  const [before, after] = [await startRedis(), await startRedis()];
  const address = await startAddress(before);
  const store = (await open(address)).storeOf('one', 'secret');
  expect(store.isShared()).toBe(true);
  address.moveTo(after);
  const { hostname, port } = new URL(after.url);
  await before.command('REPLICAOF', hostname, port);
  await store.set('a', 'text', 60_000);
  await expect.poll(store.isShared).toBe(false);
  await expect.poll(store.isShared, { timeout: 5_000 }).toBe(true);
  expect(await after.command('DBSIZE')).toBeGreaterThan(0);
});

test('a password that Redis refuses is named as the reason, without the password', async () => {
  const redis = await startRedis();
  await redis.command('CONFIG', 'SET', 'requirepass', 'right');
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line) => lines.push(line) });
  const redisUrl = redis.url.replace('//', '//:wrong-canary@');
  const state = await openSharedState({ redisUrl, redisPrefix: 'test', replicas: 2, log, times });
  onTestFinished(state.close);
  expect(state.isUp()).toBe(false);
  expect(lines.join('')).toMatch(/"why":"(WRONGPASS|NOAUTH)/);
  expect(lines.join('')).not.toContain('canary');
});

test('a Redis that answers is no problem, and one that has ended or wants a password is', async () => {
  const redis = await startRedis();
  const problemOf = (redisUrl: string) => redisProblem({ redisUrl, redisPrefix: 'test' }, 1_000);
  expect(await problemOf(redis.url)).toBeUndefined();
  await redis.command('CONFIG', 'SET', 'requirepass', 'pw');
  expect(await problemOf(redis.url)).toMatch(/NOAUTH/);
  expect(await problemOf(redis.url.replace('//', '//:pw@'))).toBeUndefined();
  await redis.kill();
  expect(await problemOf(redis.url)).toMatch(/ECONNREFUSED/);
});
