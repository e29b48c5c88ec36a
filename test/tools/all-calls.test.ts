import { expect, test } from 'vitest';
import type { Cost } from '../../src/mcp/request-cost.ts';
import type { Tool } from '../../src/mcp/tool.ts';
import { tools } from '../../tools/index.ts';
import { type Row, row, rows } from '../support/academy.ts';
import { connect, connectToApi, startAcademy } from '../support/connect.ts';
import { composites, exampleCall, operationTools } from '../support/every-call.ts';
import { expectApiRefusal, expectRefusal, requestsOf } from '../support/refusal.ts';
import { sampleCalls } from '../support/samples.ts';
import { start } from '../support/sandbox.ts';
import { asShown, everyRow, ids, truth, truths } from '../support/truth.ts';
import { propertiesOf } from '../support/whole-rows.ts';

/** How often each part of the cost applies to the sample, whose student's orders are under two spellings of the email. */
const units: Readonly<Record<string, Units>> = {
  enroll_student: [1, 2, 1, 0, 1],
  create_channel: [1, 1],
  update_channel: [1, 1],
  update_lesson: [1, 1],
  revoke_course: [1, 1],
  revoke_bundle: [1, 1],
  // Its orders list no course of the bundle any more: the call before has taken them off.
  reset_bundle_progress: [1, 0, 1],
};
const reading = new Set(tools.filter(({ effect }) => effect === 'read').map(({ name }) => name));

test('an unknown argument is refused, the valid ones are listed, and nothing is sent', async () => {
  const { client, sandbox, call } = await startAcademy();
  const samples = sampleCalls(sandbox);
  for (const { name, inputSchema } of (await client.listTools()).tools) {
    const answer = await call(name, { ...samples[name], colour: 'teal' });
    const text = expectRefusal(answer, 'invalid_input');
    expect(text, name).toContain('unknown argument "colour"');
    const valid = Object.keys(propertiesOf(inputSchema)).join(', ') || 'none';
    expect(text, name).toContain(`valid: ${valid}.`);
    expect(text.includes('Outcome: not_applied'), name).toBe(!reading.has(name));
    expect(requestsOf(answer), name).toBe(0);
  }
});

/** The integer arguments of a tool; a nullable one is a choice of two schemas. */
function integersOf(inputSchema: Row): [name: string, schema: Row][] {
  return Object.entries(propertiesOf(inputSchema)).filter(([, schema]) => {
    const choices = Array.isArray(schema.anyOf) ? schema.anyOf.map((choice) => row(choice).type) : [schema.type];
    return choices.includes('integer');
  });
}

test('every integer may be written as text', async () => {
  const { client, sandbox, call } = await startAcademy();
  const samples = sampleCalls(sandbox);
  let tried = 0;
  for (const { name, inputSchema } of (await client.listTools()).tools) {
    for (const [argument, { maximum = 42 }] of integersOf(inputSchema)) {
      const { confirm: _confirm, ...sample } = samples[name] ?? {};
      // The position of a lesson needs that many lessons, and excludes the number of the sample.
      const own = argument === 'position' && name === 'create_lesson' ? { sequence: undefined, position: '1' } : {};
      const value = Number(maximum) < 42 ? '24' : '42';
      const { text } = await call(name, { ...sample, [argument]: value, ...own });
      expect(text, `${name}.${argument}`).not.toMatch(/^invalid_input/);
      tried += 1;
    }
  }
  expect(tried).toBeGreaterThan(40);
});

test('a value of a wrong type is refused by the name of its argument, and nothing is sent', async () => {
  const { client, sandbox, call } = await startAcademy();
  const samples = sampleCalls(sandbox);
  for (const { name, inputSchema } of (await client.listTools()).tools) {
    for (const argument of Object.keys(propertiesOf(inputSchema))) {
      for (const wrong of [{ a: 1 }, [['x']]]) {
        const answer = await call(name, { ...samples[name], [argument]: wrong });
        expect(expectRefusal(answer, 'invalid_input'), name).toMatch(
          new RegExp(`^invalid_input: ${argument}(\\.\\w+)* (must|is required)`),
        );
        expect(requestsOf(answer), name).toBe(0);
      }
    }
  }
});

