import { type ByteStore, byteQuota, createMemoryBytes, leastCounted } from '../shared/byte-store.ts';
import type { RedisLink } from './link.ts';
import { keepBytesScript, runScript } from './scripts.ts';
import { createSeal } from './sealed-store.ts';

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
