import { setTimeout as sleep } from 'node:timers/promises';
import type { Sandbox } from '../../../src/sandbox/index.ts';
import { createRandom, type Random } from '../../../src/sandbox/seed/random.ts';
import type { NewOrder } from '../../../src/sandbox/state/orders.ts';
import { memoryOf } from '../../bench/processes.ts';
import { addOrder, daysAgo } from '../../support/arrange.ts';
import { inScope } from '../../support/at-end.ts';
import { connect, unlimited } from '../../support/connect.ts';
import { start } from '../../support/sandbox.ts';
import { type FaultServer, startFaultServer } from '../fault-server.ts';
import { type Figure, inWorlds, type Size } from '../figure.ts';
import { startProgram } from '../programs.ts';
import { latest, startWeather, timeoutMs } from './f7-writes.ts';

// Random lists over random classes. What must be true afterwards comes from the orders of the academy, not from the program.

/** `kept`: people who are not on a list and paid. */
const newRun = () => ({ added: 0, removed: 0, kept: 0, stormy: 0 });
type RosterRun = ReturnType<typeof newRun>;

const quarantineMs = 500;

interface Person {
  readonly email: string;
  readonly name: string;
}

type World = Awaited<ReturnType<typeof openWorld>>;

async function openWorld(seed: number) {
  const sandbox = await start({ students: 12, orders: 30, seed });
  const between = await startFaultServer(sandbox.url);
  const settings = unlimited(between.url, sandbox.apiKey, {
    ACADEMY_TIMEOUT_MS: String(timeoutMs),
    ACADEMY_QUARANTINE_MS: String(quarantineMs),
    LOG_LEVEL: 'silent',
  });
  return { sandbox, between, program: await connect(settings, { pace: 0.005 }) };
}

const key = (email: string) => email.toLowerCase();
type Order = ReturnType<Sandbox['academy']['orders']['all']>[number];
const isGiving = ({ status }: Order) => status === 'paid' || status === 'wallet_executed';
const isPaid = (order: Order) => isGiving(order) && Number(order.amount) > 0;

interface Product {
  readonly kind: 'course' | 'bundle';
  readonly id: number;
}

const lists = (order: Order, { kind, id }: Product) => (kind === 'course' ? order.courses : order.bundles).includes(id);
const ordersOf = ({ sandbox }: World): readonly Order[] => sandbox.academy.orders.all();

function holders(world: World, product: Product, isWanted: (order: Order) => boolean = isGiving): Set<string> {
  const own = ordersOf(world).filter((order) => isWanted(order) && lists(order, product));
  return new Set(own.map(({ user_email }) => key(user_email)));
}

/** Orders by others: granted, paid, in a bundle, pending and failed. */
function addOrders({ sandbox }: World, product: Product, random: Random, people: readonly Person[]): void {
  const { academy } = sandbox;
  const { course_ids: contents = [] } = academy.catalogue.bundles.get(product.kind === 'bundle' ? product.id : 1) ?? {};
  const bundle = { bundles: [product.kind === 'bundle' ? product.id : 1], courses: [...contents] };
  const own = product.kind === 'bundle' ? bundle : { courses: [product.id] };
  for (const { email } of people) {
    const student = academy.students.withEmail(email);
    if (student === undefined || random.chance(0.2)) continue;
    const kinds: Partial<NewOrder>[] = [
      { ...own, amount: '0.00' },
      { ...own, amount: '0.00' },
      { ...own, amount: '49.00' },
      { ...own, amount: '49.00', status: 'wallet_executed' },
      { ...own, amount: '49.00', status: random.pick(['pending', 'failed'] as const) },
      { ...bundle, amount: random.pick(['0.00', '99.00']) },
      { courses: [5], amount: '19.00' },
    ];
    for (const order of [random.pick(kinds), ...(random.chance(0.3) ? [random.pick(kinds)] : [])]) {
      addOrder(sandbox, student, { created_at: daysAgo(random.integer(1, 400)), ...order });
    }
  }
}

const quoted = (cell: string) => `"${cell.replaceAll('"', '""')}"`;

