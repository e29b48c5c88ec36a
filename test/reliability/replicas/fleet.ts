import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { createRandom } from '../../../src/sandbox/seed/random.ts';
import { type RedisServer, startRedis } from '../../redis/start-redis.ts';
import { sharedValidator } from '../../support/validator.ts';
import { type HttpProgram, startHttpProgram } from '../http-program.ts';
import { type ModelServer, startModelServer } from '../server-models.ts';
import { readToolAnswer } from '../tool-answer.ts';

/** The limit of the account, and the part of it that the program uses by default. */
export const accountLimit = 60;
export const ownLimit = 54;
export const replicaCount = 4;
const clientCount = 16;
const token = 'replicas-share-this-token-0123';

/** Replicas of the built program with one Redis and one account, and real clients whose requests go to them in turn. */
export interface Fleet {
  readonly redis: RedisServer;
  readonly account: ModelServer;
  readonly replicas: HttpProgram[];
  /** The answers by code, and errors of the connection. */
  readonly answers: Map<string, number>;
  kill(index: number): Promise<void>;
  startAgain(index: number): Promise<void>;
  /** Sets the clock of a replica an hour forward. */
  skew(index: number): void;
  close(): Promise<void>;
}

export async function startFleet(seed: number): Promise<Fleet> {
  const random = createRandom(seed);
  const redis = await startRedis();
  const account = await startModelServer({
    model: 'sliding+',
    limit: accountLimit,
    windowMs: 60_000,
    latencyMs: [100, 500],
    retryAfter: true,
    random,
  });
  const environment = {
    ACADEMY_BASE_URL: account.url,
    ACADEMY_API_KEY: 'key',
    ACADEMY_RATE_LIMIT: String(accountLimit),
    ACADEMY_REDIS_URL: redis.url,
    ACADEMY_REPLICAS: String(replicaCount),
    // A window without tokens, and then a turn.
    ACADEMY_MAX_WAIT_MS: '90000',
    ACADEMY_HTTP_TOKENS: token,
  };
  const clock = fileURLToPath(new URL('../places/clock-step.js', import.meta.url));
  const start = () => startHttpProgram({ environment, nodeFlags: ['--import', clock] });
  const replicas = await Promise.all(Array.from({ length: replicaCount }, start));
  const answers = new Map<string, number>();
  let isRunning = true;
  let turn = 0;
  let courseId = 0;

  /** A load balancer without sticky sessions: each request goes to the next replica that is alive. */
  function inTurn(_url: string | URL, init?: RequestInit): Promise<Response> {
    const alive = replicas.filter((replica) => replica.isAlive());
    turn += 1;
    const target = alive[turn % alive.length];
    if (target === undefined) return Promise.reject(new Error('no replica is alive'));
    return fetch(target.url, init);
  }

  async function connect(): Promise<Client> {
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    const transport = new StreamableHTTPClientTransport(new URL('http://replicas/mcp'), { fetch: inTurn, requestInit });
    const client = new Client({ name: 'replicas', version: '1' }, { jsonSchemaValidator: sharedValidator });
    await client.connect(transport as Transport);
    return client;
  }

  async function work(client: Client): Promise<void> {
    while (isRunning) {
      courseId += 1;
      const params = { name: 'get_course', arguments: { course_id: courseId } };
      const code = await client
        .callTool(params, undefined, { timeout: 120_000 })
        .then((answer) => readToolAnswer(answer).code)
        .catch(() => 'connection');
      if (!isRunning) return;
      answers.set(code, (answers.get(code) ?? 0) + 1);
      if (code !== 'ok') await sleep(1_000);
    }
  }

  const clients = await Promise.all(Array.from({ length: clientCount }, connect));
  const workers = Promise.all(clients.map(work));

  return {
    redis,
    account,
    replicas,
    answers,
    kill: async (index) => {
      process.kill(replicas[index]?.pid ?? 0, 'SIGKILL');
      await sleep(100);
    },
    startAgain: async (index) => {
      replicas[index] = await start();
    },
    skew: (index) => void process.kill(replicas[index]?.pid ?? 0, 'SIGUSR2'),
    close: async () => {
      isRunning = false;
      await Promise.all(replicas.map((replica) => replica.close()));
      await Promise.all(clients.map((client) => client.close().catch(() => {})));
      await Promise.race([workers, sleep(5_000, undefined, { ref: false })]);
      await account.close();
      await redis.close();
    },
  };
}
