import { randomUUID } from 'node:crypto';
import type { LogState, TokenLog } from '../api/rate-limit/token-log.ts';
import type { RedisLink } from './link.ts';
import { returnScript, runScript, takeScript } from './scripts.ts';

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
