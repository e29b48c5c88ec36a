import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { joinScript } from './scripts.ts';

const defaultTimes = {
  commandMs: 1_000,
  /** Between two heartbeats, and between two attempts to join again. */
  heartbeatMs: 1_000,
  /** After data was lost no token is granted for this time. A token of the limiter returns after 60.6 s. */
  blockMs: 60_700,
};

export interface LinkOptions {
  redisUrl: string;
  /** Starts every key of this deployment. */
  redisPrefix: string;
  log?: Logger;
  times?: typeof defaultTimes;
}

/** The connection of this replica to Redis, which may be lost at any time and reconnects automatically. */
export type RedisLink = ReturnType<typeof createRedisLink>;

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
