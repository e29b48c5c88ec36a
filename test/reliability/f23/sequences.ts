import { setTimeout as sleep } from 'node:timers/promises';
import { type Refreshable, refreshable } from '../../../src/mcp/data-mirror.ts';
import { startSandbox } from '../../../src/sandbox/index.ts';
import { dataTools, tools } from '../../../tools/index.ts';
import { connectInMemory, type InMemory } from '../in-memory.ts';
import { compared, differing, rowsOfApi, rowsOfCopy } from './compare.ts';
import type { Row } from './raw.ts';
import { type Step, sequences, toolCall } from './steps.ts';
import { openWorld, type World } from './world.ts';

export interface SequencesRun {
  readonly rows: number;
  readonly steps: number;
  readonly failures: string[];
  /** How often each write succeeded. */
  readonly succeeded: ReadonlyMap<string, number>;
}

/** Sequences on one academy: a fresh one is filled first. */
const perAcademy = 50;
/** The lists of content change rarely, and take most of the requests: they are refreshed after every so many sequences. */
const contentEvery = 5;
const always: readonly Refreshable[] = ['orders', 'students'];
/** The calls of refresh_data after which a table must be complete again. */
const mostRefreshes = 4;

const allTables = new Set(compared.map(({ table }) => table));
const ofOrders = new Set(['orders', 'order_items']);

type Coverage = Row & { complete: boolean };

/** The times of orders in a coverage. */
function changesAsOf(coverage: Coverage): number {
  return Date.parse(String(coverage.changes_as_of ?? coverage.as_of));
}

async function refresh({ call }: InMemory, args: Row): Promise<string | undefined> {
  let text = '';
  for (let tries = 1; tries <= mostRefreshes; tries += 1) {
    const answer = await call('refresh_data', args);
    text = answer.text;
    if (answer.data?.finished === true) return undefined;
  }
  return `refresh_data ${JSON.stringify(args)} does not finish: ${text.slice(0, 300)}`;
}

/** Compares every table. `isExact`: also rows that others have changed, which the times of the copy otherwise announce. */
async function compareAll(
  { call }: InMemory,
  { sandbox, touched }: World,
  isExact: boolean,
  tables: ReadonlySet<string>,
) {
  const failures: string[] = [];
  let rows = 0;
  let coverage: Coverage = { complete: false };
  const ask = async (sql: string) => {
    const { code, text, data } = await call('query_data', { sql });
    if (code !== 'ok') throw new Error(text);
    coverage = data?.coverage as Coverage;
    return data?.rows as Row[];
  };
  for (const one of compared.filter(({ table }) => tables.has(table))) {
    const copy = await rowsOfCopy(one, ask);
    const api = await rowsOfApi(one, sandbox);
    rows += api.size;
    if (!coverage.complete) failures.push(`${one.table} is not complete: ${JSON.stringify(coverage).slice(0, 300)}`);
    // Others changed the row after the copy says that it last read changes. Whether an order is there must be right at once.
    const isThere = (key: string) => one.table === 'order_items' || (copy.has(key) && api.has(key));
    const isAnnounced = (key: string) =>
      ofOrders.has(one.table) && !isExact && isThere(key) && (touched.get(key) ?? 0) >= changesAsOf(coverage);
    const silent = differing(copy, api).filter((key) => !isAnnounced(key));
    for (const key of silent.slice(0, 3)) {
      failures.push(`${one.table} ${key}: the copy has ${copy.get(key)}, the academy ${api.get(key)}`);
    }
  }
  return { rows, failures };
}

async function runSequence(
  steps: readonly Step[],
  { program, world }: Academy,
  succeeded: Map<string, number>,
  hasContent: boolean,
) {
  world.touched.clear();
  for (const { by, name, one, other } of steps) {
    if (by === 'others') {
      await world.change(name, one, other);
      continue;
    }
    world.touchForeign();
    const { code } = await program.call(...toolCall(name, one, other, world));
    if (code === 'ok') succeeded.set(name, (succeeded.get(name) ?? 0) + 1);
  }
  const stuck: (string | undefined)[] = [];
  for (const what of hasContent ? refreshable : always) stuck.push(await refresh(program, { what }));
  const plain = await compareAll(program, world, false, hasContent ? allTables : new Set([...ofOrders, 'students']));
  stuck.push(await refresh(program, { since: '2000-01-01' }));
  const whole = await compareAll(program, world, true, ofOrders);
  const unfinished = stuck.filter((problem) => problem !== undefined);
  return { rows: plain.rows + whole.rows, failures: [...unfinished, ...plain.failures, ...whole.failures] };
}

interface Academy {
  readonly program: InMemory;
  readonly world: World;
  close(): Promise<void>;
}

/** A small academy, and a client of a server with a copy of it. */
async function openAcademy(seed: number): Promise<Academy> {
  const sandbox = await startSandbox({ rateLimit: 'off', students: 20, orders: 60, seed });
  const settings = {
    ACADEMY_BASE_URL: sandbox.url,
    ACADEMY_API_KEY: sandbox.apiKey,
    ACADEMY_RATE_LIMIT: 'off',
    ACADEMY_MIRROR: 'memory',
  };
  const program = await connectInMemory({ settings, app: { tools: [...tools, ...dataTools], pace: 0.02 } });
  for (let isFilled = false; !isFilled; await sleep(50)) {
    const { data } = await program.call('describe_data', {});
    isFilled = (data?.coverage as Coverage | undefined)?.complete === true;
  }
  const close = async () => {
    await program.close();
    await sandbox.close();
  };
  return { program, world: openWorld(sandbox), close };
}

/** Runs random sequences of writes and changes, and compares the copy with the academy after each. */
export async function runSequences(count: number, seed: number): Promise<SequencesRun> {
  const all = sequences(count, seed);
  const failures: string[] = [];
  const succeeded = new Map<string, number>();
  let rows = 0;
  for (let first = 0; first < count; first += perAcademy) {
    const academy = await openAcademy(seed + first);
    for (const [index, steps] of all.slice(first, first + perAcademy).entries()) {
      const hasContent = index % contentEvery === contentEvery - 1;
      const result = await runSequence(steps, academy, succeeded, hasContent);
      rows += result.rows;
      const said = steps.map(({ name, one, other }) => `${name} ${one} ${other}`).join(', ');
      failures.push(...result.failures.map((failure) => `sequence ${first + index} (${said}): ${failure}`));
    }
    await academy.close();
  }
  return { rows, failures, succeeded, steps: all.flat().length };
}
