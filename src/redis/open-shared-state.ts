import { createHmac } from 'node:crypto';
import { CompactEncrypt, compactDecrypt } from 'jose';
import type { Logger } from 'pino';
import type { LogState, TokenLog } from '../api/rate-limit/token-pool.ts';
import { sha256 } from '../shared/keyed-hash.ts';
import { createMemoryStore, type SharedState, type SharedStore } from '../shared/shared-store.ts';
import { createRedisLink, type LinkOptions, type RedisLink } from './link.ts';
import { tokenScript } from './scripts.ts';

/** How long a start waits for Redis, in milliseconds. After that the replica begins alone. */
const startMs = 3_000;

/** Connects to Redis. Resolves without it if it cannot be reached: the replica joins when it can. */
export async function openSharedState({
  replicas,
  ...options
}: LinkOptions & { replicas: number; log: Logger }): Promise<SharedState<TokenLog>> {
  const link = createRedisLink(options);
  const why = await link.problemAfter(startMs);
  if (why !== undefined)
    options.log.error({ why }, 'Redis cannot be used: this replica uses its fixed part of the limit until it can');
  return {
    tokensOf: ({ origin, pathname }) => {
      const account = sha256(origin + pathname.replace(/\/+$/, '')).toString('hex', 0, 8);
      return createRedisTokenLog(link, account, replicas);
    },
    storeOf: (name, secret) => createRedisStore(link, name, secret),
    isUp: link.isUp,
    close: link.close,
  };
}

/** Why Redis cannot be used within `patienceMs`; undefined if it can. */
export async function redisProblem(options: LinkOptions, patienceMs: number): Promise<string | undefined> {
  const link = createRedisLink(options);
  return await link.problemAfter(patienceMs).finally(link.close);
}

/** The tokens of an account in Redis. `account` identifies it: the same for all replicas and for no other account. */
export function createRedisTokenLog(link: RedisLink, account: string, replicas: number): TokenLog {
  async function run(id: string, capacity: number | '', milliseconds: number): Promise<LogState> {
    const keys = [link.key('epoch'), link.key('blocked'), link.key('budget', account)];
    const args = [link.epoch(), capacity, Math.ceil(milliseconds), id];
    const answer = await link.run((client) => client.eval(tokenScript, keys.length, ...keys, ...args));
    const [taken, blockedMs, returns] = answer as [taken: number, blockedMs: number, returns: number[]];
    return { isTaken: taken === 1, blockedMs, returns };
  }

  return {
    take: run,
    // If Redis is lost, the pool reports all of them when it is back.
    keep: (id, milliseconds) => void run(id, '', milliseconds).catch(() => {}),
    isUp: link.isUp,
    onChange: link.onChange,
    replicas,
  };
}

/** A value that leaves this process is encrypted: pages hold the data of students, and neither Redis nor another account may read them. */
const seal = (cipherKey: Uint8Array, value: string) =>
  new CompactEncrypt(Buffer.from(value)).setProtectedHeader({ alg: 'dir', enc: 'A256GCM' }).encrypt(cipherKey);

/** Rejects for a value that was not sealed with this key. */
const open = async (cipherKey: Uint8Array, sealed: string) =>
  new TextDecoder().decode((await compactDecrypt(sealed, cipherKey)).plaintext);

/** Values that all replicas with this secret see. Each is kept in this process too, for the time while Redis is lost. */
function createRedisStore(link: RedisLink, name: string, secret: string): SharedStore {
  const own = createMemoryStore();

  /** A name in Redis that tells nothing of the key, and a key of its own for the cipher. */
  function placeOf(key: string) {
    const digest = createHmac('sha512', secret).update(`${name} ${key}`).digest();
    return { at: link.key('value', digest.toString('base64url', 0, 32)), cipherKey: digest.subarray(32) };
  }

  return {
    get: async (key) => {
      const { at, cipherKey } = placeOf(key);
      const read = link.run((client) => Promise.all([client.get(at), client.pttl(at)]));
      const opened = read.then(async ([sealed, ttlMs]) => sealed && { value: await open(cipherKey, sealed), ttlMs });
      return (await opened.catch(() => undefined)) || (await own.get(key));
    },
    set: async (key, value, ttlMs) => {
      const { at, cipherKey } = placeOf(key);
      await own.set(key, value, ttlMs);
      const sealed = await seal(cipherKey, value);
      await link.run((client) => client.set(at, sealed, 'PX', Math.ceil(ttlMs))).catch(() => {});
    },
    setIfAbsent: async (key, value, ttlMs) => {
      const { at, cipherKey } = placeOf(key);
      if (!(await own.setIfAbsent(key, value, ttlMs))) return false;
      const sealed = await seal(cipherKey, value);
      const set = link.run((client) => client.set(at, sealed, 'PX', Math.ceil(ttlMs), 'NX'));
      const isFirst = await set.then((answer) => answer === 'OK').catch(() => undefined);
      // Another replica has it, and may delete it.
      if (isFirst === false) await own.delete(key);
      return isFirst;
    },
    delete: async (key) => {
      await own.delete(key);
      await link.run((client) => client.del(placeOf(key).at)).catch(() => {});
    },
    increment: async (key, ttlMs, by) => {
      const alone = await own.increment(key, ttlMs, by);
      const { at } = placeOf(key);
      const count = link.run((client) =>
        client.multi().set(at, 0, 'PX', Math.ceil(ttlMs), 'NX').incrby(at, by).pttl(at).exec(),
      );
      const [, sum, left] = (await count.catch(() => undefined)) ?? [];
      return sum === undefined ? alone : { count: Number(sum[1]), ttlMs: Number(left?.[1]) };
    },
    isShared: link.isUp,
  };
}
