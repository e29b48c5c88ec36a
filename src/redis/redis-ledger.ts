import type { LedgerState, TokenLedger, TokenRequest } from '../api/rate-limit/token-ledger.ts';
import type { RedisLink } from './link.ts';
import { runScript } from './run-script.ts';
import { acquireScript, pauseScript, returnScript } from './scripts.ts';

/** A replica that has not asked for this long has no place in the line any more. Milliseconds. */
const staleMs = 3_000;

type Answer = [
  granted: number,
  retry: number,
  blocked: number,
  returns: number[],
  elsewhere: number[],
  paused: number,
  pause: number,
  limit: number,
];

function stateOf([
  granted,
  retryMs,
  blockedMs,
  returns,
  waitingElsewhere,
  pausedMs,
  pauseId,
  limit,
]: Answer): LedgerState {
  return {
    granted,
    retryMs,
    blockedMs,
    returns,
    waitingElsewhere,
    pausedMs,
    pauseId,
    limit: limit > 0 ? limit : undefined,
  };
}

/** The tokens of an account in Redis. `account` identifies it: the same for all replicas and for no other account. */
export function createRedisLedger(link: RedisLink, account: string, replicas: number): TokenLedger {
  const key = (name: string) => link.key('budget', account, name);
  const [held, facts] = [key('held'), key('facts')];
  const keys = [link.key('state'), held, key('line'), key('polls'), key('waiting'), facts];

  async function acquire({ ids, capacity, waiting, leaseMs }: TokenRequest): Promise<LedgerState> {
    const facts = [link.epoch(), link.latestTime(), link.replica, capacity, Math.ceil(leaseMs), waiting, staleMs];
    const run = link.run((client) => runScript(client, acquireScript, keys, [...facts, ...ids]));
    return stateOf((await run) as Answer);
  }

  return {
    acquire,
    setReturns: (tokens) => {
      const args = [...tokens].flatMap(([id, milliseconds]) => [id, Math.ceil(milliseconds)]);
      // If Redis is lost, the pool reports all of them when it is back.
      if (args.length > 0) link.run((client) => runScript(client, returnScript, [held], args)).catch(() => {});
    },
    reportPause: async (milliseconds) =>
      await link
        .run((client) => runScript(client, pauseScript, [facts], [Math.ceil(milliseconds)]))
        .then(Number)
        .catch(() => 0),
    setLimit: (limit) => void link.run((client) => client.hset(facts, 'limit', limit)).catch(() => {}),
    isUp: link.isUp,
    onChange: link.onChange,
    replicas,
  };
}
