import { expect, test } from 'vitest';
import { parseMessage } from '../../src/protocol/message.ts';
import { row } from '../support/academy.ts';
import { adversarialTexts } from '../support/adversarial.ts';
import { sharedByTests } from '../support/at-end.ts';
import { startAcademy } from '../support/connect.ts';
import { callMessage, modernCall, openSession, type Posted, post, startHttp } from '../support/http-server.ts';

/** Bytes of an HTTP body. */
const maxRefusal = 4_096;

const many = (count: number, value: unknown = 1) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`unknown_${index}`, value]));
const long = 'x'.repeat(200_000);
const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;

const roster = (count: number, made: (index: number) => object) => ({
  product: 'course 1',
  students: Array.from({ length: count }, (_, index) => made(index)),
});

function message(method: string, params: Record<string, unknown>, id: unknown = 1) {
  return { jsonrpc: '2.0', id, method, params };
}

/** Invalid requests, each with long content that an error could repeat. */
const refused: [what: string, body: unknown][] = [
  ['60,000 unknown arguments', callMessage(1, 'list_orders', many(60_000))],
  ['an unknown argument with a long name', callMessage(1, 'list_orders', { [long]: 1 })],
  ['a long text', callMessage(1, 'list_orders', { user_email: long })],
  ['200 students with bad emails', callMessage(1, 'sync_roster', { students: Array(200).fill({ email: 'é' }) })],
  [
    '200 students with unknown arguments',
    callMessage(1, 'sync_roster', {
      students: Array.from({ length: 200 }, (_, index) => ({ ...many(9), [`own_${index}`]: 1 })),
    }),
  ],
  ['5,000 unknown arguments of objects', callMessage(1, 'get_course', many(5_000, { a: { b: [1, 2, 3] } }))],
  [
    '200 students, each with a different error',
    callMessage(
      1,
      'sync_roster',
      roster(200, (index) => many(index + 1)),
    ),
  ],
  [
    '5,000 students',
    callMessage(
      1,
      'sync_roster',
      roster(5_000, (index) => ({ email: `e${index}` })),
    ),
  ],
  [
    '2,000 lessons with unknown fields',
    callMessage(1, 'plan_course_outline', { course_id: 1, moves: [], lessons: Array(2_000).fill(many(7)) }),
  ],
  [
    'a thousand moves of wrong types',
    callMessage(1, 'plan_course_outline', {
      course_id: 1,
      moves: Array(1_000).fill({ lesson_id: {}, module_id: 'x', position: [] }),
    }),
  ],
  ['a choice of quotation marks', callMessage(1, 'get_product', { product_type: '"\\\u0000'.repeat(20_000) })],
  ['names of line breaks', callMessage(1, 'list_orders', { ['\n'.repeat(50_000)]: 1, ['\u2028'.repeat(9_000)]: 1 })],
  ['an unknown tool of tag characters', callMessage(1, '\u202E\u{E0041}x'.repeat(20_000))],
  ['60,000 entries', callMessage(1, 'find_buyers', { product: 'x', statuses: Array(60_000).fill(long.slice(0, 9)) })],
  ['a choice that there is not', callMessage(1, 'list_orders', { status: long })],
  ['a cursor', callMessage(1, 'find_buyers', { product: 'x', cursor: 'x'.repeat(2_000) })],
  [
    'a code of control characters',
    callMessage(1, 'list_orders', { ['\u0001'.repeat(60)]: 1, ['\u0000'.repeat(90)]: 1 }),
  ],
  ['an unknown tool', callMessage(1, long)],
  ['an unknown prompt', message('prompts/get', { name: long })],
  ['60,000 arguments of a prompt', message('prompts/get', { name: 'who_bought', arguments: many(60_000, 'x') })],
  ['60,000 arguments that are no text', message('prompts/get', { name: 'who_bought', arguments: many(60_000) })],
  ['an unknown resource', message('resources/read', { uri: long })],
  ['a resource with a long part', message('resources/read', { uri: `academy://channels/${long}` })],
  ['a resource of many parts', message('resources/read', { uri: `academy://channels/${'%41/'.repeat(400)}` })],
  ['a completion of nothing', message('completion/complete', { ref: { type: long }, argument: many(9_000) })],
  [
    'a completion of an unknown prompt',
    message('completion/complete', { ref: { type: 'ref/prompt', name: long }, argument: { name: 'a', value: 'b' } }),
  ],
  [
    'a completion with a context of numbers',
    message('completion/complete', {
      ref: { type: 'ref/prompt', name: 'who_bought' },
      argument: { name: 'product', value: 'b' },
      context: { arguments: many(60_000) },
    }),
  ],
  ['an unknown method', message(long, {})],
  ['a method with a bad envelope', message('tools/list', { cursor: many(60_000) })],
  ['a level of the log', message('logging/setLevel', { level: long })],
  ['a long id', message('tools/list', {}, long)],
  ['a long progress token', message('tools/list', { _meta: { progressToken: long } })],
  [
    'deep arguments',
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_account","arguments":${nested(9_000)}}}`,
  ],
];

