import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { runScript } from './run-script.ts';
import { joinScript } from './scripts.ts';

export interface LinkTimes {
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

interface LinkOptions {
  url: string;
  /** Starts every key of this deployment. */
  prefix: string;
  /** How many replicas there may be; more are reported. */
  replicas: number;
  log: Logger;
  times?: LinkTimes | undefined;
}

/** The connection of this replica to Redis, which may be lost at any time and reconnects automatically. */
export interface RedisLink {
  /** A name of this replica that no other has. */
  readonly replica: string;
  isUp(): boolean;
  /** Why Redis could not be reached or joined the last time. */
  problem(): string | undefined;
  /** Changes when the data of Redis was lost. */
  epoch(): string;
  /** The time of Redis that no answer of now can be later than; 0 if unknown. */
  latestTime(): number;
  /** Runs a command of the ledger. Rejects, and counts the link as lost, if it fails. */
  run<T>(command: (client: Redis) => Promise<T>): Promise<T>;
  /** Runs a command for a value. A refusal by Redis, such as for lack of memory, does not end the link. */
  runForValue<T>(command: (client: Redis) => Promise<T>): Promise<T>;
  key(...parts: string[]): string;
  onChange(listener: (isUp: boolean) => void): () => void;
  losses(): number;
  close(): Promise<void>;
}

class LinkLost extends Error {}

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

async function runIdOf(client: Redis): Promise<string> {
  return /run_id:(\w+)/.exec(await client.info('server'))?.[1] ?? '';
}

/** Never rejects, whether Redis can be reached or not: the program starts without it, and joins it later. */
export function createRedisLink({ url, prefix, replicas, log, times = defaultTimes }: LinkOptions): RedisLink {
  const client = connect(url, times);
  const listeners = new Set<(isUp: boolean) => void>();
  const replica = randomUUID();
  let isUp = false;
  let isClosed = false;
  let epoch = '';
  let losses = 0;
  let problem: string | undefined;
  let excess = 0;
  let timer: NodeJS.Timeout | undefined;
  /** The clock of Redis minus our monotonic one. */
  let ahead: number | undefined;
  // Redis has a new run id only after a new connection.
  let runId: string | undefined;
  client.on('close', () => {
    runId = undefined;
    lose('the connection ended');
  });
  // Each failed attempt to connect is an event as well. The loss itself is logged once.
  client.on('error', ({ message }) => {
    problem = message;
  });

  function refuse({ message }: Error): void {
    problem = message;
    lose(message);
  }

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

  /** They share the limit as long as there is Redis. Without it each would use too large a part. */
  function reportExcess(running: number): void {
    excess = running > replicas ? excess + 1 : 0;
    if (excess === excessBeats) log.warn({ running, replicas }, 'more replicas run than ACADEMY_REPLICAS allows');
  }

  async function join(): Promise<void> {
    const run = runId ?? (await runIdOf(client));
    runId = run;
    const { blockMs, heartbeatMs } = times;
    const keys = [`${prefix}:state`, `${prefix}:replicas`];
    const args = [run, epoch, randomUUID(), blockMs, heartbeatMs * 2.5, heartbeatMs * 3, replica];
    const answer = await runScript(client, joinScript, keys, args);
    const [next, now, blocked, running] = answer as [string, number, number, number];
    reportExcess(running);
    ahead = now - performance.now();
    const isOther = next !== epoch;
    if (isOther && epoch !== '') {
      log.error(
        { seconds: Math.ceil((blocked - now) / 1000) },
        'Redis was emptied or restarted: no tokens for a window',
      );
      losses += 1;
    }
    epoch = next;
    if (isUp && isOther) change(false);
    if (!isUp) {
      log.info('Redis is there: the limit is shared with the other replicas');
      change(true);
    }
  }

  async function beat(): Promise<void> {
    if (client.status === 'ready') await join().catch(refuse);
    else if (isUp) lose('not connected');
    if (!isClosed) timer = setTimeout(beat, times.heartbeatMs).unref();
  }
  client.on('ready', () => void join().catch(refuse));
  timer = setTimeout(beat, times.heartbeatMs).unref();

  async function run<T>(command: (client: Redis) => Promise<T>, isValue: boolean): Promise<T> {
    if (!isUp) throw new LinkLost('Redis is lost');
    try {
      return await command(client);
    } catch (error) {
      const { name, message } = error instanceof Error ? error : new Error('unknown error');
      const isRefusal = name === 'ReplyError';
      if (message.includes('LEDGER other epoch')) await join().catch(() => lose(message));
      else if (isValue && isRefusal) log.warn({ why: message }, 'Redis refused a value');
      else lose(message);
      throw new LinkLost(message);
    }
  }

  return {
    replica,
    isUp: () => isUp,
    problem: () => problem,
    epoch: () => epoch,
    latestTime: () => (ahead === undefined ? 0 : Math.ceil(performance.now() + ahead + times.commandMs)),
    run: (command) => run(command, false),
    runForValue: (command) => run(command, true),
    key: (...parts) => [prefix, ...parts].join(':'),
    onChange: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    losses: () => losses,
    close: async () => {
      isClosed = true;
      clearTimeout(timer);
      client.disconnect();
    },
  };
}
