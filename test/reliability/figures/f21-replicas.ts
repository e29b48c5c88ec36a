import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { createRandom } from '../../../src/sandbox/seed/random.ts';
import { startRedis } from '../../redis/start-redis.ts';
import { atEnd, inScope } from '../../support/at-end.ts';
import { readAnswer } from '../../support/connect.ts';
import { startHttpProgram } from '../../support/program.ts';
import { sharedValidator } from '../../support/validator.ts';
import type { Figure } from '../figure.ts';
import { longRunUse, maxInWindow, percent, startModelServer } from '../load/model-server.ts';

/** The limit of the account, and the part of it that the program uses by default. */
const accountLimit = 60;
const ownLimit = 54;
const replicaCount = 4;
const clientCount = 16;
const token = 'replicas-share-this-token-0123';

type Fleet = Awaited<ReturnType<typeof startFleet>>;

/** Replicas of the built program with one Redis and one account, and real clients whose requests go to them in turn. */
async function startFleet(seed: number) {
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
        .then((answer) => readAnswer(answer).code)
        .catch(() => 'connection');
      if (!isRunning) return;
      answers.set(code, (answers.get(code) ?? 0) + 1);
      if (code !== 'ok') await sleep(1_000);
    }
  }

  const clients = await Promise.all(Array.from({ length: clientCount }, connect));
  const workers = Promise.all(clients.map(work));
  atEnd(async () => {
    isRunning = false;
    await Promise.all(clients.map((client) => client.close().catch(() => {})));
    await Promise.race([workers, sleep(5_000, undefined, { ref: false })]);
  });

  return {
    redis,
    account,
    answers,
    kill: async (index: number) => {
      process.kill(replicas[index]?.pid ?? 0, 'SIGKILL');
      await sleep(100);
    },
    startAgain: async (index: number) => {
      replicas[index] = await start();
    },
    skew: (index: number) => void process.kill(replicas[index]?.pid ?? 0, 'SIGUSR2'),
  };
}

/** Something that happens to four replicas under load, and how much of the budget it may cost. */
interface Scenario {
  readonly name: string;
  /** Requests that may be missing afterwards, by docs/internals/decisions/0013-redis-log.md. */
  readonly maxLoss: number;
  /** Part of the short form; the others are tested in test/redis/ in shorter windows. */
  readonly isShort?: true;
  happen(fleet: Fleet): Promise<void>;
}

const pausedMs = 20_000;
/** A window and the time to come back. */
const windowLoss = Math.ceil((ownLimit * 64) / 60);

const steady: Scenario = { name: 'nothing happens', maxLoss: 0, isShort: true, happen: async () => {} };

const scenarios: readonly Scenario[] = [
  steady,
  {
    name: 'kill -9 of a replica, which starts again after 20 s',
    // Tokens of four requests under way and one in hand: each returns half a window later than it would have.
    maxLoss: 12,
    isShort: true,
    happen: async (fleet) => {
      await fleet.kill(0);
      await sleep(20_000);
      await fleet.startAgain(0);
    },
  },
  { name: 'FLUSHALL', maxLoss: windowLoss, happen: ({ redis }) => redis.flush() },
  {
    name: 'a restart of Redis',
    maxLoss: windowLoss,
    happen: async ({ redis }) => {
      await redis.kill();
      await redis.start();
    },
  },
  {
    name: 'Redis paused for 20 s',
    maxLoss: Math.ceil((ownLimit * (pausedMs / 1_000 + 5)) / 60),
    happen: async ({ redis }) => {
      redis.pause();
      await sleep(pausedMs);
      redis.resume();
    },
  },
  {
    name: 'Redis gone for 3 minutes',
    // After the window without tokens, each replica uses its part: 13 of 13.5.
    maxLoss: windowLoss * 2 + 10,
    happen: async ({ redis }) => {
      await redis.kill();
      await sleep(180_000);
      await redis.start();
    },
  },
  { name: 'the clock of a replica an hour ahead', maxLoss: 6, isShort: true, happen: async (fleet) => fleet.skew(1) },
];

type Observed = Awaited<ReturnType<typeof observe>>;

/** How long the effects of an event last, in milliseconds: a window without tokens, and the one after. */
const aftermathMs = 150_000;

