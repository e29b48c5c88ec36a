import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
  randomUUID,
} from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LogState, TokenLog } from '../api/rate-limit/limiter.ts';
import type { SharedState } from '../shared/shared-store.ts';
import {
  type ByteStore,
  byteQuota,
  createMemoryBytes,
  createMemoryStore,
  leastCounted,
  type SharedStore,
} from '../shared/shared-store.ts';
import { createRedisLink, type RedisLink, type SharedStateOptions } from './link.ts';
import { incrementScript, keepBytesScript, returnScript, runScript, takeScript } from './scripts.ts';

const keyBytes = 32;
const ivBytes = 12;
const tagBytes = 16;
const cipher = 'aes-256-gcm';

function derive(secret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', `academy-mcp shared ${purpose}`, keyBytes));
}

/** Encrypts values (AES-256-GCM), each for one key, and makes names of keys that tell nothing (keyed hashes). */
function createSeal(secret: string) {
  const names = derive(secret, 'keys');
  const values = derive(secret, 'values');
  return {
    keyDigest: (key: string) => createHmac('sha256', names).update(key).digest('base64url'),
    seal: (key: string, value: Uint8Array): Buffer => {
      const iv = randomBytes(ivBytes);
      const sealing = createCipheriv(cipher, values, iv).setAAD(Buffer.from(key));
      return Buffer.concat([iv, sealing.update(value), sealing.final(), sealing.getAuthTag()]);
    },
    /** Undefined for a value that was not sealed with this secret. */
    open: (key: string, sealed: Uint8Array): Buffer | undefined => {
      if (sealed.length < ivBytes + tagBytes) return undefined;
      const opening = createDecipheriv(cipher, values, sealed.subarray(0, ivBytes)).setAAD(Buffer.from(key));
      opening.setAuthTag(sealed.subarray(-tagBytes));
      try {
        return Buffer.concat([opening.update(sealed.subarray(ivBytes, -tagBytes)), opening.final()]);
      } catch {
        return undefined;
      }
    },
  };
}

/**
 * Encrypts what leaves this process: pages hold the data of students, and neither Redis nor another account may read them.
 * `secret` is the same on every replica.
 */
function createSealedStore(store: SharedStore, secret: string): SharedStore {
  const { keyDigest, seal, open } = createSeal(secret);
  const sealed = (key: string, text: string) => seal(key, Buffer.from(text)).toString('base64');
  return {
    get: async (key) => {
      const found = await store.get(keyDigest(key));
      const value = found && open(key, Buffer.from(found.value, 'base64'));
      return value === undefined ? undefined : { value: value.toString(), ttlMs: found?.ttlMs ?? 0 };
    },
    set: (key, value, ttlMs) => store.set(keyDigest(key), sealed(key, value), ttlMs),
    setIfAbsent: (key, value, ttlMs) => store.setIfAbsent(keyDigest(key), sealed(key, value), ttlMs),
    claim: (key, value, ttlMs) => store.claim(keyDigest(key), sealed(key, value), ttlMs),
    delete: (key) => store.delete(keyDigest(key)),
    increment: (key, ttlMs, by) => store.increment(keyDigest(key), ttlMs, by),
    isShared: store.isShared,
  };
}

const dayMs = 86_400_000;
type Answer = [taken: number, blockedMs: number, returns: number[], pauseId: string, pauseMs: number, limit: string];

/** The tokens of an account in Redis. `account` identifies it: the same for all replicas and for no other account. */
export function createRedisTokenLog(link: RedisLink, account: string, replicas: number): TokenLog {
  const key = (name: string) => link.key('budget', account, name);
  const keys = [link.key('state'), key('log'), key('pause'), key('limit')];

  async function take(id = '', capacity: number, leaseMs: number): Promise<LogState> {
    const args = [link.epoch(), capacity, Math.ceil(leaseMs), id];
    const answer = (await link.run((client) => runScript(client, takeScript, keys, args))) as Answer;
    const [taken, blockedMs, returns, pauseId, pauseMs, limit] = answer;
    const pause = pauseMs > 0 ? { id: pauseId, ms: pauseMs } : undefined;
    return { isTaken: taken === 1, blockedMs, returns, pause, limit: limit === '' ? undefined : Number(limit) };
  }

  /** Replicas learn of a value with their next look at the log. */
  const share = (name: string, value: string | number, ms: number) =>
    void link.run((client) => client.set(key(name), value, 'PX', Math.ceil(ms))).catch(() => {});

  return {
    take,
    setReturns: (tokens) => {
      const args = tokens.flatMap(([id, milliseconds]) => [id, Math.ceil(milliseconds)]);
      // If Redis is lost, the pool reports all of them when it is back.
      if (args.length > 0) link.run((client) => runScript(client, returnScript, [key('log')], args)).catch(() => {});
    },
    reportPause: (ms) => ms > 0 && share('pause', randomUUID(), ms),
    setLimit: (limit) => share('limit', limit, dayMs),
    isUp: link.isUp,
    onChange: link.onChange,
    replicas,
  };
}

/** How long a start waits for Redis, in milliseconds. After that the replica begins alone. */
const startMs = 3_000;
const pollMs = 20;

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** Connects to Redis. Resolves without it if it cannot be reached: the replica joins when it can. */
export async function openSharedState(options: SharedStateOptions): Promise<SharedState<TokenLog>> {
  const { replicas, log } = options;
  const link = createRedisLink(options);
  for (const until = performance.now() + startMs; !link.isUp() && performance.now() < until; ) await sleep(pollMs);
  if (!link.isUp())
    log.error(
      { why: link.problem() },
      'Redis cannot be used: this replica uses its fixed part of the limit until it can',
    );
  return {
    tokensOf: ({ origin, pathname }) =>
      createRedisTokenLog(link, shortHash(origin + pathname.replace(/\/+$/, '')), replicas),
    storeOf: (name, secret) => createSealedStore(createRedisStore(link, shortHash(name)), secret),
    bytes: (secret) => createRedisBytes(link, secret),
    status: () => ({ isUp: link.isUp(), losses: link.losses() }),
    close: link.close,
  };
}

/**
 * Values that all replicas see. Each is kept in this process too: while Redis is lost, the replica goes on with its own.
 */
function createRedisStore(link: RedisLink, name: string): SharedStore {
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
function createRedisBytes(link: RedisLink, secret: string): ByteStore {
  const own = createMemoryBytes();
  const { keyDigest, seal, open } = createSeal(secret);
  const keyOf = (key: string) => link.key('bytes', keyDigest(key));
  const all = link.key('bytes-of-all');

  return {
    put: async (key, bytes, { owner, ttlMs }) => {
      const keys = [keyOf(key), link.key('bytes-of', keyDigest(owner)), all];
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
