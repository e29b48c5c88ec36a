import { expect, test } from 'vitest';
import { type Row, rows } from '../../support/academy.ts';
import { connect, connectToApi, startAcademy } from '../../support/connect.ts';
import type { Completing } from '../../support/eras.ts';
import { startGuarded } from '../../support/guarded.ts';
import { type Recorded, startRecorder } from '../../support/recorder.ts';

type Client = Awaited<ReturnType<typeof connect>>['client'];

const template = (uri: string) => ({ type: 'ref/resource', uri }) as const;
const structure = template('academy://courses/{course_id}/structure');
const product = template('academy://products/{product_type}/{id_or_slug}');
const channel = template('academy://channels/{id_or_slug}');
const restructure = { type: 'ref/prompt', name: 'restructure_course' } as const;

async function complete(client: Client, ref: Completing['ref'], name: string, value: string, filledIn: Row = {}) {
  const context = { arguments: filledIn as Record<string, string> };
  const { completion } = await client.complete({ ref, argument: { name, value }, context });
  return completion;
}

const nothing = { values: [], total: 0, hasMore: false };

/** An academy with these records that searches like the API, and the requests that it received. */
async function startLibrary(records: { courses?: object[]; products?: object[]; channels?: object[] }) {
  const answer = ({ path, query }: Recorded) => {
    const { query: wanted = '', limit = '500' } = Object.fromEntries(query);
    const list = path.split('/').at(-1) ?? '';
    const all = (records as Record<string, object[]>)[list] ?? [];
    const fitting = all.filter((record) => JSON.stringify(record).toLowerCase().includes(wanted));
    return { body: { [list]: fitting.slice(0, Number(limit)) } };
  };
  const { url, requests } = await startRecorder(answer);
  return { requests, ...(await connect({ ACADEMY_BASE_URL: url, ACADEMY_RATE_LIMIT: 'off' })) };
}

test('a course id is completed by title or id, ignoring case', async () => {
  const courses = [
    { id: 7, title: 'Oil Painting' },
    { id: 17, title: 'Ink' },
    { id: 30, title: 'Oil and Water' },
  ];
  const { client } = await startLibrary({ courses });
  expect((await complete(client, structure, 'course_id', 'oil')).values).toEqual(['7', '30']);
  expect((await complete(client, structure, 'course_id', '7')).values).toEqual(['7', '17']);
  expect((await complete(client, structure, 'course_id', '')).values).toEqual(['7', '17', '30']);
  expect((await complete(client, restructure, 'course', 'OIL')).values).toEqual(['Oil Painting', 'Oil and Water']);
});

test('typing a word letter by letter costs one request', async () => {
  const { client, between } = await startGuarded();
  const word = 'photography';
  for (let length = 0; length <= word.length; length += 1) {
    await complete(client, restructure, 'course', word.slice(0, length));
  }
  const lists = between.log.filter(({ path }) => path === '/api/v1/courses');
  expect(lists).toHaveLength(1);
});

test('concurrent keystrokes share their requests', async () => {
  const { client, requests } = await startLibrary({ courses: [{ id: 1, title: 'Ink' }] });
  await Promise.all(['', 'i', 'in', 'ink'].map((typed) => complete(client, restructure, 'course', typed)));
  // The list of courses, and a search for courses and for challenges.
  expect(requests).toHaveLength(3);
});

test('unpublished courses and challenges come after published ones', async () => {
  const products = [
    { product_type: 'course', id: 4, title: 'Ink, a draft', slug: 'ink-a-draft' },
    { product_type: 'challenge', id: 5, title: 'Thirty days of ink', slug: 'thirty-days-of-ink' },
    { product_type: 'course', id: 1, title: 'Ink', slug: 'ink' },
  ];
  const { client, requests } = await startLibrary({ courses: [{ id: 1, title: 'Ink' }], products });
  expect(await complete(client, structure, 'course_id', 'ink')).toEqual({
    values: ['1', '4', '5'],
    total: 3,
    hasMore: false,
  });
  expect((await complete(client, restructure, 'course', 'thirty')).values).toEqual(['Thirty days of ink']);
  const types = requests.flatMap(({ query }) => query.filter(([name]) => name === 'product_type'));
  expect(types.map(([, type]) => type)).toEqual(['course', 'challenge']);
});

test('an unpublished course of the academy is completed beside the published ones', async () => {
  const { client, sandbox } = await startAcademy();
  const all = [...sandbox.academy.catalogue.courses.all()];
  const hidden = all.filter(({ is_published }) => !is_published);
  expect(hidden.some(({ is_challenge }) => is_challenge)).toBe(true);
  const { values } = await complete(client, structure, 'course_id', '');
  expect(values).toEqual(expect.arrayContaining(hidden.map(({ id }) => String(id))));
  expect(values).toHaveLength(all.length);
});

test('a slug is completed by title or slug, within the chosen type', async () => {
  const { client, sandbox } = await startAcademy();
  const { structured } = await (await connect({ ACADEMY_BASE_URL: sandbox.url })).call('search_products', {
    product_type: 'bundle',
    limit: 25,
  });
  const slugs = rows(structured?.products).map(({ slug }) => slug);
  const { values } = await complete(client, product, 'id_or_slug', '', { product_type: 'bundle' });
  expect(values).toEqual(slugs);
  expect((await complete(client, product, 'id_or_slug', String(slugs[0]))).values).toContain(slugs[0]);
  expect((await complete(client, channel, 'id_or_slug', '')).values.length).toBeGreaterThan(0);
});

