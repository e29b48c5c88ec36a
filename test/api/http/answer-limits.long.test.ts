import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { connect } from '../../support/connect.ts';
import { isLong } from '../../support/long-form.ts';
import { callOf, hello, messagesIn, start } from '../../support/program.ts';
import { startRecorder } from '../../support/recorder.ts';

const maxBytes = 32 * 2 ** 20;

/** An academy that gives every answer this body. */
async function startAnswering(body: () => string | Buffer, status = 200, headers: Record<string, string> = {}) {
  const seen: string[] = [];
  const { url } = await startRecorder((request) => {
    seen.push(`${request.method} ${request.url}`);
    return { status, headers, body: body() };
  });
  const { call } = await connect({ ACADEMY_BASE_URL: url, ACADEMY_RATE_LIMIT: 'off', ACADEMY_PREFLIGHT: 'false' });
  return { call, seen, url };
}

const listOf = (count: number, record = '{}') => `[${`${record},`.repeat(count - 1)}${record}]`;

/** The longer form has the largest number that is allowed. */
const many = isLong ? 200_000 : 40_000;

/** Bodies that a process must not parse, and the limit that each exceeds. */
const hostile: readonly (readonly [what: string, body: () => string, says: string])[] = [
  ['10 million empty records', () => listOf(10_000_000), '200,000 records'],
  ['one record too many under a key', () => `{"courses":${listOf(200_001)}}`, '200,000 records'],
  ['too many records under an unknown key', () => `{"courses":[],"more":${listOf(200_001)}}`, '200,000 records'],
  ['too many records in two lists', () => `{"a":${listOf(150_000)},"courses":${listOf(150_000)}}`, '200,000 records'],
  ['more than 32 MiB', () => `["${'x'.repeat(maxBytes)}"]`, '32 MiB'],
  ['spaces after its end', () => `{"courses":[]}${' '.repeat(maxBytes)}`, '32 MiB'],
  ['3,000,001 numbers deep inside', () => `{"courses":[{"a":{"b":${listOf(3_000_001, '7')}}}]}`, '3,000,000 values'],
  ['4 million keys', () => `{"courses":[{${'"k":1,'.repeat(4_000_000)}"k":1}]}`, '3,000,000 values'],
  ['lists in lists without end', () => '['.repeat(10_000_000), '64 levels'],
  ['lists in lists', () => `{"courses":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, '64 levels'],
  ['objects in objects', () => `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`, '64 levels'],
];

test.for(hostile)(
  'an answer with %s is refused before it is parsed and not requested again, and the next one is read',
  async ([, body, says]) => {
    let next = body;
    const { call, seen } = await startAnswering(() => next());
    const { isError, text } = await call('list_courses');
    expect(isError).toBe(true);
    expect(text).toMatch(/^unexpected_response: the API answered 200, but its body holds /);
    expect(text).toContain(says);
    expect(seen).toEqual(['GET /api/v1/courses']);
    next = () => '{"courses":[]}';
    expect((await call('list_courses')).isError).toBe(false);
  },
);

test('64 MiB in 64 KiB of gzip, an error of more than 32 MiB and 300,000 keys are refused in a few words', async () => {
  const packed = gzipSync(`{"courses":["${'x'.repeat(2 * maxBytes)}"]}`);
  const large = () => JSON.stringify({ error: 'x'.repeat(maxBytes) });
  for (const { call } of [
    await startAnswering(() => packed, 200, { 'content-encoding': 'gzip' }),
    await startAnswering(large, 422),
    await startAnswering(() => `{${Array.from({ length: 300_000 }, (_, key) => `"${key}":{}`).join()}}`),
  ]) {
    const { isError, text } = await call('list_courses');
    expect(isError).toBe(true);
    expect(text.length).toBeLessThan(4_096);
  }
});

test('10 million empty records do not crash a small process', { timeout: 60_000 }, async () => {
  const { url } = await startAnswering(() => listOf(10_000_000));
  const settings = { ACADEMY_BASE_URL: url, ACADEMY_API_KEY: 'k', ACADEMY_RATE_LIMIT: 'off' };
  const { child, ended, send, written } = start([], { ...settings, NODE_OPTIONS: '--max-old-space-size=256' });
  const ids = [2, 3, 4, 5];
  send(...hello, ...ids.map((id) => callOf(id, 'list_courses', { limit: id })));
  const refused = () => messagesIn(written.stdout).filter(({ result }) => result?.isError === true);
  await expect
    .poll(
      () =>
        refused()
          .map(({ id }) => id)
          .sort(),
      { timeout: 50_000 },
    )
    .toEqual(ids);
  child.stdin?.end();
  expect((await ended).code).toBe(0);
});

test(`an answer of ${many} records with the fields of orders is parsed`, { timeout: 60_000 }, async () => {
  const record = '{"id":1,"title":"A \\"B\\", [c] {d}","price":"1.00","paid":true,"tags":[1,2],"url":null}';
  const { call } = await startAnswering(() => `{"courses":${listOf(many, record)}}`);
  const { isError, structured } = await call('list_courses', { limit: 1 });
  expect(isError).toBeFalsy();
  expect(structured?.total).toBe(many);
});

test('brackets, commas and quotes inside texts are not counted', async () => {
  const title = JSON.stringify('[{,'.repeat(300_000) + '\\"'.repeat(1_000));
  const { call } = await startAnswering(() => `{"courses":[{"id":1,"title":${title}}]}`);
  expect((await call('list_courses')).structured?.total).toBe(1);
});

test.for(hostile)('a write answered with %s is applied, as its status shows', async ([, body]) => {
  const { call, seen } = await startAnswering(body, 201);
  const { text, structured, isError } = await call('create_channel', { name: 'Night school' });
  expect(isError, text).toBeFalsy();
  expect(structured?.outcome).toBe('applied');
  expect(seen.filter((line) => line.startsWith('POST'))).toEqual(['POST /api/v1/community/channels']);
});