test('a missing required argument is named', async () => {
  const { client, sandbox, call } = await startAcademy();
  const samples = sampleCalls(sandbox);
  for (const { name, inputSchema } of (await client.listTools()).tools) {
    for (const argument of inputSchema.required ?? []) {
      const { [argument]: _left, ...others } = samples[name] ?? {};
      expect(expectRefusal(await call(name, others), 'invalid_input'), name).toContain(`${argument} is required`);
    }
  }
});

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

/** Every value at the end of a path, with its path. */
function leavesOf(value: unknown, path = ''): [path: string, leaf: unknown][] {
  if (typeof value !== 'object' || value === null || isEmpty(value)) return [[path, value]];
  return Object.entries(value).flatMap(([key, entry]) => leavesOf(entry, `${path}.${key}`));
}

/** A time as a text may show it: in the time zone of the answer, to the second, the minute or, at midnight, the day. */
function localForms(leaf: unknown, timezone: unknown): string[] {
  if (typeof leaf !== 'string' || !/^\d{4}-\d\d-\d\dT.*Z$/.test(leaf)) return [];
  const zone = { timeZone: String(timezone ?? 'UTC'), dateStyle: 'short', timeStyle: 'medium' } as const;
  const second = new Intl.DateTimeFormat('sv-SE', zone).format(new Date(leaf));
  return [second, second.slice(0, -3), ...(second.endsWith(' 00:00:00') ? [second.slice(0, 10)] : [])];
}

/** "Complete" says it of a whole answer. */
const saidOtherwise = /^(find_buyers|unpaid_orders) \.(coverage\.complete|period\.running)$/;

/** The text explains the sums beside them. */
const otherWords: Readonly<Record<string, readonly string[]>> = {
  'find_buyers .amounts': ['order_total (whole orders)', 'alone_total (this product alone)'],
};

test('each tool answers, a write as applied, its two forms hold the same facts, and nothing in them is empty', async () => {
  const { sandbox, call } = await startAcademy();
  for (const [name, args] of Object.entries(sampleCalls(sandbox))) {
    const { isError, text, structured } = await call(name, args);
    expect(isError, `${name}: ${text}`).toBe(false);
    // The sample student has no progress: what was so before proves nothing.
    const outcome = name === 'reset_course_progress' ? 'already_there' : 'applied';
    if (!reading.has(name) && !composites.includes(name)) expect(structured?.outcome, name).toBe(outcome);
    for (const [path, leaf] of leavesOf(structured)) {
      expect(isEmpty(leaf), `${name} ${path}`).toBe(false);
      if (saidOtherwise.test(`${name} ${path}`)) continue;
      const words = otherWords[`${name} ${path}`];
      if (words !== undefined) {
        for (const word of words) expect(text).toContain(word);
        continue;
      }
      const timezone = Object(structured?.period).timezone;
      const said = [String(leaf), JSON.stringify(leaf), ...localForms(leaf, timezone)];
      expect(
        said.some((form) => text.includes(form)),
        `the text of ${name} holds ${path} (${said[0]})`,
      ).toBe(true);
    }
  }
});

test('the tool of an operation sends as many requests as its cost says', async () => {
  const { sandbox, call } = await startAcademy();
  const samples = sampleCalls(sandbox);
  for (const { name, cost } of operationTools) {
    const [least, most] = expectedRequests(cost, units[name]);
    expect(least, name).toBe(most);
    expect(requestsOf(await call(name, samples[name])), name).toBe(least);
  }
});

test('the tool of an operation that reads asks the API once', () => {
  for (const { name, cost } of operationTools.filter(({ effect }) => effect === 'read')) {
    expect(expectedRequests(cost), name).toEqual([1, 1]);
    // It also looks under the type that reports print: test/tools/products.test.ts counts that request.
    if (name !== 'get_product') expect(Object.keys(cost), name).toHaveLength(1);
  }
});