function complaint({ text, json }: Posted): string | undefined {
  const isRefusal = json.error !== undefined || JSON.stringify(json.result).includes('"isError":true');
  const bytes = Buffer.byteLength(text);
  if (!isRefusal) return 'is answered';
  return bytes > maxRefusal ? `is refused with ${bytes} bytes` : undefined;
}

test('an error over HTTP has at most 4 KB, whatever it could repeat', async () => {
  const { url } = await startHttp();
  const session = await openSession(url);
  const complaints: unknown[] = [];
  for (const [what, body] of refused) complaints.push([what, complaint(await post(url, body, session))]);
  expect(complaints).toEqual(refused.map(([what]) => [what, undefined]));
});

/** The same request from a client of 2026-07-28. */
function asModern(body: unknown) {
  const { message: call, headers } = modernCall('get_account', {});
  const { params, ...own } = row(body);
  const { _meta, ...others } = row(params);
  const name = String(others.name ?? others.uri ?? 'none').slice(0, 1_000);
  const named = name.replaceAll(/[^ -~]/g, '_');
  return {
    message: { ...own, params: { ...others, _meta: { ...call.params._meta, ...row(_meta ?? {}) } } },
    headers: { ...headers, 'mcp-method': String(own.method).slice(0, 1_000), 'mcp-name': named },
  };
}

test('errors for a client of 2026-07-28 are not longer', async () => {
  const { url } = await startHttp();
  const objects = refused.filter(([, body]) => typeof body === 'object');
  const complaints: unknown[] = [];
  for (const [what, body] of objects) {
    const { message: sent, headers } = asModern(body);
    complaints.push([what, complaint(await post(url, sent, headers))]);
  }
  expect(complaints).toEqual(objects.map(([what]) => [what, undefined]));
});

test('a method that 2026-07-28 has removed, or never had, is unknown there, whatever its params', async () => {
  const { url } = await startHttp();
  for (const method of ['initialize', 'logging/setLevel', 'tools/invent']) {
    const { message: sent, headers } = asModern({ jsonrpc: '2.0', id: 1, method, params: {} });
    const { status, text } = await post(url, sent, headers);
    expect([method, status, row(row(JSON.parse(text)).error).code]).toEqual([method, 404, -32601]);
  }
});

/** For arguments that are refused, and reads. */
const opened = sharedByTests(startAcademy);

test('an error counts the reasons that it leaves out', async () => {
  const { call } = await opened();
  const unknown = await call('list_orders', many(60_000));
  expect(unknown.text).toContain('"unknown_7", … and 59,992 more; valid: ');
  expect(unknown.text).toContain('Hint: Correct the arguments and call again.');
  const students = Array.from({ length: 100 }, () => ({ email: 7 }));
  const wrong = await call('sync_roster', { students, product: 'course 1' });
  expect(wrong.text).toContain('students.7.email must be text; … and 92 more.');
});

test('a long session id is refused without a lookup', async () => {
  const { url } = await startHttp();
  const { status, text } = await post(url, callMessage(1, 'get_account'), { 'mcp-session-id': 'x'.repeat(10_000) });
  expect([status, text.length < 400]).toEqual([400, true]);
});

