import { setTimeout as sleep } from 'node:timers/promises';
import * as fc from 'fast-check';
import { type Refreshable, refreshable } from '../../../src/mcp/data-mirror.ts';
import type { Row } from '../../support/academy.ts';
import { type Connection, connect, unlimited } from '../../support/connect.ts';
import { start } from '../../support/sandbox.ts';
import { compared, differing, rowsOfApi, rowsOfCopy } from '../f23/compare.ts';
import { type Change, changes, openWorld, type World } from '../f23/world.ts';
import { type Figure, inWorlds, type Size } from '../figure.ts';

/** The writes of this program: every tool with one write operation, and the two that write for many. */
export const writes = [
  ...['enroll_student', 'enroll_new_student', 'enroll_in_bundle', 'unenroll_student', 'revoke_course'],
  ...['revoke_bundle', 'grant_role', 'revoke_role', 'reset_course_progress', 'reset_bundle_progress'],
  ...['update_product', 'create_channel', 'update_channel', 'create_lesson', 'update_lesson', 'sync_roster'],
] as const;
type Write = (typeof writes)[number];

/** One step of a sequence. The numbers choose whom and what it concerns. */
type Step = { readonly one: number; readonly other: number } & (
  | { readonly by: 'us'; readonly name: Write }
  | { readonly by: 'others'; readonly name: Change }
);

/** Writes that change orders come three times as often: they are what the copy can get wrong. */
const ownName = fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...writes.slice(0, 6)) }, fc.constantFrom(...writes));
const number = fc.nat({ max: 5_000 });
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ by: fc.constant('us' as const), name: ownName, one: number, other: number }),
  fc.record({ by: fc.constant('others' as const), name: fc.constantFrom(...changes), one: number, other: number }),
);

/** Each begins with another write, so that every one of them is tried. */
function sequences(count: number, seed: number): Step[][] {
  const first = fc.record({ one: number, other: number });
  const sampled = fc.sample(fc.tuple(first, fc.array(step, { maxLength: 7 })), { numRuns: count, seed });
  return sampled.map(([numbers, steps], index) => {
    return [{ by: 'us', name: writes[index % writes.length] ?? writes[0], ...numbers }, ...steps];
  });
}

function toolCall(name: Write, one: number, other: number, { person }: World): [tool: string, args: Row] {
  const who = person(one, other);
  const [course_id, bundle_id, role_id] = [1 + (other % 13), 1 + (other % 12), 1 + (other % 3)];
  const confirm = true;
  const calls: Readonly<Record<Write, [string, Row]>> = {
    enroll_student: ['enroll_student', { ...who, course_id }],
    enroll_new_student: ['enroll_student', { email: `Some.One+${one}@Example.com`, name: `Someone ${one}`, course_id }],
    enroll_in_bundle: ['enroll_student', { ...who, bundle_id }],
    unenroll_student: ['unenroll_student', { ...who, confirm }],
    revoke_course: ['revoke_course', { ...who, course_id, confirm }],
    revoke_bundle: ['revoke_bundle', { email: who.email, bundle_id, confirm }],
    grant_role: ['grant_role', { email: who.email, role_id }],
    revoke_role: ['revoke_role', { email: who.email, role_id, confirm }],
    reset_course_progress: ['reset_course_progress', { email: who.email, course_id, confirm }],
    reset_bundle_progress: ['reset_bundle_progress', { email: who.email, bundle_id, confirm }],
    update_product: [
      'update_product',
      { product_type: 'course', id_or_slug: String(course_id), title: `Our title ${one}` },
    ],
    create_channel: ['create_channel', { name: `Channel ${one}`, group_id: 1 + (other % 3) }],
    update_channel: ['update_channel', { id_or_slug: String(1 + (other % 5)), description: `Words ${one}` }],
    create_lesson: ['create_lesson', { course_id, title: `Lesson ${one}`, is_published: true }],
    update_lesson: ['update_lesson', { lesson_id: 1000 + (one % 200), title: `Another title ${other}` }],
    sync_roster: ['sync_roster', { students: [who, person(other, one)], product: `course ${course_id}`, confirm }],
  };
  return calls[name];
}

