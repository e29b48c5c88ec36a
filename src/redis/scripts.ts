import type { Redis } from 'ioredis';

// The Lua scripts. Each is one atomic step, and all times are those of Redis: the clocks of the replicas do not matter.

export async function runScript(
  client: Redis,
  script: string,
  keys: readonly string[],
  args: readonly (string | number | Buffer)[],
): Promise<unknown> {
  return await client.eval(script, keys.length, ...keys, ...args);
}

const redisTime = `
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
`;

/**
 * Records that a replica runs. Blocks all tokens for a window if data was lost: the replica knows another epoch, or the
 * run id of Redis is another. If no replica was here for a while, blocks them until the others may have reported too.
 * KEYS: state, replicas. ARGV: run id of Redis, epoch that this replica knows (empty: none), a new epoch, blockMs, settleMs,
 * gapMs, replica. Returns epoch, time, blocked until, number of replicas.
 */
export const joinScript = `${redisTime}
local state = redis.call('HMGET', KEYS[1], 'epoch', 'run', 'blocked', 'seen')
local epoch, blocked, wait = state[1], tonumber(state[3] or '0'), 0
local isOther = epoch and state[2] ~= ARGV[1]
if isOther or (ARGV[2] ~= '' and ARGV[2] ~= epoch) then wait = tonumber(ARGV[4])
elseif now - tonumber(state[4] or '0') > tonumber(ARGV[6]) then wait = tonumber(ARGV[5]) end
if isOther or not epoch then epoch = ARGV[3] end
if now + wait > blocked then blocked = now + wait end
redis.call('HSET', KEYS[1], 'epoch', epoch, 'run', ARGV[1], 'blocked', blocked, 'seen', now)
redis.call('ZADD', KEYS[2], now, ARGV[7])
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now - tonumber(ARGV[6]))
return { epoch, now, blocked, redis.call('ZCARD', KEYS[2]) }
`;

/**
 * The sliding log: a sorted set of the tokens in use, scored with the time at which each returns. Takes a token if fewer
 * than `capacity` are in use, or keeps it for longer if it is in use already.
 * KEYS: state, log, pause, limit. ARGV: epoch, capacity, leaseMs, id (empty: only looks).
 */
export const takeScript = `${redisTime}
local state = redis.call('HMGET', KEYS[1], 'epoch', 'blocked')
if state[1] ~= ARGV[1] then return redis.error_reply('EPOCH is another') end
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now)
local blocked, taken = math.max(0, tonumber(state[2]) - now), 0
local isFree = redis.call('ZCARD', KEYS[2]) < tonumber(ARGV[2]) or redis.call('ZSCORE', KEYS[2], ARGV[4])
if ARGV[4] ~= '' and blocked == 0 and isFree then
  redis.call('ZADD', KEYS[2], now + tonumber(ARGV[3]), ARGV[4])
  redis.call('PEXPIRE', KEYS[2], 600000)
  taken = 1
end
local returns, scored = {}, redis.call('ZRANGE', KEYS[2], 0, -1, 'WITHSCORES')
for index = 2, #scored, 2 do returns[#returns + 1] = math.ceil(tonumber(scored[index]) - now) end
local pause = redis.call('GET', KEYS[3]) or ''
return { taken, blocked, returns, pause, redis.call('PTTL', KEYS[3]), redis.call('GET', KEYS[4]) or '' }
`;

/** Sets when tokens return. KEYS: log. ARGV: id, milliseconds, and so on. */
export const returnScript = `${redisTime}
for index = 1, #ARGV, 2 do
  if tonumber(ARGV[index + 1]) <= 0 then redis.call('ZREM', KEYS[1], ARGV[index])
  else redis.call('ZADD', KEYS[1], now + tonumber(ARGV[index + 1]), ARGV[index]) end
end
redis.call('PEXPIRE', KEYS[1], 600000)
`;

/** Counts more. KEYS: counter. ARGV: lifetime, number. Returns the count and the milliseconds that it lives. */
export const incrementScript = `
local count = redis.call('INCRBY', KEYS[1], ARGV[2])
if redis.call('PTTL', KEYS[1]) < 0 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
return { count, redis.call('PTTL', KEYS[1]) }
`;

/**
 * Keeps bytes if they fit into the quotas. An index names what is kept, scored with the time at which it expires: "size:key".
 * KEYS: value, index of the owner, index of all. ARGV: bytes, their size, lifetime, quota of the owner, quota of all.
 * Returns whether they are kept.
 */
export const keepBytesScript = `${redisTime}
local size, ttl = tonumber(ARGV[2]), tonumber(ARGV[3])
for index = 2, 3 do
  redis.call('ZREMRANGEBYSCORE', KEYS[index], '-inf', now)
  local used = size
  for _, kept in ipairs(redis.call('ZRANGE', KEYS[index], 0, -1)) do used = used + tonumber(string.match(kept, '^%d+')) end
  if used > tonumber(ARGV[index + 2]) then return 0 end
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ttl)
for index = 2, 3 do
  redis.call('ZADD', KEYS[index], now + ttl, ARGV[2] .. ':' .. KEYS[1])
  redis.call('PEXPIRE', KEYS[index], ttl)
end
return 1
`;
