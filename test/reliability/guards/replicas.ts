import type { Guard } from './guard.ts';

const budget = ['test/redis/budget.test.ts'];
const anyReplica = ['test/redis/any-replica.test.ts'];
const pool = 'src/api/rate-limit/shared-token-pool.ts';
const scripts = 'src/redis/scripts.ts';

/** What replicas rely on. The tests need a redis-server. */
export const replicaGuards: readonly Guard[] = [
  {
    name: 'after the loss of Redis a replica has no tokens for a window',
    file: pool,
    text: 'alone = { since, free: 0, isOpen: false };',
    instead: 'alone = { since, free: 0, isOpen: true }; queueMicrotask(topUp);',
    tests: budget,
    only: 'fixed part',
  },
  {
    name: 'while Redis is lost a replica uses only its part',
    file: pool,
    text: 'Math.floor(allowed / ledger.replicas)',
    instead: 'allowed',
    tests: budget,
    only: 'fixed part',
  },
  {
    name: 'after a flush no token is granted for a window',
    file: scripts,
    text: 'else wait = tonumber(ARGV[4]) end',
    instead: 'end',
    tests: budget,
    only: 'a flush of Redis',
  },
  {
    name: 'the lease of a token ends',
    file: scripts,
    text: "redis.call('ZADD', KEYS[2], now + lease, ARGV[8 + granted])",
    instead: "redis.call('ZADD', KEYS[2], now + 3600000, ARGV[8 + granted])",
    tests: budget,
    only: 'a replica that dies',
  },
  {
    name: 'a token returns a window after its answer, for all replicas',
    file: pool,
    text: 'ledger.setReturns(new Map([[id, hold]]));',
    instead: 'ledger.setReturns(new Map([[id, 1]]));',
    tests: budget,
    only: 'never more',
  },
  {
    name: 'nothing that Redis holds can be read there',
    file: 'src/redis/sealed-store.ts',
    text: 'set: (key, value, ttlMs) => store.set(nameOf(key), seal(key, value), ttlMs),',
    instead: 'set: (key, value, ttlMs) => store.set(nameOf(key), value, ttlMs),',
    tests: anyReplica,
    only: 'Redis holds neither',
  },
  {
    name: 'replicas learn that a conversation has read member-written text',
    file: 'src/mcp/confirmation/shared-conversation.ts',
    text: "if (conversation.hasUserContent) await store.set(key, 'read', ttlMs);",
    instead: '',
    tests: anyReplica,
    only: 'locks the other down',
  },
  {
    name: 'replicas hold an unclear write back',
    file: 'src/app.ts',
    text: 'audit, meter, store, ledger,',
    instead: 'audit, meter, ledger,',
    tests: anyReplica,
    only: 'an unclear write',
  },
];
