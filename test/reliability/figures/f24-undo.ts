import { isDeepStrictEqual } from 'node:util';
import * as fc from 'fast-check';
import type { Sandbox } from '../../../src/sandbox/index.ts';
import type { OrderRecord } from '../../../src/sandbox/state/orders.ts';
import type { Row } from '../../support/academy.ts';
import { connect, unlimited } from '../../support/connect.ts';
import { call, start } from '../../support/sandbox.ts';
import { digest } from '../../support/truth.ts';
import { type Figure, inWorlds, type Size } from '../figure.ts';

// Random writes by this program and by others, then an undo of all of ours. What was only ours must be as it was; what others
// wrote last must be as they left it; nothing else may change. Every value is written once, so that it shows who wrote it.

const kinds = ['price', 'product title', 'channel', 'lesson', 'enroll', 'enroll', 'revoke', 'role'] as const;
type Kind = (typeof kinds)[number];

interface Step {
  readonly by: 'us' | 'others';
  readonly kind: Kind;
  readonly at: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  by: fc.constantFrom('us' as const, 'us' as const, 'others' as const),
  kind: fc.constantFrom(...kinds),
  at: fc.nat({ max: 2 }),
});

const newRun = () => ({ steps: 0, undone: 0, conflicts: 0, refused: 0 });
type UndoRun = ReturnType<typeof newRun>;

type Records = ReadonlyMap<string, unknown>;
const courses = [1, 2, 3, 4];

/** Every field of every product, channel and lesson. Orders only grow: they are compared apart. */
function readRecords({ academy }: Sandbox): Records {
  const records = [...digest(academy)].filter(([name]) => !/^(order|student) /.test(name));
  const fields = records.flatMap(([name, record]) =>
    Object.entries(record).map(([field, value]) => [`${name} ${field}`, JSON.stringify(value)] as const),
  );
  return new Map(fields.filter(([name]) => !name.endsWith(' updated_at')));
}

const ordersIn = ({ academy }: Sandbox) =>
  new Map(academy.orders.all().map((order: OrderRecord) => [order.id, new Set(order.courses)]));

type World = Awaited<ReturnType<typeof openWorld>>;

async function openWorld(seed: number) {
  const sandbox = await start({ students: 12, orders: 40, seed });
  const more = { ACADEMY_JOURNAL: 'memory', LOG_LEVEL: 'silent' };
  const program = await connect(unlimited(sandbox.url, sandbox.apiKey, more));
  const structure = await program.call('get_course_structure', { course_id: 5 });
  if (structure.code !== 'ok') throw new Error(structure.text);
  const lessons = sandbox.academy.lessons.ofCourse(5).map(({ id }) => id);
  const people = sandbox.academy.students
    .all()
    .slice(0, 6)
    .map(({ email, name }) => ({ email, name }));
  return { sandbox, program, lessons, people };
}

interface Write {
  readonly call: readonly [tool: string, args: Row];
  readonly raw: readonly [method: string, path: string, body: Row];
  /** What it sets, as `readRecords` names it: "channel 1 description". */
  readonly field?: string;
  readonly value?: string;
}

const student = (path: string, body: Row, tool: string, more: Row = {}): Write => ({
  call: [tool, { ...body, ...more }],
  raw: ['POST', `/api/v1/student/${path}`, body],
});

/** `record`: for example "channel 1". */
function update(record: string, key: Row, path: string, [name, value]: readonly [string, string]): Write {
  const [kind = ''] = record.split(' ');
  const tool = `update_${kind === 'course' ? 'product' : kind}`;
  const fields = { [name]: value };
  const envelope = { course: 'product', channel: 'channel' }[kind];
  return {
    call: [tool, { ...key, ...fields }],
    raw: ['PATCH', `/api/v1/${path}`, envelope === undefined ? fields : { [envelope]: fields }],
    field: `${record} ${name}`,
    value: JSON.stringify(value),
  };
}

function writeOf({ kind, at }: Step, value: number, { lessons, people }: World): Write {
  const course = courses[at] ?? 1;
  const person = people[at % people.length] ?? { email: '', name: '' };
  const lesson = lessons[at % lessons.length] ?? 0;
  const channel = 1 + (at % 3);
  const title = `Title ${value}`;
  const key = { product_type: 'course', id_or_slug: String(course) };
  const product = (field: readonly [string, string]) =>
    update(`course ${course}`, key, `products/course/${course}`, field);
  const granted = { ...person, course_id: 1 + (at % 2) };
  const writes = {
    price: () => product(['price', `${value}.00`]),
    'product title': () => product(['title', title]),
    channel: () =>
      update(`channel ${channel}`, { id_or_slug: String(channel) }, `community/channels/${channel}`, [
        'description',
        title,
      ]),
    lesson: () => update(`lesson ${lesson}`, { lesson_id: lesson }, `lessons/${lesson}`, ['title', title]),
    enroll: () => student('enroll', granted, 'enroll_student'),
    revoke: () => student('revoke-course', granted, 'revoke_course', { confirm: true }),
    role: () => student('grant-role', { email: person.email, role_id: 1 + (at % 3) }, 'grant_role'),
  };
  return writes[kind]();
}