test('a date has at most 40 characters and 9 digits after the point', async () => {
  const { call } = await opened();
  const fraction = (digits: number) => `2020-02-28T09:30:00.${'1'.repeat(digits)}Z`;
  for (const tool of ['list_orders', 'sales_report']) {
    expect((await call(tool, { created_after: fraction(9) })).isError).toBe(false);
    expect((await call(tool, { created_after: fraction(10) })).text).toContain(
      'created_after must have at most 9 digits after the point',
    );
    expect((await call(tool, { created_after: fraction(64_000) })).text).toContain(
      'created_after must have at most 40 characters',
    );
  }
});

test('a date that does not exist is refused with our own message', async () => {
  const { call } = await opened();
  for (const created_after of ['0000-01-01T00:00:00+23:59', '9999-12-31T23:59:59-23:59']) {
    const { text } = await call('sales_report', { created_after });
    expect(text).toMatch(/^invalid_input: /);
    expect(text).not.toContain(created_after);
  }
});

test('no invalid argument reaches the log', async () => {
  const { call, log } = await startAcademy();
  for (const made of Object.values(adversarialTexts)) await call('sales_report', { created_after: made(5_000) });
  expect(log.join('\n')).not.toContain('failed unexpectedly');
  expect(Math.max(0, ...log.map((line) => line.length))).toBeLessThan(5_000);
});

test('a lone surrogate is refused, since no request can contain it', async () => {
  const { call } = await opened();
  const { text } = await call('create_channel', { name: 'A \uD800 B' });
  expect(text).toContain('name must not hold half of a character');
});

test('length errors come before all others', async () => {
  const { call, client } = await opened();
  const { text } = await call('get_course', { course_id: ' '.repeat(101), other: 1 });
  expect(text).toContain('invalid_input: course_id must have at most 100 characters. Nothing was sent.');
  const students = ' '.repeat(20_001);
  const asked = client.getPrompt({ name: 'welcome_students', arguments: { course: 'a', students } });
  await expect(asked).rejects.toThrow('students must have at most 20000 characters');
});

test('a cut error keeps its hint', async () => {
  const { call } = await opened();
  const students = Array.from({ length: 8 }, (_, at) =>
    Object.fromEntries(Array.from({ length: 8 }, (_none, index) => [`${at} ${index} ${'\u5b57'.repeat(50)}`, 1])),
  );
  const { text } = await call('sync_roster', { students });
  expect(text).toContain('….');
  expect(text).toContain('Hint: Correct the arguments and call again.');
  expect(Buffer.byteLength(text)).toBeLessThan(maxRefusal);
});

test('invalid or too long params are refused by name', async () => {
  const { url } = await startHttp();
  const session = await openSession(url);
  const told = async (method: string, params: Record<string, unknown>) => {
    const { json } = await post(url, message(method, params), session);
    return row(json.error).message;
  };
  const name = 'who_bought';
  expect(await told('prompts/get', { name, arguments: { a: 1 } })).toBe(
    'Invalid params: arguments must be an object of texts',
  );
  expect(await told('prompts/get', { name: long })).toBe('Invalid params: name must have at most 255 characters');
  expect(await told('resources/read', { uri: long })).toBe('Invalid params: uri must have at most 2000 characters');
  expect(await told('logging/setLevel', { level: long })).toBe(
    'Invalid params: level must have at most 100 characters',
  );
  expect(await told(long, {})).toBe('Invalid request: its method is longer than 100 characters');
  const argument = { name: 'product', value: 'a' };
  expect(await told('completion/complete', { ref: { type: 'ref/prompt', name: long }, argument })).toBe(
    'Invalid params: ref.name must have at most 255 characters',
  );
});

test('both transports refuse messages nested deeper than 64 levels', async () => {
  const { url } = await startHttp();
  const deep = `{"jsonrpc":"2.0","id":1,"method":"ping","params":${nested(65)}}`;
  const { text } = await post(url, deep, await openSession(url));
  expect(text).toContain('it is nested deeper than 64 levels');
  expect(parseMessage(deep)).toMatchObject({ problem: 'it is nested deeper than 64 levels', reply: { id: 1 } });
  const call = deep.replace('ping', 'tools/call').replace('"params":', '"params":{"name":"get_account","arguments":');
  const { json } = await post(url, `${call}}`, await openSession(url));
  expect(JSON.stringify(json.result)).toContain('arguments must not be nested deeper than 64 levels');
  expect(parseMessage(deep.replace(nested(65), nested(64)))).toMatchObject({ method: 'ping' });
});
