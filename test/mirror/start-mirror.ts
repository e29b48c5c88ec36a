import { expect } from 'vitest';
import type { SandboxOptions } from '../../src/sandbox/index.ts';
import { dataTools, tools } from '../../tools/index.ts';
import type { Row } from '../support/academy.ts';
import { connect, type ProgramOptions } from '../support/connect.ts';
import { start } from '../support/sandbox.ts';

/** A client of a server with a mirror in memory, for an academy that runs already. */
export function connectMirror(settings: Record<string, string>, options: ProgramOptions = {}) {
  const usual = { ACADEMY_RATE_LIMIT: 'off', ACADEMY_MIRROR: 'memory' };
  return connect({ ...usual, ...settings }, { offered: [...tools, ...dataTools], ...options });
}

/** An academy, and a client of a server with a mirror in memory. */
export async function startMirror(options: SandboxOptions = {}, settings: Record<string, string> = {}) {
  const sandbox = await start({ rateLimit: 'off', students: 120, orders: 400, ...options });
  return { sandbox, ...(await connectMirror({ ACADEMY_BASE_URL: sandbox.url, ...settings })) };
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