test('completing product types, periods and time zones costs no request', async () => {
  const { client, requests } = await startLibrary({});
  expect((await complete(client, product, 'product_type', 'PRO')).values).toEqual(['digital_product', 'project']);
  const weekly = { type: 'ref/prompt', name: 'weekly_report' } as const;
  expect((await complete(client, weekly, 'timezone', 'europe/mad')).values).toEqual(['Europe/Madrid']);
  expect((await complete(client, weekly, 'timezone', 'new york')).values).toEqual(['America/New_York']);
  expect((await complete(client, weekly, 'timezone', 'utc')).values).toContain('UTC');
  expect(requests).toEqual([]);
});

test('a completion has at most 100 values, and the total', async () => {
  const courses = Array.from({ length: 150 }, (_, index) => ({ id: index + 1, title: `Course ${index + 1}` }));
  const { client } = await startLibrary({ courses });
  const { values, total, hasMore } = await complete(client, structure, 'course_id', 'course');
  expect([values.length, total, hasMore]).toEqual([100, 150, true]);
});

test('a search with too many results says so, and narrows with the typed text', async () => {
  const products = Array.from({ length: 60 }, (_, index) => ({ id: index, title: 'Ink', slug: `ink-${index + 100}` }));
  const { client, requests } = await startLibrary({ products });
  const all = await complete(client, product, 'id_or_slug', '');
  expect([all.values.length, all.total, all.hasMore]).toEqual([25, undefined, true]);
  expect((await complete(client, product, 'id_or_slug', 'ink-15')).values).toHaveLength(10);
  expect(await complete(client, product, 'id_or_slug', 'ink-155')).toEqual({
    values: ['ink-155'],
    total: 1,
    hasMore: false,
  });
  // The empty text, whose results are not all, and each longer one.
  expect(requests).toHaveLength(3);
});

test('without a free request a completion is empty and does not wait', async () => {
  const { url, requests } = await startRecorder({ body: { courses: [{ id: 1, title: 'Ink' }] } });
  const settings = { ACADEMY_RATE_LIMIT: '2', ACADEMY_RATE_SHARE: '1', ACADEMY_MAX_WAIT_MS: '120000' };
  const { client, call } = await connect({ ACADEMY_BASE_URL: url, ...settings });
  await call('get_account');
  await call('get_account');
  expect(await complete(client, restructure, 'course', 'i')).toEqual(nothing);
  expect(requests).toHaveLength(2);
});

test('after a 429 a completion sends nothing', async () => {
  const refusal = { status: 429, headers: { 'retry-after': '100' }, body: {} };
  const { url, requests } = await startRecorder(() => refusal);
  const { client, call } = await connect({ ACADEMY_BASE_URL: url });
  expect((await call('get_account')).text).toMatch(/^rate_limited/);
  expect(await complete(client, restructure, 'course', 'i')).toEqual(nothing);
  expect(requests.map(({ path }) => path)).toEqual(['/api/v1/account']);
});

test('an error of the API gives no values, and is not repeated at every keystroke', async () => {
  const { client, requests } = await connectToApi({ status: 403, body: { error: 'no' } });
  for (const typed of ['p', 'pa', 'pai']) expect(await complete(client, restructure, 'course', typed)).toEqual(nothing);
  const asked = requests.map(({ path, query }) => `${path} ${query}`);
  expect(new Set(asked).size).toBe(requests.length);
  expect(asked.filter((path) => path.startsWith('/api/v1/courses '))).toHaveLength(1);
});

test('a slow API does not delay typing, and does not get the same request again', async () => {
  const { client, call } = await startAcademy({ latencyMs: 5_000 });
  const ended: string[] = [];
  const typing = complete(client, restructure, 'course', '').then((completion) => {
    ended.push('completion');
    expect(completion).toEqual(nothing);
  });
  const asked = call('list_courses').then(() => ended.push('tool'));
  await Promise.all([typing, asked]);
  expect(ended).toEqual(['completion', 'tool']);
  expect((await complete(client, restructure, 'course', '')).values.length).toBeGreaterThan(0);
});

test('an email is never completed', async () => {
  const { client, requests } = await startLibrary({});
  const ref = { type: 'ref/prompt', name: 'offboard_student' } as const;
  expect(await complete(client, ref, 'email', 'a')).toEqual(nothing);
  for (const name of ['constructor', '__proto__', 'colour']) {
    expect(await complete(client, structure, name, 'a'), name).toEqual(nothing);
  }
  expect(requests).toEqual([]);
});

test('an unknown prompt or template is -32602', async () => {
  const { client } = await startLibrary({});
  for (const ref of [template('academy://nowhere/{id}'), { type: 'ref/prompt', name: 'no_such' } as const]) {
    await expect(complete(client, ref, 'id', 'a')).rejects.toMatchObject({ code: -32602 });
  }
});

test('a completion uses no list whose tool the caller does not have', async () => {
  const { url, requests } = await startRecorder({ body: { courses: [], products: [] } });
  const { client } = await connect({ ACADEMY_BASE_URL: url, ACADEMY_TOOLSETS: 'courses' });
  await complete(client, structure, 'course_id', 'ink');
  expect(requests.map(({ path }) => path)).toEqual(['/api/v1/courses']);
});
