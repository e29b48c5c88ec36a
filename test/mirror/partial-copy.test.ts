import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startSandbox } from '../../src/sandbox/index.ts';
import { rows } from '../support/academy.ts';
import { connect } from '../support/connect.ts';
import { runsOf } from '../support/long-form.ts';
import { askBoth, bothWays, coverageOf, factsOf, type Question } from './both-ways.ts';
import { overOrders } from './questions.ts';
import { startRewriting } from './rewriting.ts';
import { connectMirror, whenFilled } from './start-mirror.ts';

const now = new Date('2026-11-01T12:00:00Z');
const held = Date.parse('2026-07-01T00:00:00Z');

/** Refuses the lists of all statuses, which the filling reads, for times before a day. */
function refusesOld(path: string): number | undefined {
  const asked = new URL(path, 'http://localhost').searchParams;
  const after = Date.parse(asked.get('created_after') ?? '2000-01-01');
  return asked.get('status') === 'all' && asked.has('created_before') && after < held ? 500 : undefined;
}

/** A server without a mirror, and one whose mirror has the newest orders alone. */
async function partWays(seed: number) {
  const sandbox = await startSandbox({ rateLimit: 'off', now, students: 40, orders: 400, seed });
  const settings = { ACADEMY_RATE_LIMIT: 'off', ACADEMY_CONFIRM_SECRET: 'a secret of at least thirty-two characters' };
  const clock = { now: () => now };
  const api = await connect({ ...settings, ACADEMY_BASE_URL: sandbox.url }, clock);
  const partly = await startRewriting(sandbox.url, {}, refusesOld);
  const mirrored = await connectMirror({ ...settings, ACADEMY_BASE_URL: partly }, clock);
  const orders = async () => (coverageOf(await mirrored.call('describe_data')).tables as { orders?: string }).orders;
  await expect.poll(orders, { timeout: 20_000, interval: 50 }).toMatch(/^complete from 2026/);
  return { sandbox, api, mirrored };
}

/** Lists of nearly all statuses are those that the mirror cannot read. Progress is asked for with a body. */
const isReadable = ([tool, { statuses }]: Question) =>
  !['unpaid_orders', 'course_progress'].includes(tool) && !(Array.isArray(statuses) && statuses.length > 2);

test('with the newest orders from the mirror and the rest from the API, each answer is that of the API', {
  timeout: 300_000,
}, async () => {
  const sources = new Set<unknown>();
  const run = async (seed: number, asked: readonly Question[]) => {
    const { sandbox, api, mirrored } = await partWays(seed);
    for (const [tool, args] of asked.filter(isReadable)) {
      const [read, mixed] = await askBoth({ api, mirrored }, tool, args);
      const why = `${tool} ${JSON.stringify(args)}\n${read.text}\n${mixed.text}`;
      if (read.structured?.cut === undefined) expect(factsOf(mixed.structured), why).toEqual(factsOf(read.structured));
      sources.add(coverageOf(mixed).source);
    }
    await sandbox.close();
  };
  const questions = fc.array(overOrders, { minLength: 15, maxLength: 20 });
  await fc.assert(fc.asyncProperty(fc.integer({ min: 1, max: 99 }), questions, run), {
    numRuns: runsOf(4),
    endOnFailure: true,
  });
  expect(sources).toContain('mirror and API');
});

test('a mixed answer costs less than one of the API, and says both sources and times', async () => {
  const { sandbox, api, mirrored } = await partWays(7);
  const asked = ['find_buyers', { created_after: '2025-01-01', limit: 500 }] as const;
  const [read, mixed] = await askBoth({ api, mirrored }, ...asked);
  expect(mixed.structured?.buyers).toEqual(read.structured?.buyers);
  expect(coverageOf(mixed)).toMatchObject({ complete: true, source: 'mirror and API' });
  expect(coverageOf(mixed).orders_scanned).toBe(coverageOf(read).orders_scanned);
  expect(Number(coverageOf(mixed).requests_spent)).toBeLessThanOrEqual(Number(coverageOf(read).requests_spent));
  expect(mixed.text).toMatch(/requests, source: mirror and API, as of 20\d\d-\S+Z/);
  await sandbox.close();
});

test('since when the buyers of a period have held a course comes from all orders of the mirror', async () => {
  const { sandbox, api, mirrored } = await bothWays({ students: 60, orders: 600 });
  await whenFilled(mirrored);
  const lists = ['finished', 'not_started', 'stuck'];
  const since = ({ structured }: Awaited<ReturnType<typeof api.call>>) =>
    new Map(lists.flatMap((list) => rows(structured?.[list] ?? []).map((one) => [one.email, one.held_since])));
  const asked = { course_id: 1, include_granted: true, limit: 500, stuck_after_days: 0 };
  const whole = since(await api.call('course_progress', asked));
  const bounded = { ...asked, created_after: '2026-08-01' };
  const copied = await mirrored.call('course_progress', bounded);
  const known = since(copied);
  expect(known.size).toBeGreaterThan(5);
  for (const [email, day] of known) expect(day, String(email)).toBe(whole.get(email));
  expect([...known.values()].some((day) => String(day) < '2026-08-01')).toBe(true);
  expect(copied.text).not.toContain('before this period');
  const read = await (
    await connect({ ACADEMY_BASE_URL: sandbox.url, ACADEMY_RATE_LIMIT: 'off' }, { now: () => now })
  ).call('course_progress', bounded);
  expect(new Set(since(read).values())).toEqual(new Set(['in or before this period']));
  expect(read.text).toContain('earlier orders were not all read');
  await sandbox.close();
});
