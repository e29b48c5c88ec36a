// The Lua scripts. Each is one atomic step, and all times are those of Redis: the clocks of the replicas do not matter.

const redisTime = `
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
`;

/**
 * Joins, and records that this replica runs. Checks whether the ledgers can be trusted; if not, blocks them for a while.
 * KEYS: state, replicas. ARGV: run id of Redis, epoch that this replica knows (empty: none), a new epoch, blockMs, settleMs,
 * gapMs, replica. Returns epoch, time, blocked until, number of replicas.
 */
export const joinScript = `${redisTime}
local state = redis.call('HMGET', KEYS[1], 'epoch', 'run', 'blocked', 'seen', 'fresh')
local epoch, blocked, seen = state[1], tonumber(state[3] or '0'), tonumber(state[4] or '0')
local mine = ARGV[2]
local wait = 0
if not epoch then
  epoch = ARGV[3]
  -- A replica that has served before proves that data was lost. For a first one, a former member may follow at once.
  if mine == '' then wait = tonumber(ARGV[5]) redis.call('HSET', KEYS[1], 'fresh', '1') else wait = tonumber(ARGV[4]) end
  redis.call('HSET', KEYS[1], 'epoch', epoch, 'run', ARGV[1])
elseif state[2] ~= ARGV[1] then
  -- Redis has restarted: what it holds may be old.
  epoch = ARGV[3]
  wait = tonumber(ARGV[4])
  redis.call('HSET', KEYS[1], 'epoch', epoch, 'run', ARGV[1])
  redis.call('HDEL', KEYS[1], 'fresh')
elseif mine ~= '' and mine ~= epoch and state[5] then
  wait = tonumber(ARGV[4])
  redis.call('HDEL', KEYS[1], 'fresh')
elseif now - seen > tonumber(ARGV[6]) then
  -- No replica was served: those that have used their own part report it within settleMs.
  wait = tonumber(ARGV[5])
end
if now + wait > blocked then blocked = now + wait end
redis.call('HSET', KEYS[1], 'seen', now, 'blocked', blocked)
redis.call('ZADD', KEYS[2], now, ARGV[7])
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now - tonumber(ARGV[6]))
redis.call('PEXPIRE', KEYS[2], 600000)
return { epoch, now, blocked, redis.call('ZCARD', KEYS[2]) }
`;

/**
 * Takes tokens. A token is a member of the sorted set `held`, scored with the time of its return. Replicas that wait are
 * served in turn: each has a place in `line`, until it gets a token.
 * KEYS: state, held, line, polls, waiting, facts. ARGV: epoch, latest time, replica, capacity, leaseMs, waiting, stale after, ids.
 */
export const acquireScript = `${redisTime}
local state = redis.call('HMGET', KEYS[1], 'epoch', 'blocked')
if state[1] ~= ARGV[1] then return redis.error_reply('LEDGER other epoch') end
if tonumber(ARGV[2]) > 0 and now > tonumber(ARGV[2]) then return redis.error_reply('LEDGER too late') end
local me, capacity, lease = ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5])
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now)
local gone = redis.call('ZRANGEBYSCORE', KEYS[4], '-inf', now - tonumber(ARGV[7]))
for _, replica in ipairs(gone) do
  redis.call('ZREM', KEYS[3], replica)
  redis.call('ZREM', KEYS[4], replica)
  redis.call('HDEL', KEYS[5], replica)
end
local wanted = #ARGV - 7
local blocked = math.max(0, tonumber(state[2] or '0') - now)
local facts = redis.call('HMGET', KEYS[6], 'paused', 'pause', 'limit')
local granted = 0
local card = redis.call('ZCARD', KEYS[2])
local ahead = 0
if wanted > 0 then
  local place = redis.call('ZRANK', KEYS[3], me)
  if place then ahead = place else ahead = redis.call('ZCARD', KEYS[3]) end
end
if blocked == 0 then
  while granted < wanted and card + ahead < capacity do
    redis.call('ZADD', KEYS[2], now + lease, ARGV[8 + granted])
    granted = granted + 1
    card = card + 1
  end
end
local rest = tonumber(ARGV[6]) - granted
if granted > 0 then redis.call('ZREM', KEYS[3], me) end
if wanted > granted and rest > 0 then redis.call('ZADD', KEYS[3], 'NX', now, me) end
if rest > 0 then
  redis.call('ZADD', KEYS[4], now, me)
  redis.call('HSET', KEYS[5], me, rest)
else
  redis.call('ZREM', KEYS[3], me)
  redis.call('ZREM', KEYS[4], me)
  redis.call('HDEL', KEYS[5], me)
end
local returns = {}
local scored = redis.call('ZRANGE', KEYS[2], 0, -1, 'WITHSCORES')
for index = 2, #scored, 2 do returns[#returns + 1] = math.max(1, math.ceil(tonumber(scored[index]) - now)) end
local retry = blocked
if blocked == 0 and wanted > granted then
  local place = card + ahead - capacity + 1
  if place < 1 then place = 1 end
  retry = returns[place] or returns[#returns] or 1
end
local elsewhere = {}
local all = redis.call('HGETALL', KEYS[5])
for index = 1, #all, 2 do
  if all[index] ~= me then elsewhere[#elsewhere + 1] = tonumber(all[index + 1]) end
end
for index = 2, 5 do redis.call('PEXPIRE', KEYS[index], 600000) end
return { granted, retry, blocked, returns, elsewhere, math.max(0, tonumber(facts[1] or '0') - now),
  tonumber(facts[2] or '0'), tonumber(facts[3] or '0'), now }
`;

/** Sets when tokens return. KEYS: held. ARGV: id, milliseconds, and so on. */
export const returnScript = `${redisTime}
for index = 1, #ARGV, 2 do
  if tonumber(ARGV[index + 1]) <= 0 then redis.call('ZREM', KEYS[1], ARGV[index])
  else redis.call('ZADD', KEYS[1], now + tonumber(ARGV[index + 1]), ARGV[index]) end
end
redis.call('PEXPIRE', KEYS[1], 600000)
return 1
`;

/** Records a pause of the whole account. KEYS: facts. ARGV: milliseconds. Returns the number of the report. */
export const pauseScript = `${redisTime}
local paused = tonumber(redis.call('HGET', KEYS[1], 'paused') or '0')
if now + tonumber(ARGV[1]) > paused then redis.call('HSET', KEYS[1], 'paused', now + tonumber(ARGV[1])) end
local count = redis.call('HINCRBY', KEYS[1], 'pause', 1)
redis.call('PEXPIRE', KEYS[1], 86400000)
return count
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