async function observe(scenario: Scenario, seed: number, eventMs: number, totalMs: number) {
  const fleet = await startFleet(seed);
  const start = performance.now();
  await sleep(eventMs);
  await scenario.happen(fleet);
  const happened = performance.now();
  await sleep(Math.max(0, totalMs - (happened - start)));
  const end = performance.now();
  const answers = new Map(fleet.answers);
  const log = fleet.account.log.filter(({ at }) => at < end);
  const times = log.map(({ at }) => at);
  const isLong = end - happened - aftermathMs >= 120_000;
  const from = isLong && scenario !== steady ? happened + aftermathMs : start;
  return {
    scenario,
    requests: log.length,
    refused: log.filter(({ accepted }) => !accepted).length,
    inWindow: maxInWindow(times, 60_000),
    use: longRunUse(
      times.filter((time) => time >= from),
      { limit: ownLimit, windowMs: 60_000 },
    ),
    answers,
  };
}

function lossOf({ requests }: Observed, control: Observed): number {
  return Math.max(0, control.requests - requests);
}

function failuresOf(observed: Observed, control: Observed, wantedUse: number): string[] {
  const { scenario, refused, inWindow, use, answers } = observed;
  const { name, maxLoss } = scenario;
  const loss = lossOf(observed, control);
  const isUnserved = scenario === steady && [...answers.keys()].some((code) => code !== 'ok');
  return [
    ...(refused > 0 ? [`${name}: ${refused} × 429`] : []),
    ...(inWindow > ownLimit ? [`${name}: ${inWindow} requests in a window instead of ${ownLimit}`] : []),
    ...(use >= wantedUse ? [] : [`${name}: ${(use * 100).toFixed(1)}% of the share used`]),
    ...(loss <= maxLoss ? [] : [`${name}: cost ${loss} requests instead of at most ${maxLoss}`]),
    ...(isUnserved ? [`${name}: not every call was served`] : []),
  ];
}

const wantedUse = 0.9;
const lengths = { short: { eventMs: 45_000, totalMs: 120_000 }, whole: { eventMs: 120_000, totalMs: 600_000 } };

function lineOf(observed: Observed, control: Observed): string {
  const { scenario, requests, refused, inWindow, use, answers } = observed;
  const cost =
    scenario === steady ? '' : `; it cost ${lossOf(observed, control)} requests of at most ${scenario.maxLoss}`;
  const said = [...answers].map(([code, count]) => `${count} ${code}`).join(', ');
  return `${scenario.name}: ${requests} requests, ${refused} × 429, at most ${inWindow} in a minute, ${percent(use)} of the share used${cost}; answers: ${said}`;
}

export const figure: Figure = {
  id: 'F21',
  title: 'Replicas that share a limit',
  target:
    '0 × 429 and at least 90% of the share used, also through the loss of a replica, a flushed, restarted, paused or absent Redis and a wrong clock, each at most at its documented cost',
  run: async (size, seed) => {
    const { eventMs, totalMs } = lengths[size];
    const chosen = scenarios.filter(({ isShort }) => size === 'whole' || isShort);
    const observed = await Promise.all(
      chosen.map((scenario, index) => inScope(() => observe(scenario, seed + index, eventMs, totalMs))),
    );
    const control = observed.find(({ scenario }) => scenario === steady);
    if (control === undefined) throw new Error('there is no run without an event');
    const failures = observed.flatMap((one) => failuresOf(one, control, wantedUse));
    const requests = observed.reduce((sum, one) => sum + one.requests, 0);
    const refused = observed.reduce((sum, one) => sum + one.refused, 0);
    const least = Math.min(...observed.map(({ use }) => use));
    const most = Math.max(...observed.map((one) => lossOf(one, control)));
    return {
      tried: `${requests.toLocaleString('en')} requests of 16 real clients to four replicas of the built program with one Redis, each request to another replica, at 60 a real minute with share 0.9, ${totalMs / 60_000} minutes for each of ${observed.length} cases`,
      result: `${refused} × 429; at least ${percent(least)} of the share used; a failure cost at most ${most} requests`,
      details: [
        ...observed.map((one) => lineOf(one, control)),
        'the API counts a sliding window, and refused requests as well',
      ],
      failures,
      zeros: refused === 0 ? [{ what: 'requests of replicas refused with 429', of: requests }] : [],
    };
  },
};
