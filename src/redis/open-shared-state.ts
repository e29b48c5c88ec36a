import { createHmac, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { CompactEncrypt, compactDecrypt } from 'jose';
import type { Logger } from 'pino';
import type { LogState, SharedState, TokenLog } from '../api/rate-limit/token-pool.ts';
import { sha256 } from '../shared/keyed-hash.ts';
import { createMemoryStore, type SharedStore } from '../shared/shared-store.ts';

// The Lua scripts. Each is one atomic step, and all times are those of Redis: the clocks of the replicas do not matter.

/**
 * Returns the epoch of the data. After a flush, a restart or a failover it is another one, and no token can be taken for a
 * window; if this replica comes back, until the others are back too. The write shows in time that Redis is full.
 * KEYS: epoch, blocked. ARGV: run id of Redis, epoch that this replica knows (empty: none), a new epoch, blockMs, settleMs.
 */
const joinScript = `
local found, known = redis.call('GET', KEYS[1]), ARGV[2]
local isOfRun = found and string.find(found, ARGV[1], 1, true) == 1
local epoch = isOfRun and found or ARGV[1] .. ARGV[3]
redis.call('SET', KEYS[1], epoch)
local isLost = (found and not isOfRun) or (known ~= '' and known ~= epoch)
local wait = tonumber(isLost and ARGV[4] or ARGV[5])
if wait > redis.call('PTTL', KEYS[2]) and wait > 0 then redis.call('SET', KEYS[2], 1, 'PX', wait) end
return epoch
`;

/**
 * The sliding log: a sorted set of the tokens in use, scored with the time at which each returns. Takes a token if fewer
 * than the capacity are in use. Without a capacity, sets when it returns. KEYS: epoch, blocked, log.
 * ARGV: epoch, capacity, milliseconds, id. Returns whether it is taken, and milliseconds until none is blocked and each returns.
 */
const tokenScript = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return redis.error_reply('EPOCH is another') end
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', now)
local blocked, taken = math.max(0, redis.call('PTTL', KEYS[2])), 0
if ARGV[2] == '' or blocked == 0 and redis.call('ZCARD', KEYS[3]) < tonumber(ARGV[2]) then
  redis.call('ZADD', KEYS[3], now + ARGV[3], ARGV[4])
  redis.call('PEXPIRE', KEYS[3], 600000)
  taken = 1
end
local returns, scored = {}, redis.call('ZRANGE', KEYS[3], 0, -1, 'WITHSCORES')
for index = 2, #scored, 2 do returns[#returns + 1] = math.ceil(tonumber(scored[index]) - now) end
return { taken, blocked, returns }
`;

const defaultTimes = {
  commandMs: 1_000,
  /** Between two heartbeats, and between two attempts to join again. */
  heartbeatMs: 1_000,
  /** After data was lost no token is granted for this time. A token of the limiter returns after 60.6 s. */
  blockMs: 60_700,
};

interface LinkOptions {
  redisUrl: string;
  /** Starts every key of this deployment. */
  redisPrefix: string;
  log?: Logger;
  times?: typeof defaultTimes;
}

/** The connection of this replica to Redis, which may be lost at any time and reconnects automatically. */
type RedisLink = ReturnType<typeof createRedisLink>;

/** Never rejects, whether Redis can be reached or not: a replica goes on without it, and joins it again later. */
export function createRedisLink({ redisUrl, redisPrefix, log, times = defaultTimes }: LinkOptions) {
  const { commandMs, heartbeatMs, blockMs } = times;
  // Commands of a lost connection are not sent later: by then their callers have given up.
  const client = new Redis(redisUrl, {
    commandTimeout: commandMs,
    connectTimeout: commandMs * 2,
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    retryStrategy: () => heartbeatMs,
    // After a failover the open connection may lead to the old primary, and a new one to the new primary.
    reconnectOnError: ({ message }) => message.includes('READONLY'),
  });
  const listeners = new Set<(isUp: boolean) => void>();
  let isUp = false;
  let epoch = '';
  let problem: string | undefined;
  // Redis has a new run id only after a new connection.
  let runId: string | undefined;
  const key = (...parts: string[]) => [redisPrefix, ...parts].join(':');
  client.on('close', () => {
    runId = undefined;
    lose('the connection ended');
  });
  // Each failed attempt to connect is an event as well. The loss itself is logged once.
  client.on('error', ({ message }) => {
    problem = message;
  });
  client.on('ready', () => void join());
  const heart = setInterval(() => void (client.status === 'ready' ? join() : lose('not connected')), heartbeatMs);
  heart.unref();

  function change(next: boolean): void {
    isUp = next;
    for (const listener of [...listeners]) listener(next);
  }

  function lose(why: string): void {
    if (!isUp) return;
    log?.error({ why }, 'Redis is lost: this replica uses its fixed part of the limit');
    change(false);
  }

  async function join(): Promise<void> {
    try {
      runId ??= /run_id:(\w+)/.exec(await client.info('server'))?.[1] ?? '';
      const settleMs = epoch !== '' && !isUp ? heartbeatMs * 2.5 : 0;
      const args = [runId, epoch, randomUUID(), blockMs, settleMs];
      const next = String(await client.eval(joinScript, 2, key('epoch'), key('blocked'), ...args));
      if (epoch !== '' && next !== epoch) log?.error('Redis was emptied or restarted: no tokens for a window');
      epoch = next;
      if (isUp) return;
      log?.info('Redis is there: the limit is shared with the other replicas');
      change(true);
    } catch (error) {
      problem = error instanceof Error ? error.message : 'unknown error';
      lose(problem);
    }
  }

  return {
    isUp: () => isUp,
    /** Waits for Redis for this time. Then, why it cannot be used; undefined if it can. */
    problemAfter: async (milliseconds: number): Promise<string | undefined> => {
      const until = performance.now() + milliseconds;
      while (!isUp && performance.now() < until) await sleep(20);
      return isUp ? undefined : (problem ?? 'no answer');
    },
    /** Changes when the data of Redis was lost. */
    epoch: () => epoch,
    /** Rejects if the command fails. That is the end of the link, until the next heartbeat. */
    run: async <T>(command: (client: Redis) => Promise<T>): Promise<T> => {
      if (!isUp) throw new Error('Redis is lost');
      try {
        return await command(client);
      } catch (error) {
        const { message } = error instanceof Error ? error : new Error('unknown error');
        if (message.includes('EPOCH is another')) await join();
        else lose(message);
        throw error;
      }
    },
    key,
    onChange: (listener: (isUp: boolean) => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close: async () => {
      isUp = false;
      clearInterval(heart);
      client.disconnect();
    },
  };
}

/** How long a start waits for Redis, in milliseconds. After that the replica begins alone. */
const startMs = 3_000;

/** Connects to Redis. Resolves without it if it cannot be reached: the replica joins when it can. */
export async function openSharedState({
  replicas,
  ...options
}: LinkOptions & { replicas: number; log: Logger }): Promise<SharedState> {
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