/** The list as a spreadsheet may write it. */
function csvOf(people: readonly Person[], random: Random): string {
  const [comma, end] = [random.pick([',', ';', '\t']), random.pick(['\n', '\r\n'])];
  const isSplit = random.chance(0.5);
  const head = isSplit ? ['First name', 'Last name', 'E-Mail'] : ['Email Address', 'Full name'];
  const rows = people.map(({ email, name }) => {
    const shown = random.chance(0.2) ? email.toUpperCase() : email;
    const [first = '', ...rest] = name.split(' ');
    return isSplit ? [first, rest.join(' '), shown] : [shown, name];
  });
  return [head, ...rows].map((cells) => cells.map(quoted).join(comma)).join(end);
}

/** What paid orders listed: nothing of it may go. */
const paidBefore = (world: World) =>
  new Map(
    ordersOf(world)
      .filter(isPaid)
      .map((order) => [order.id, JSON.stringify([order.courses, order.bundles])]),
  );

function lossesOf(world: World, before: ReadonlyMap<string, string>): string[] {
  const changed = ordersOf(world).filter(({ id }) => before.has(id));
  const lost = changed.filter((order) => before.get(order.id) !== JSON.stringify([order.courses, order.bundles]));
  return lost.map(({ id }) => `the paid order ${id} lost a product`);
}

const isWrite = ({ method, worked }: FaultServer['log'][number]) => method === 'POST' && worked;

async function tryList(world: World, number: number, random: Random, isStormy: boolean, run: RosterRun) {
  const { program, between, sandbox } = world;
  const product: Product = random.pick([
    { kind: 'course', id: random.integer(1, 4) },
    { kind: 'course', id: random.integer(1, 4) },
    { kind: 'bundle', id: random.integer(1, 3) },
  ]);
  const known = sandbox.academy.students.all().map(({ email, name }) => ({ email, name }));
  addOrders(
    world,
    product,
    random,
    known.filter(() => random.chance(0.6)),
  );
  const fresh = Array.from({ length: random.integer(0, 4) }, (_, index) => ({
    email: `new${number}.${index}@example.com`,
    name: `New ${number} Person ${index}`,
  }));
  const people = [...known.filter(() => random.chance(0.4)), ...fresh];
  if (people.length === 0) people.push({ email: `lone${number}@example.com`, name: `Lone ${number}` });
  const twice = random.chance(0.3) ? people.slice(0, 1) : [];
  const args = {
    product: `${product.kind} ${product.id}`,
    csv: csvOf([...people, ...twice], random),
    remove: 'missing',
    max_removals: 1_000,
    include_doubtful: true,
    confirm: true,
  };
  const before = { paid: paidBefore(world), holders: holders(world, product), orders: ordersOf(world).length };
  const listed = new Set(people.map(({ email }) => key(email)));
  if (isStormy) {
    run.stormy += 1;
    const calm = startWeather(between, random, { write: 0.4, read: 0.4 });
    for (let times = 0; times < 3; times += 1) await program.call('sync_roster', args);
    calm();
    // Late writes, and the time in which an unclear write is only looked for.
    await sleep(quarantineMs + latest.most + timeoutMs);
  }
  const wrongs: string[] = [];
  const { code, structured, text } = await program.call('sync_roster', args);
  const totals = (structured?.totals ?? {}) as Record<string, number>;
  const states = Object.keys(totals).filter((state) =>
    ['failed', 'unknown', 'not_started', 'doubtful'].includes(state),
  );
  if (code !== 'ok' || states.length > 0) wrongs.push(`${code} ${states.join(', ')}: ${text.slice(0, 300)}`);
  const own = ordersOf(world)
    .slice(before.orders)
    .filter((order) => isGiving(order) && lists(order, product));
  const getters = own.map(({ user_email }) => key(user_email));
  const twiceGiven = getters.filter((email, index) => getters.indexOf(email) !== index);
  wrongs.push(...twiceGiven.map((email) => `${email} got several orders`));
  wrongs.push(...lossesOf(world, before.paid));
  const now = holders(world, product);
  const paid = holders(world, product, isPaid);
  // The API does not show what a bundle contains, so anything paid for keeps it.
  const anyPaid = new Set(
    ordersOf(world)
      .filter(isPaid)
      .map(({ user_email }) => key(user_email)),
  );
  const mayKeep = product.kind === 'bundle' ? anyPaid : paidByAny(world, product);
  wrongs.push(
    ...[...listed].filter((email) => !now.has(email)).map((email) => `${email} is on the list and does not hold it`),
  );
  wrongs.push(
    ...[...now]
      .filter((email) => !listed.has(email) && !mayKeep.has(email))
      .map((email) => `${email} is not on the list, never paid, and holds it`),
  );
  wrongs.push(...[...paid].filter((email) => !now.has(email)).map((email) => `${email} paid and lost it`));
  const sent = between.log.filter(isWrite).length;
  await program.call('sync_roster', args);
  if (between.log.filter(isWrite).length > sent) wrongs.push('the second run sent a write');
  run.added += [...now].filter((email) => !before.holders.has(email)).length;
  run.removed += [...before.holders].filter((email) => !now.has(email)).length;
  run.kept += [...now].filter((email) => !listed.has(email)).length;
  return wrongs;
}

