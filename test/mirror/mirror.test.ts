import { expect, onTestFinished, test } from 'vitest';
import { type SandboxOptions, startSandbox } from '../../src/sandbox/index.ts';
import { dataTools, tools } from '../../tools/index.ts';
import { connect } from '../support/connect.ts';

/** An academy, and a client of a server with a mirror in memory. */
async function startMirror(options: SandboxOptions = {}, settings: Record<string, string> = {}) {
  const sandbox = await startSandbox({ rateLimit: 'off', students: 120, orders: 400, ...options });
  onTestFinished(() => sandbox.close());
  const connected = await connect(
    { ACADEMY_BASE_URL: sandbox.url, ACADEMY_RATE_LIMIT: 'off', ACADEMY_MIRROR: 'memory', ...settings },
    { offered: [...tools, ...dataTools] },
  );
  return { sandbox, ...connected };
}

type Started = Awaited<ReturnType<typeof startMirror>>;

async function whenFilled({ call }: Started): Promise<void> {
  await expect
    .poll(async () => (await call('describe_data')).structured?.coverage, { timeout: 25_000, interval: 200 })
    .toMatchObject({ complete: true });
}

test('x', async () => {
  const academy = await startMirror();
  const t = performance.now();
  await whenFilled(academy).catch((e) => console.log(String(e).slice(0, 300)));
  console.log(performance.now() - t);
  console.log((await academy.call('describe_data')).text);
  console.log(
    (
      await academy.call('query_data', {
        sql: 'select month, currency, decimal_sum(amount) as revenue, count(*) as n from orders where amount_e4 > 0 group by 1, 2 limit 5',
      })
    ).text,
  );
  console.log((await academy.call('query_data', { sql: 'select emial from orders' })).text);
  console.log((await academy.call('query_data', { sql: 'select content, author from posts limit 3' })).text);
  console.log((await academy.call('refresh_data', { what: 'students' })).text);
  console.log(academy.log.filter((l) => /mirror/.test(l)).join(''));
});
