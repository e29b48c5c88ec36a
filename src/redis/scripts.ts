// The Lua scripts. Each is one atomic step, and all times are those of Redis: the clocks of the replicas do not matter.

/**
 * Returns the epoch of the data. After a flush, a restart or a failover it is another one, and no token can be taken for a
 * window; if this replica comes back, until the others are back too. The write shows in time that Redis is full.
 * KEYS: epoch, blocked. ARGV: run id of Redis, epoch that this replica knows (empty: none), a new epoch, blockMs, settleMs.
 */
export const joinScript = `
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
export const tokenScript = `
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