/** Who paid for the course, or for a bundle that lists it on any order. */
function paidByAny(world: World, product: Product): Set<string> {
  const carriers = new Set(
    ordersOf(world)
      .filter((order) => lists(order, product))
      .flatMap(({ bundles }) => bundles),
  );
  const isOf = (order: Order) => lists(order, product) || order.bundles.some((id) => carriers.has(id));
  return new Set(
    ordersOf(world)
      .filter((order) => isPaid(order) && isOf(order))
      .map(({ user_email }) => key(user_email)),
  );
}

/** Lists that share an academy. */
const perAcademy = 10;

/** `stormy`: one in so many lists is first sent while 40% of all requests fail. */
async function runRosters(count: number, seed: number, stormy: number) {
  const run = newRun();
  const lists = { count, each: perAcademy, name: (number: number) => `list ${number}` };
  const open = (first: number) => openWorld(seed + first);
  const failures = await inWorlds(lists, open, (world, number) => {
    const random = createRandom(`${seed} roster ${number}`);
    return tryList(world, number, random, number % stormy === 0, run);
  });
  return { ...run, failures };
}

/** Peak memory of the built program that reads an academy of 3,000 students and syncs a class, in MB; undefined outside Linux. */
async function peakOf(people: number): Promise<number | undefined> {
  const sandbox = await start({ students: 3_000, orders: 3_000 });
  const program = await startProgram({ environment: unlimited(sandbox.url, sandbox.apiKey) });
  const rows = Array.from({ length: people }, (_, index) => `p${index}@example.com,Person ${index}`);
  const args = { product: 'course 1', csv: ['email,name', ...rows].join('\n'), remove: 'missing', max_removals: 5_000 };
  await program.call('sync_roster', args);
  let cursor: unknown;
  do {
    const { structured } = await program.call('sync_roster', { ...args, confirm: true, ...(cursor ? { cursor } : {}) });
    cursor = structured?.next_cursor;
  } while (cursor !== undefined);
  const peak = memoryOf(program.pid)?.peak;
  return peak && Math.round(peak / 1e6);
}

const maxPeak = 150;

const counts: Record<Size, { lists: number; stormy: number; people: number }> = {
  short: { lists: 20, stormy: 10, people: 300 },
  whole: { lists: 500, stormy: 5, people: 1_000 },
};

export const figure: Figure = {
  id: 'F26',
  title: 'A class as its list says',
  target:
    '0 people too many or too few; 0 paid accesses lost; 0 writes by a second run; less than 150 MB for a class of 1,000',
  run: async (size, seed) => {
    const { lists, stormy, people } = counts[size];
    const peak = (await inScope(() => peakOf(people))) ?? 0;
    const done = await runRosters(lists, seed, stormy);
    const { failures } = done;
    return {
      tried: `${lists} random lists over random classes, ${done.stormy} of them first while 40% of all requests failed; and a class of ${people.toLocaleString('en')} by the built program`,
      result: `${done.added.toLocaleString('en')} people added, ${done.removed.toLocaleString('en')} removed, ${done.kept.toLocaleString('en')} kept because they paid; ${failures.length} wrong; at most ${peak} MB for the class of ${people.toLocaleString('en')}`,
      reached: peak < maxPeak && done.added > 0 && done.removed > 0 && done.kept > 0,
      details: [
        'afterwards the people with the product are those of the list and those who paid, by the orders of the academy itself; nobody got two orders, and no paid order lost a product',
        'a second run sends no write',
      ],
      failures,
      zeros: [{ what: 'lists that left another class than they should', of: lists }],
    };
  },
};
