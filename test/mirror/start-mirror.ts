import { expect } from 'vitest';
import type { SandboxOptions } from '../../src/sandbox/index.ts';
import { dataTools, tools } from '../../tools/index.ts';
import type { Row } from '../support/academy.ts';
import { connect } from '../support/connect.ts';
import { start } from '../support/sandbox.ts';

/** An academy, and a client of a server with a mirror in memory. */
export async function startMirror(options: SandboxOptions = {}, settings: Record<string, string> = {}) {
  const sandbox = await start({ rateLimit: 'off', students: 120, orders: 400, ...options });
  const connected = await connect(
    { ACADEMY_BASE_URL: sandbox.url, ACADEMY_RATE_LIMIT: 'off', ACADEMY_MIRROR: 'memory', ...settings },
    { offered: [...tools, ...dataTools] },
  );
  return { sandbox, ...connected };
}

/** The same, when the mirror is filled. */
export async function startFilled(...asked: Parameters<typeof startMirror>) {
  const academy = await startMirror(...asked);
  await whenFilled(academy);
  return academy;
}

type Started = Pick<Awaited<ReturnType<typeof startMirror>>, 'call'>;

/** Resolves when everything that the API counts was read. */
export async function whenFilled({ call }: Started): Promise<void> {
  await expect
    .poll(async () => (await call('describe_data')).structured?.coverage, { timeout: 25_000, interval: 100 })
    .toMatchObject({ complete: true });
}

/** The rows of a statement, which must succeed. */
export async function rowsOf({ call }: Started, sql: string): Promise<Row[]> {
  const { isError, text, structured } = await call('query_data', { sql });
  expect(isError, text).toBe(false);
  return (structured?.rows ?? []) as Row[];
}
