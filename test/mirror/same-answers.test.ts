import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/index.ts';
import { dataTools, tools } from '../../tools/index.ts';
import { type Row, row } from '../support/academy.ts';
import { type Connection, connect } from '../support/connect.ts';
import { generatedOrder, place } from '../support/generated-orders.ts';

const now = new Date('2026-11-01T12:00:00Z');
const secret = 'a secret of at least thirty-two characters';

/** The same academy twice: once without a mirror, once through a filled one. */
async function twoServers(options: SandboxOptions, arrange: (sandbox: Sandbox) => void = () => {}) {
  const sandbox = await startSandbox({ rateLimit: 'off', now, ...options });
  arrange(sandbox);
  const settings = { ACADEMY_BASE_URL: sandbox.url, ACADEMY_RATE_LIMIT: 'off', ACADEMY_CONFIRM_SECRET: secret };
  const clock = { now: () => now };
  const api = await connect(settings, clock);
  const mirrored = await connect(
    { ...settings, ACADEMY_MIRROR: 'memory' },
    { ...clock, offered: [...tools, ...dataTools] },
  );
  await whenMirrored(mirrored);
  return { sandbox, api, mirrored };
}

const coverageOf = ({ structured }: { structured: Row | undefined }) => row(structured?.coverage ?? {});

/** Resolves when the mirror answers for all orders and students. */
async function whenMirrored({ call }: Connection): Promise<void> {
  const sources = async () => [
    coverageOf(await call('sales_report', {})).source,
    coverageOf(await call('list_students', { sort: 'name' })).source,
  ];
  await expect.poll(sources, { timeout: 25_000, interval: 100 }).toEqual(['mirror', 'mirror']);
}

type Question = readonly [tool: string, args: Row];

/** An answer without what may differ: how it was read. */
function factsOf(structured: Row | undefined) {
  const { coverage, next_cursor, ...facts } = structured ?? {};
  const { complete, unreadable, unknown_statuses, unchecked } = row(coverage ?? {});
  return { ...facts, hasMore: next_cursor !== undefined, complete, unreadable, unknown_statuses, unchecked };
}

/** Asks both, part by part, and compares all facts. */
async function expectSame({ api, mirrored }: Record<'api' | 'mirrored', Connection>, [tool, args]: Question) {
  let [first, second]: Row[] = [args, args];
  for (let part = 1; part <= 3; part += 1) {
    const [read, copied] = [await api.call(tool, first), await mirrored.call(tool, second)];
    const asked = `${tool} ${JSON.stringify(args)} part ${part}`;
    expect(factsOf(copied.structured), `${asked}\n${read.text}\n${copied.text}`).toEqual(factsOf(read.structured));
    expect(copied.isError, asked).toBe(read.isError);
    if (read.isError) return;
    expect(coverageOf(copied), asked).toMatchObject({ source: 'mirror', pages_read: 0 });
    expect(copied.text, asked).toContain('mirror');
    expect(coverageOf(read).source, asked).toBeUndefined();
    if (read.structured?.next_cursor === undefined) return;
    [first, second] = [read, copied].map(({ structured }) => ({ ...args, cursor: structured?.next_cursor }));
  }
}

const some = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
const flag = some(fc.constant(true));
const statuses = some(fc.subarray(['pending', 'failed', 'paid', 'wallet_executed'], { minLength: 1 }));
const products = fc.subarray(['course 1', 'course 2', 'bundle 1', 'bundle 6', 'digital_product 2'], { minLength: 1 });

const period = fc.oneof(
  fc.constant({}),
  fc.constantFrom('last_month', 'this_month', 'last_30_days', 'this_year').map((name) => ({ period: name })),
  fc.constantFrom('2026-03-28', '2026-03-29', '2026-10-24', '2026-10-25').map((day) => ({ created_after: day })),
  fc.constant({ created_after: '2026-03-29', created_before: '2026-10-25', timezone: 'Europe/Lisbon' }),
  fc.constant({ created_before: '2026-10-25T00:00:00Z' }),
);

/** Arguments without those that are absent. */
const args = (shape: Record<string, fc.Arbitrary<unknown>>) =>
  fc.record(shape).map((given) => Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)));

const common = { include_granted: flag, limit: some(fc.integer({ min: 1, max: 8 })) };

const argumentsOf: Record<string, fc.Arbitrary<Row>> = {
  find_buyers: args({
    ...common,
    products: some(products),
    without: some(products),
    statuses,
    detail: some(fc.constant('full')),
  }),
  sales_report: args({
    include_granted: flag,
    statuses,
    group_by: some(fc.constantFrom('product', 'day', 'week', 'month', 'country')),
    product_type: some(fc.constantFrom('course', 'bundle', 'challenge')),
  }),
  unpaid_orders: args({ limit: common.limit }),
  course_progress: args({ ...common, course_id: fc.constantFrom(1, 2, 3) }),
};

const overOrders = fc.oneof(
  ...Object.entries(argumentsOf).map(([tool, given]) =>
    fc.tuple(given, period).map(([own, bounds]): Question => [tool, { ...own, ...bounds }]),
  ),
);

const overStudents = args({
  sort: some(fc.constantFrom('points', 'joined', 'completion', 'sign_ins', 'name')),
  name: some(fc.constantFrom('a', 'Li', 'zzz')),
  is_active: some(fc.boolean()),
  min_points: some(fc.integer({ min: 0, max: 400 })),
  joined_after: fc.constantFrom('2020-01-01', '2026-01-01'),
  columns: some(
    fc.subarray(['id', 'email', 'created_at', 'joined', 'location', 'is_active', 'admin'], { minLength: 1 }),
  ),
  limit: some(fc.integer({ min: 1, max: 30 })),
}).map((given): Question => ['list_students', given]);

const questions = fc.array(fc.oneof({ weight: 5, arbitrary: overOrders }, { weight: 1, arbitrary: overStudents }), {
  minLength: 12,
  maxLength: 20,
});

test('over generated orders, each answer of the mirror is that of the API', { timeout: 120_000 }, async () => {
  const cases = fc.tuple(fc.array(generatedOrder, { maxLength: 60 }), questions);
  const run = async ([orders, asked]: [Parameters<typeof place>[1], Question[]]) => {
    const { sandbox, ...servers } = await twoServers({ students: 8, orders: 0 }, (own) => place(own, orders));
    for (const question of asked) await expectSame(servers, question);
    await sandbox.close();
  };
  await fc.assert(fc.asyncProperty(cases, run), { numRuns: 12, endOnFailure: true });
});

test('over seeded academies, each answer of the mirror is that of the API', { timeout: 120_000 }, async () => {
  const seeds = fc.integer({ min: 1, max: 1_000 });
  const run = async ([seed, asked]: [number, Question[]]) => {
    const { sandbox, ...servers } = await twoServers({ students: 120, orders: 350, seed });
    for (const question of asked) await expectSame(servers, question);
    await sandbox.close();
  };
  await fc.assert(fc.asyncProperty(fc.tuple(seeds, questions), run), { numRuns: 5, endOnFailure: true });
});
