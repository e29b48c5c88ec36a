import { type ByteStore, byteQuota, createMemoryBytes, leastCounted } from '../shared/byte-store.ts';
import { createMemoryStore, type SharedStore } from '../shared/shared-store.ts';
import type { RedisLink } from './link.ts';
import { incrementScript, keepBytesScript, runScript } from './scripts.ts';
import { createSeal } from './sealed-store.ts';

/**
 * Values that all replicas see. Each is kept in this process too: while Redis is lost, the replica goes on with its own.
 */
export function createRedisStore(link: RedisLink, name: string): SharedStore {
  const own = createMemoryStore();
  const keyOf = (key: string) => link.key(name, key);

  async function claim(key: string, value: string, ttlMs: number): Promise<boolean | undefined> {
    if (!(await own.setIfAbsent(key, value, ttlMs))) return false;
    const set = link.runForValue((client) => client.set(keyOf(key), value, 'PX', Math.ceil(ttlMs), 'NX'));
    const isFirst = await set.then((answer) => answer === 'OK').catch(() => undefined);
    // Another replica has it, and may delete it; or nobody knows.
    if (isFirst !== true) await own.delete(key);
    return isFirst;
  }

  return {
    get: async (key) => {
      const read = link.runForValue((client) => client.multi().get(keyOf(key)).pttl(keyOf(key)).exec());
      const [value, ttl] = (await read.catch(() => undefined)) ?? [];
      if (typeof value?.[1] !== 'string') return await own.get(key);
      return { value: value[1], ttlMs: Number(ttl?.[1]) };
    },
    set: async (key, value, ttlMs) => {
      await own.set(key, value, ttlMs);
      await link.runForValue((client) => client.set(keyOf(key), value, 'PX', Math.ceil(ttlMs))).catch(() => {});
    },
    setIfAbsent: async (key, value, ttlMs) =>
      (await claim(key, value, ttlMs)) ?? (await own.setIfAbsent(key, value, ttlMs)),
    claim,
    delete: async (key) => {
      await own.delete(key);
      await link.runForValue((client) => client.del(keyOf(key))).catch(() => {});
    },
    increment: async (key, ttlMs, by) => {
      const alone = await own.increment(key, ttlMs, by);
      const count = link.runForValue((client) =>
        runScript(client, incrementScript, [keyOf(key)], [Math.ceil(ttlMs), by]),
      );
      const [sum, left] = ((await count.catch(() => undefined)) as [number, number] | undefined) ?? [];
      return sum === undefined ? alone : { count: sum, ttlMs: left ?? ttlMs };
    },
    isShared: link.isUp,
  };
}

/** Bytes that all replicas see, encrypted. While Redis is lost, a replica keeps those of its own calls itself. */
export function createRedisBytes(link: RedisLink, secret: string): ByteStore {
  const own = createMemoryBytes();
  const { nameOf, seal, open } = createSeal(secret);
  const keyOf = (key: string) => link.key('bytes', nameOf(key));
  const all = link.key('bytes-of-all');

  return {
    put: async (key, bytes, { owner, ttlMs }) => {
      const keys = [keyOf(key), link.key('bytes-of', nameOf(owner)), all];
      const size = Math.max(bytes.length, leastCounted);
      const args = [seal(key, bytes), size, Math.ceil(ttlMs), byteQuota.ofOwner, byteQuota.ofAll];
      const kept = await link
        .runForValue((client) => runScript(client, keepBytesScript, keys, args))
        .catch(() => undefined);
      return kept === undefined ? await own.put(key, bytes, { owner, ttlMs }) : kept === 1;
    },
    get: async (key) => {
      const sealed = await link.runForValue((client) => client.getBuffer(keyOf(key))).catch(() => undefined);
      return (sealed && open(key, sealed)) ?? (await own.get(key));
    },
  };
}