/** Lists that answers show as the API does. */
const wholeLists: [tool: string, path: string, list: string][] = [
  ['list_courses', '/api/v1/courses', 'courses'],
  ['list_bundles', '/api/v1/bundles', 'bundles'],
  ['list_roles', '/api/v1/courses/roles', 'roles'],
  ['list_community_groups', '/api/v1/community/groups', 'groups'],
];

test.for(wholeLists)('%s shows the list of the API, and pages it', async ([tool, path, list]) => {
  const { sandbox, call } = await startAcademy();
  const records = await truths(sandbox, path, list);
  expect((await call(tool)).structured).toEqual({ total: records.length, [list]: records });
  const first = await call(tool, { limit: 2 });
  expect(requestsOf(await call(tool, { limit: 2, cursor: first.structured?.next_cursor }))).toBe(0);
  expect(await everyRow(call, tool, list, { limit: 2 }, ['next_cursor', 'cursor'])).toEqual(records);
});

const posts = '/api/v1/community/channels/3/posts?per_page=100';

test.for([
  ['list_digital_products', '/api/v1/digital_products', 'digital_products', { limit: 7 }],
  ['list_assignment_answers', '/api/v1/students/answers', 'answers', { limit: 7 }],
  ['list_orders', '/api/v1/orders?status=all', 'orders', { status: 'all', per_page: 40 }],
  ['list_students', '/api/v1/students?per_page=100', 'students', {}],
  ['search_posts', posts, 'posts', { id_or_slug: 3, per_page: 7 }],
] as const)('%s, read to the end, gives every record once', async ([tool, path, list, args]) => {
  const { sandbox, call } = await startAcademy({ students: 60 });
  const read = await everyRow(
    call,
    tool,
    list,
    args,
    'limit' in args ? ['next_cursor', 'cursor'] : ['next_page', 'page'],
  );
  // The API pages students by 50, whatever it is asked for.
  const all =
    tool === 'list_students'
      ? [...sandbox.academy.students.all()].map(({ id }) => id)
      : ids(await truths(sandbox, path, list));
  expect(ids(read).sort()).toEqual(all.sort());
});

test.for([
  ['get_course', { course_id: 3 }, '/api/v1/courses/3'],
  ['get_bundle', { bundle_id: 2 }, '/api/v1/bundles/2'],
  ['get_digital_product', { digital_product_id: 1 }, '/api/v1/digital_products/1'],
  ['get_channel', { id_or_slug: 3 }, '/api/v1/community/channels/3'],
] as const)('%s %j shows everything of the record, its description fenced', async ([tool, args, path]) => {
  const { sandbox, call } = await startAcademy();
  const record = await truth(sandbox, path);
  const { structured, text } = await call(tool, args);
  expect(structured).toEqual(asShown(record, 'description'));
  expect(text).toContain(String(record.title ?? record.name));
  expect(text).toContain(String(record.description).split('\n')[0]);
});

test.for([
  ['search_products', 'products', 'data', 'raise limit', 25],
  ['search_channels', 'channels', 'help', 'at most 50', 50],
] as const)('%s finds by a part of the title, and says when there is more', async ([tool, list, query, more, most]) => {
  const { sandbox, call } = await startAcademy();
  const path = list === 'channels' ? '/api/v1/community/channels' : '/api/v1/products';
  const records = await truths(sandbox, `${path}?query=${query}&limit=${most}`, list);
  expect(records.length).toBeGreaterThan(0);
  expect((await call(tool, { query, limit: most })).structured).toEqual({ count: records.length, [list]: records });
  const cut = await call(tool, { limit: 3 });
  expect(cut.structured?.count).toBe(3);
  expect(cut.structured?.more).toContain(more);
  expect(String((await call(tool, { limit: most })).structured?.more)).not.toContain(more);
  const none = await call(tool, { query: 'no such thing' });
  const note = `no ${list} with "no such thing" in title, name or slug: try a shorter part of it`;
  expect(none.structured).toEqual({ count: 0, note });
  expect(none.text).toContain(`0 ${list} found.`);
});

