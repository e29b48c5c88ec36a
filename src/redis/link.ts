import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { joinScript, runScript } from './scripts.ts';

interface LinkTimes {
  /** Longest time to wait for an answer of Redis. */
  commandMs: number;
  /** Time between two heartbeats, and between two attempts to join again. */
  heartbeatMs: number;
  /** How long no token is granted after data was lost: a little more than the API's window. */
  blockMs: number;
}

/** Milliseconds. A token of the limiter returns after 60.6 s. */
const defaultTimes: LinkTimes = { commandMs: 1_000, heartbeatMs: 1_000, blockMs: 60_700 };
/** Heartbeats with too many replicas before that is reported: one that has just ended counts for three more. */
const excessBeats = 6;

export interface SharedStateOptions {
  redisUrl: string;
  /** Starts every key of this deployment. */
  redisPrefix: string;
  /** How many replicas there may be; more are reported. */
  replicas: number;
  log: Logger;
  times?: LinkTimes;
}

/** The connection of this replica to Redis, which may be lost at any time and reconnects automatically. */
export type RedisLink = ReturnType<typeof createRedisLink>;

/** Commands of a lost connection are not sent later: by then their callers have given up. */
function connect(url: string, { commandMs, heartbeatMs }: LinkTimes): Redis {
  return new Redis(url, {
    commandTimeout: commandMs,
    connectTimeout: commandMs * 2,
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    retryStrategy: () => heartbeatMs,
    // After a failover the open connection may lead to the old primary, and a new one to the new primary.
    reconnectOnError: ({ message }) => message.includes('READONLY'),
  });
}

/** Never rejects, whether Redis can be reached or not: the program starts without it, and joins it later. */
export function createRedisLink({ redisUrl, redisPrefix, replicas, log, times = defaultTimes }: SharedStateOptions) {
  const { blockMs, heartbeatMs } = times;
  const client = connect(redisUrl, times);
  const listeners = new Set<(isUp: boolean) => void>();
  const replica = randomUUID();
  let isUp = false;
  let isClosed = false;
  let epoch = '';
  let losses = 0;
  let problem: string | undefined;
  let excess = 0;
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
    losses += 1;
    if (!isClosed) log.error({ why }, 'Redis is lost: this replica uses its fixed part of the limit');
    change(false);
  }

  async function readState(): Promise<[epoch: string, now: number, blocked: number, running: number]> {
    runId ??= /run_id:(\w+)/.exec(await client.info('server'))?.[1] ?? '';
    const args = [runId, epoch, randomUUID(), blockMs, heartbeatMs * 2.5, heartbeatMs * 3, replica];
    const answer = await runScript(client, joinScript, [key('state'), key('replicas')], args);
    return answer as [string, number, number, number];
  }

  async function join(): Promise<void> {
    try {
      const [next, now, blocked, running] = await readState();
      const isOther = next !== epoch;
      if (isOther && epoch !== '') {
        const seconds = Math.ceil((blocked - now) / 1000);
        log.error({ seconds }, 'Redis was emptied or restarted: no tokens for a window');
        losses += 1;
      }
      epoch = next;
      // Without Redis each would use too large a part.
      excess = running > replicas ? excess + 1 : 0;
      if (excess === excessBeats) log.warn({ running, replicas }, 'more replicas run than ACADEMY_REPLICAS allows');
      if (isUp && isOther) change(false);
      if (isUp) return;
      log.info('Redis is there: the limit is shared with the other replicas');
      change(true);
    } catch (error) {
      problem = error instanceof Error ? error.message : 'unknown error';
      lose(problem);
    }
  }

  /** Rejects if the command fails. That is the end of the link, except if Redis refuses a value, as for lack of memory. */
  async function run<T>(command: (client: Redis) => Promise<T>, isValue = false): Promise<T> {
    if (!isUp) throw new Error('Redis is lost');
    try {
      return await command(client);
    } catch (error) {
      const { name, message } = error instanceof Error ? error : new Error('unknown error');
      if (message.includes('EPOCH is another')) await join();
      else if (isValue && name === 'ReplyError') log.warn({ why: message }, 'Redis refused a value');
      else lose(message);
      throw error;
    }
  }

  return {
    isUp: () => isUp,
    /** Why Redis could not be reached or joined the last time. */
    problem: () => problem,
    /** Changes when the data of Redis was lost. */
    epoch: () => epoch,
    run: <T>(command: (client: Redis) => Promise<T>) => run(command),
    /** Runs a command for a value. A refusal by Redis does not end the link. */
    runForValue: <T>(command: (client: Redis) => Promise<T>) => run(command, true),
    key,
    onChange: (listener: (isUp: boolean) => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    losses: () => losses,
    close: async () => {
      isClosed = true;
      clearInterval(heart);
      client.disconnect();
    },
  };
}

/** Why a Redis does not answer within `patienceMs`; undefined if it does. */
export async function redisProblem(url: string, patienceMs: number): Promise<string | undefined> {
  const once = { lazyConnect: true, maxRetriesPerRequest: 0, retryStrategy: () => null };
  const client = new Redis(url, { ...once, connectTimeout: patienceMs, commandTimeout: patienceMs });
  let problem: string | undefined;
  // The connection itself says only that it is closed.
  client.on('error', ({ message }) => {
    problem ??= message;
  });
  try {
    await client.connect();
    await client.ping();
    return undefined;
  } catch (error) {
    return problem ?? (error instanceof Error ? error.message : 'no answer');
  } finally {
    client.disconnect();
  }
}
