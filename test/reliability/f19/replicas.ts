import { startRedis } from '../../redis/start-redis.ts';
import { callMessage, initialize } from '../../support/http-server.ts';
import { createCaller } from '../http/caller.ts';
import { type Attack, type Ground, unless } from './attack.ts';

// A consent that one replica has used, shown to the other one: also when Redis is full, has forgotten it for exports, or is lost.

const token = 'replicas-share-this-token-0123';
const args = { email: 'freya.hargreaves@example.net', course_id: 3 };
const noise = `WITH RECURSIVE n(x, y) AS (SELECT 1, 12345 UNION ALL SELECT x + 1, (y * 1103515245 + 12345) % 2147483648 FROM n
  LIMIT 250000) SELECT y * 7919 % 1000003 AS a, y % 999983 AS b, y * 31 % 99991 AS c, y * 17 % 9999991 AS d, y FROM n`;

type Replicas = Awaited<ReturnType<typeof startTwo>>;

/** Two replicas of the built program with one Redis, as compose.yaml starts it. */
async function startTwo(ground: Ground) {
  const redis = await startRedis();
  ground.keep(redis.close);
  await redis.command('CONFIG', 'SET', 'maxmemory', '256mb');
  const { sandbox } = await ground.academy();
  const settings = {
    ACADEMY_BASE_URL: sandbox.url,
    ACADEMY_API_KEY: sandbox.apiKey,
    ACADEMY_HTTP_TOKENS: token,
    ACADEMY_REDIS_URL: redis.url,
    ACADEMY_REPLICAS: '2',
    ACADEMY_CONFIRM: 'preview',
    ACADEMY_MIRROR: 'memory',
  };
  const start = async () => {
    const { url } = await ground.http(settings);
    const caller = createCaller(url, 10);
    ground.keep(caller.close);
    const headers = { authorization: `Bearer ${token}` };
    const { session } = await caller.send(initialize, headers);
    return async (name: string, given: Record<string, unknown>) =>
      (await caller.send(callMessage(2, name, given), { ...headers, 'mcp-session-id': session })).text;
  };
  return { redis, one: await start(), other: await start() };
}

const codeIn = (text: string) => /confirm: \\"([^"\\]+)/.exec(text)?.[1];
const isUsed = (text: string) => !/confirmation_required/.test(text);

const again = (words: string, between: (replicas: Replicas) => Promise<unknown>, isFresh = false): Attack => ({
  point: 25,
  words,
  isLong: true,
  attempt: async (ground) => {
    const replicas = await startTwo(ground);
    const { one, other } = replicas;
    await one('enroll_student', args);
    const next = async () => codeIn(await one('reset_course_progress', args));
    const first = await next();
    await one('reset_course_progress', { ...args, confirm: first });
    // From here on, the facts that a code is bound to stay the same.
    const code = await next();
    if (code === undefined) return 'there was no code';
    const used = isFresh ? '' : await one('reset_course_progress', { ...args, confirm: code });
    if (!isUsed(used)) return `the code was refused where it was shown: ${used}`;
    await between(replicas);
    const text = await other('reset_course_progress', { ...args, confirm: code });
    return unless(!isUsed(text), text);
  },
});

export const replicaAttacks: readonly Attack[] = [
  again('a used code at the other replica', async () => {}),
  again('a used code after more exports than there is room for', async ({ one, other }) => {
    for (let number = 0; number < 8; number += 1) await (number % 2 ? one : other)('export_data', { sql: noise });
  }),
  again('a used code while Redis is full', ({ redis }) => redis.command('CONFIG', 'SET', 'maxmemory', '1')),
  again('a used code while Redis is lost', ({ redis }) => redis.kill()),
  again('a code that perhaps was used, while Redis is lost', ({ redis }) => redis.kill(), true),
];