test.for([
  ['create_channel', { name: 'Study hall' }, 'search_channels'],
  ['create_lesson', { course_id: 1, title: 'Something new' }, 'get_course_structure'],
] as const)('%s says where to look when the API does not show the new record', async ([tool, args, place]) => {
  for (const answer of [{ status: 204 }, { status: 201, body: {} }]) {
    const { call } = await connectToApi(answer);
    const { structured } = await call(tool, args);
    expect(structured).toMatchObject({ outcome: 'applied', note: expect.stringContaining(place) });
  }
});

test.for([
  ['list_orders', '/api/v1/orders', 'orders', { per_page: 1 }],
  ['search_posts', posts, 'posts', { id_or_slug: 3, per_page: 1 }],
  ['search_posts', posts, 'posts', {}],
  ['list_assignment_answers', '/api/v1/students/answers', 'answers', {}],
] as const)(
  '%s shows the day in the time zone, and the minute in a period of at most 48 hours',
  async ([tool, path, list, args]) => {
    const { sandbox, call } = await startAcademy({}, { ACADEMY_TIMEZONE: 'Pacific/Kiritimati' });
    const records = await truths(sandbox, path, list);
    const times = records.map(({ created_at }) => Date.parse(String(created_at)));
    const time = Math.max(...times);
    const newest = records[times.indexOf(time)];
    const zoned = new Date(time + 14 * 3_600_000).toISOString().slice(0, 16).replace('T', ' ');
    const [created_after, created_before] = [-60_000, 60_000].map((ms) => new Date(time + ms).toISOString());
    for (const [asked, shown] of [
      [args, zoned.slice(0, 10)],
      [{ ...args, created_after, created_before }, zoned],
    ] as const) {
      if (tool === 'search_posts' && !('id_or_slug' in args) && asked === args) continue;
      const { structured, text } = await call(tool, asked);
      expect(rows(structured?.[list]).find(({ id }) => id === newest?.id)?.created_at).toBe(shown);
      expect(text).toContain(shown);
    }
  },
);

const nobody = { email: 'nobody@example.com' };

/** Calls about records that do not exist. */
const absent: [tool: string, args: Row][] = [
  ['get_course', { course_id: 424_242 }],
  ['get_course_structure', { course_id: 424_242 }],
  ['get_bundle', { bundle_id: 424_242 }],
  ['get_digital_product', { digital_product_id: 424_242 }],
  ['get_order', { order_id: 'no-such-order' }],
  ['get_product', { product_type: 'bundle', id_or_slug: 13 }],
  ['get_product', { product_type: 'course', id_or_slug: 424_242 }],
  ['student_profile', nobody],
  ['course_progress', { course_id: 424_242 }],
  ['get_channel', { id_or_slug: 'nowhere' }],
  ['search_posts', { id_or_slug: 'nowhere' }],
  ['get_student_details', nobody],
  ['get_course_completion', { course_id: 424_242, user_email: 'freya.hargreaves@example.net' }],
  ['get_course_completion', { course_id: 1, user_email: nobody.email }],
  ['update_lesson', { lesson_id: 424_242, title: 'X' }],
  ['update_channel', { id_or_slug: 'nowhere', name: 'X' }],
  ['enroll_student', { email: 'new.student@example.com', name: 'New', course_id: 424_242 }],
  ['grant_role', { email: 'freya.hargreaves@example.net', role_id: 424_242 }],
  ['grant_role', { ...nobody, role_id: 3 }],
];

test.for(absent)('%s %j is not_found, and a write says that nothing was changed', async ([tool, args]) => {
  const { sandbox, call } = await startAcademy();
  const text = expectApiRefusal(await call(tool, args), 'not_found', 404);
  if (!reading.has(tool)) expect(text).toContain('Outcome: not_applied');
  expect(sandbox.academy.students.size).toBe(40);
});

