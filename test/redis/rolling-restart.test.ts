import { expect, test } from 'vitest';
import { has } from '../deploy/deploy-files.ts';
import { siteWithReplicas, startNginx } from '../deploy/start-nginx.ts';
import { type EraClient, eras } from '../support/eras.ts';
import { freePort } from '../support/listen.ts';
import { type Running, start } from '../support/program.ts';
import { start as startSandbox } from '../support/sandbox.ts';
import { startRedis } from './start-redis.ts';

const token = 'replicas-share-this-token-0123';

async function statusOf(url: string): Promise<number> {
  try {
    return (await fetch(url, { headers: { connection: 'close' } })).status;
  } catch {
    return 0;
  }
}

/** Two replicas as separate programs, with the Redis and the nginx of docs/deploy.md. */
async function startFleet() {
  const redis = await startRedis();
  const sandbox = await startSandbox();
  const ports = [await freePort(), await freePort()] as const;
  const front = await freePort();
  const environment = {
    ACADEMY_BASE_URL: sandbox.url,
    ACADEMY_API_KEY: sandbox.apiKey,
    ACADEMY_RATE_LIMIT: 'off',
    ACADEMY_HTTP_RATE_LIMIT: 'off',
    ACADEMY_HTTP_TOKENS: token,
    // nginx sends the name of a host without its port.
    ACADEMY_HTTP_ALLOWED_HOSTS: ['127.0.0.1', ...ports.map((port) => `127.0.0.1:${port}`)].join(','),
    ACADEMY_REDIS_URL: redis.url,
    ACADEMY_REPLICAS: '2',
    ACADEMY_HTTP_DRAIN_MS: '1500',
  };
  const run = (port: number) => start(['http', '--port', String(port)], environment);
  const readiness = (port: number) => statusOf(`http://127.0.0.1:${port}/readyz`);
  const isReady = (port: number) => expect.poll(() => readiness(port), { timeout: 30_000 }).toBe(200);
  const replicas: Running[] = ports.map(run);
  await Promise.all(ports.map(isReady));
  startNginx(siteWithReplicas(ports, front));
  await isReady(front);
  /** Restarts one replica as the steps in docs/deploy.md do. Returns what /readyz said while it drained. */
  async function restart(index: 0 | 1): Promise<number> {
    const { child, ended } = replicas[index] as Running;
    child.kill('SIGTERM');
    await expect.poll(() => readiness(ports[index])).not.toBe(200);
    const draining = await readiness(ports[index]);
    expect((await ended).code).toBe(0);
    replicas[index] = run(ports[index]);
    await isReady(ports[index]);
    return draining;
  }
  return { url: `http://127.0.0.1:${front}/mcp`, sandbox, restart };
}

/** Calls until it is stopped, every second call a write. */
async function work(client: EraClient, name: string, isOver: () => boolean) {
  const written: string[] = [];
  const lost: string[] = [];
  const call = async (tool: string, args: Record<string, unknown>) => {
    try {
      const answer = await client.call(tool, args);
      if (answer.isError !== true) return true;
      lost.push(answer.content[0]?.text ?? '');
    } catch (error) {
      lost.push(String(error));
    }
    return false;
  };
  let calls = 0;
  for (let turn = 0; !isOver(); turn += 1) {
    await call('list_courses', {});
    const channel = `Room ${turn} of ${name}`;
    if (await call('create_channel', { name: channel })) written.push(channel);
    calls += 2;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return { calls, written, lost };
}

test.skipIf(!has('nginx'))('a rolling restart loses no call and doubles no write', { timeout: 180_000 }, async () => {
  const { url, sandbox, restart } = await startFleet();
  const before = sandbox.academy.community.channels.all().length;
  let isOver = false;
  const clients = await Promise.all(
    Array.from({ length: 6 }, (_, index) => eras[index % eras.length]?.connect({ url, token })),
  );
  const working = clients.map((client, index) => work(client as EraClient, String(index), () => isOver));
  const draining: number[] = [];
  for (const index of [0, 1, 0, 1] as const) draining.push(await restart(index));
  isOver = true;
  const done = await Promise.all(working);
  expect(draining).toEqual([503, 503, 503, 503]);
  expect(done.flatMap(({ lost }) => lost)).toEqual([]);
  expect(done.reduce((sum, { calls }) => sum + calls, 0)).toBeGreaterThan(100);
  const names = sandbox.academy.community.channels.all().slice(before);
  const written = done.flatMap((each) => each.written);
  expect(names.map(({ name }) => name).toSorted()).toEqual(written.toSorted());
});