/** Sequences on one academy. */
const perAcademy = 50;
/** The lists of content change rarely, and take most of the requests: they are refreshed after every so many sequences. */
const contentEvery = 5;
const always: readonly Refreshable[] = ['orders', 'students'];
/** The calls of refresh_data after which a table must be complete again. */
const mostRefreshes = 4;

const allTables = new Set(compared.map(({ table }) => table));
const ofOrders = new Set(['orders', 'order_items']);

type Coverage = Row & { complete: boolean };

function changesAsOf(coverage: Coverage): number {
  return Date.parse(String(coverage.changes_as_of ?? coverage.as_of));
}

async function refresh({ call }: Connection, args: Row): Promise<string | undefined> {
  let text = '';
  for (let tries = 1; tries <= mostRefreshes; tries += 1) {
    const answer = await call('refresh_data', args);
    text = answer.text;
    if (answer.structured?.finished === true) return undefined;
  }
  return `refresh_data ${JSON.stringify(args)} does not finish: ${text.slice(0, 300)}`;
}

/** Compares every table. `isExact`: also rows that others have changed, which the times of the copy otherwise announce. */
async function compareAll(
  { call }: Connection,
  { sandbox, touched }: World,
  isExact: boolean,
  tables: ReadonlySet<string>,
) {
  const failures: string[] = [];
  let rows = 0;
  let coverage: Coverage = { complete: false };
  const ask = async (sql: string) => {
    const { code, text, structured: data } = await call('query_data', { sql });
    if (code !== 'ok') throw new Error(text);
    coverage = data?.coverage as Coverage;
    return (data?.rows ?? []) as Row[];
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

type Academy = Awaited<ReturnType<typeof openAcademy>>;

async function openAcademy(seed: number) {
  const sandbox = await start({ students: 20, orders: 60, seed });
  const more = { ACADEMY_MIRROR: 'memory', LOG_LEVEL: 'silent' };
  const program = await connect(unlimited(sandbox.url, sandbox.apiKey, more));
  for (let isFilled = false; !isFilled; await sleep(50)) {
    const { structured } = await program.call('describe_data', {});
    isFilled = (structured?.coverage as Coverage | undefined)?.complete === true;
  }
  return { program, world: openWorld(sandbox) };
}

async function runSequences(count: number, seed: number) {
  const all = sequences(count, seed);
  const succeeded = new Map<string, number>();
  let rows = 0;
  const said = (index: number) => all[index]?.map(({ name, one, other }) => `${name} ${one} ${other}`).join(', ');
  const name = (index: number) => `sequence ${index} (${said(index)})`;
  const open = (first: number) => openAcademy(seed + first);
  const failures = await inWorlds({ count, each: perAcademy, name }, open, async (academy, index) => {
    const hasContent = index % contentEvery === contentEvery - 1;
    const result = await runSequence(all[index] ?? [], academy, succeeded, hasContent);
    rows += result.rows;
    return result.failures;
  });
  return { rows, failures, succeeded, steps: all.flat().length };
}

const counts: Record<Size, number> = { short: 16, whole: 1_000 };

export const figure: Figure = {
  id: 'F23',
  title: 'The copy compared with the academy',
  target: '0 silent differences; complete again after refresh_data',
  run: async (size, seed) => {
    const { rows, steps, failures, succeeded } = await runSequences(counts[size], seed);
    const never = writes.filter((name) => !succeeded.has(name)).map((name) => `${name} never succeeded`);
    return {
      tried: `${counts[size].toLocaleString('en')} random sequences with ${steps.toLocaleString('en')} steps: every write of this program, and changes by others`,
      result: `${counts[size].toLocaleString('en')} sequences, ${rows.toLocaleString('en')} rows compared with the raw API, ${failures.length} silent differences`,
      details: [
        'others grant and revoke access, rename students, respell emails with capitals and plus signs, change the status of orders and titles, and let students and orders appear and vanish',
        'after each sequence refresh_data must end with complete tables, whose rows must be those of the API; only rows that others changed after `changes_as_of` may be older, until refresh_data with since has read them',
      ],
      failures: [...failures, ...never],
      zeros: [{ what: 'rows that differed in a complete table', of: rows }],
    };
  },
};
