import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TokenLog } from '../api/rate-limit/token-log.ts';
import type { SharedState } from '../shared/shared-state.ts';
import { createRedisLink, type SharedStateOptions } from './link.ts';
import { createRedisBytes, createRedisStore } from './redis-store.ts';
import { createRedisTokenLog } from './redis-token-log.ts';
import { createSealedStore } from './sealed-store.ts';

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