test.for([
  ['update_lesson', { lesson_id: 1001 }, 'module_id'],
  ['update_product', { product_type: 'course', id_or_slug: 2 }, 'at least one of title'],
  ['update_channel', { id_or_slug: 'nowhere' }, ''],
] as const)('%s without a change is refused and costs nothing', async ([tool, args, says]) => {
  const answer = await (await startAcademy()).call(tool, { ...args });
  expect(expectRefusal(answer, 'invalid_input')).toContain(says);
  expect(requestsOf(answer)).toBe(0);
});

/** "Last week" must hold the same orders and posts in each run. */
const now = new Date('2026-11-20T12:00:00Z');

/** How often each part of the cost applies to the example. Left out: the first part once, no further one. */
const exampleUnits: Readonly<Record<string, Units>> = {
  create_channel: [1, 1],
  apply_course_outline: [1, 1],
  enroll_student: [1, 1],
  reset_bundle_progress: [1, 3],
  // A page for each of the two statuses of a purchase.
  find_buyers: [2, 1],
  sales_report: [2],
  unpaid_orders: [6, 1, 40],
  course_progress: [2, 4, 1],
  student_profile: [1, 1, 8, 1],
  community_digest: [2, 2],
  sync_roster: [2, 1, 0, 2],
  offboard_student: [1, 7, 0, 1],
};

/** The sandbox's default academy. */
const startDefault = () => start({ students: undefined, orders: undefined, now });

/** A client of a program that has read nothing yet. */
const clientOf = ({ url }: { url: string }) =>
  connect({ ACADEMY_BASE_URL: url, ACADEMY_RATE_LIMIT: 'off' }, { now: () => now });

const openAcademy = async () => await clientOf(await startDefault());

async function expectExample(tool: Tool, { call }: Awaited<ReturnType<typeof openAcademy>>): Promise<void> {
  const answer = await call(tool.name, exampleCall(tool));
  expect(answer.isError, `${tool.name}: ${answer.text}`).toBe(false);
  const [least, most] = expectedRequests(tool.cost, exampleUnits[tool.name]);
  expect(requestsOf(answer), `${tool.name}: requests`).toBeGreaterThanOrEqual(least);
  expect(requestsOf(answer), `${tool.name}: requests`).toBeLessThanOrEqual(most);
}

test('the example of each read tool succeeds, at its cost', async () => {
  const academy = await startDefault();
  // A program uses the pages that it read for one example in the next one.
  for (const tool of tools.filter(({ effect }) => effect === 'read'))
    await expectExample(tool, await clientOf(academy));
});

test.for(tools.filter(({ effect }) => effect !== 'read').map((tool) => [tool.name, tool] as const))(
  'the example of %s succeeds in a fresh academy, at its cost',
  async ([, tool]) => {
    await expectExample(tool, await openAcademy());
  },
);

test('a tool without cost or example does not compile', () => {
  const [tool] = tools;
  if (tool === undefined) throw new Error('there are no tools');
  const { cost, example, ...others } = tool;
  // @ts-expect-error: cost is required.
  const costless: Tool = { ...others, example };
  // @ts-expect-error: example is required.
  const unexplained: Tool = { ...others, cost };
  expect([costless, unexplained]).toHaveLength(2);
});

/** How often each part of a cost applies to a call, in order: pages, products, students. */
type Units = readonly number[];

const firstPartAlone: Units = [1];

/** The minimum and maximum number of requests of a call by its cost. */
function expectedRequests(cost: Cost, units = firstPartAlone): readonly [number, number] {
  const parts = Object.values(cost).map((requests, index) =>
    [requests, requests].flat().map((count) => count * (units[index] ?? 0)),
  );
  const least = parts.reduce((sum, [count = 0]) => sum + count, 0);
  return [least, parts.reduce((sum, counts) => sum + (counts.at(-1) ?? 0), 0)];
}