async function runSequence(steps: readonly Step[], world: World, run: UndoRun, base: number): Promise<string[]> {
  const { sandbox, program } = world;
  const before = readRecords(sandbox);
  const byOthers = new Map<string, string>();
  const ours: string[] = [];
  const known = new Set(ordersIn(sandbox).keys());
  const ownOrders = new Set<string>();
  for (const [index, one] of steps.entries()) {
    const { call: own, raw, field, value } = writeOf(one, base + index, world);
    if (one.by === 'others') {
      const { status } = await call(sandbox, ...raw);
      if (field !== undefined && value !== undefined && status < 300) byOthers.set(field, value);
    } else {
      const { structured } = await program.call(...own);
      if (typeof structured?.change_id === 'string') ours.push(structured.change_id);
    }
    for (const id of ordersIn(sandbox).keys()) {
      if (!known.has(id) && one.by === 'us') ownOrders.add(id);
      known.add(id);
    }
  }
  if (ours.length === 0) return [];
  const orders = ordersIn(sandbox);
  const unplanned = readRecords(sandbox);
  const plan = await program.call('undo_change', { change_ids: ours });
  const hasWritten = !isDeepStrictEqual(unplanned, readRecords(sandbox));
  const { structured, text } = await program.call('undo_change', { change_ids: ours, confirm: true });
  const totals = (structured?.totals ?? {}) as Record<string, number>;
  run.undone += totals.undone ?? 0;
  run.conflicts += totals.conflict ?? 0;
  run.refused += totals.refused ?? 0;
  const after = readRecords(sandbox);
  const failures = [...before].flatMap(([field, value]) => {
    const wanted = byOthers.get(field) ?? value;
    return after.get(field) === wanted ? [] : [`${field} is ${after.get(field)}, not ${wanted}: ${text.slice(0, 300)}`];
  });
  const wrong = Object.keys(totals).filter((state) => state === 'failed' || state === 'unknown' || state === 'lost');
  if (wrong.length > 0) failures.push(`${wrong.join(', ')}: ${text.slice(0, 400)}`);
  if (hasWritten) failures.push('the plan changed a record');
  const now = ordersIn(sandbox);
  for (const [id, listed] of orders) {
    const lost = [...listed].filter((course) => now.get(id)?.has(course) !== true);
    if (lost.length > 0 && !ownOrders.has(id))
      failures.push(`order ${id} lost course ${lost.join(', ')}: ${plan.text.slice(0, 300)}`);
  }
  return failures;
}

/** Sequences that share an academy. */
const perAcademy = 50;

async function runUndoSequences(count: number, seed: number) {
  const run = newRun();
  const all = fc.sample(fc.array(step, { minLength: 2, maxLength: 8 }), { numRuns: count, seed });
  const said = (index: number) => all[index]?.map(({ by, kind, at }) => `${by} ${kind} ${at}`).join(', ');
  const name = (index: number) => `sequence ${index} (${said(index)})`;
  const open = (first: number) => openWorld(seed + first);
  const failures = await inWorlds({ count, each: perAcademy, name }, open, async (world, index) => {
    const steps = all[index] ?? [];
    run.steps += steps.length;
    return await runSequence(steps, world, run, 1_000 + 10 * index);
  });
  return { ...run, failures };
}

const counts: Record<Size, number> = { short: 20, whole: 1_000 };

export const figure: Figure = {
  id: 'F24',
  title: 'Undone exactly',
  target: '0 records that differ; 0 changes of others overwritten',
  run: async (size, seed) => {
    const count = counts[size];
    const { failures, steps, undone, conflicts, refused } = await runUndoSequences(count, seed);
    return {
      tried: `${count.toLocaleString('en')} random sequences with ${steps.toLocaleString('en')} writes by this program and by others; then an undo of all writes of this program`,
      result: `${undone.toLocaleString('en')} writes undone, ${conflicts.toLocaleString('en')} left because others wrote since, ${refused.toLocaleString('en')} refused; ${failures.length} records that are not as they should be`,
      reached: undone > 0,
      details: [
        'before and after, all fields of all products, channels and lessons are read from the academy: each must be as it was or, if others wrote it last, as they left it',
        'no order that this program did not make may lose a course by an undo; the plan may change nothing',
      ],
      failures,
      zeros: [{ what: 'sequences that were not undone exactly', of: count }],
    };
  },
};
