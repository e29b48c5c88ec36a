import { expect, test } from 'vitest';
import {
  createExportLinks,
  createExportPlace,
  type exportQuota,
  leastCounted,
  maxLinkBytes,
  type SavedExport,
} from '../../src/mcp/exports.ts';
import { csvRow, csvStart } from '../../src/shared/csv.ts';
import { createMemoryStore } from '../../src/shared/shared-store.ts';
import { type Row, row, rows, words } from '../support/academy.ts';
import { readCsv } from '../support/csv.ts';
import { callMessage, openSession, type Posted, post, startHttp } from '../support/http-server.ts';
import { startIdentityProvider } from '../support/identity-provider.ts';

const mirror = { ACADEMY_MIRROR: 'memory' };
const both = ['first-token-of-24-characters', 'other-token-of-24-characters'] as const;
const audience = 'https://mcp.example.com/mcp';

const readMessage = (uri: unknown, id = 3) => ({ jsonrpc: '2.0', id, method: 'resources/read', params: { uri } });
const resultOf = ({ json }: Posted) => row(json.result);

/** A session of the caller with this token. */
async function openCaller(url: string, token: string) {
  const session = await openSession(url, { authorization: `Bearer ${token}` });
  const send = (message: object) => post(url, message, session);
  let id = 10;
  const call = async (name: string, args: Row) => {
    id += 1;
    return resultOf(await send(callMessage(id, name, args)));
  };
  const exported = async (args: Row) => {
    const result = await call('export_data', args);
    expect(result.isError, JSON.stringify(result.content)).toBeUndefined();
    return row(result.structuredContent);
  };
  const list = async (method: string) => resultOf(await send({ jsonrpc: '2.0', id: 4, method }));
  return { call, exported, list, read: (uri: unknown, id?: number) => send(readMessage(uri, id)) };
}

const textIn = (answer: Posted) => words(rows(resultOf(answer).contents)[0]?.text);

async function startProtected(settings: Record<string, string> = mirror) {
  const provider = await startIdentityProvider();
  const oauth = { ACADEMY_OAUTH_ISSUER: provider.issuer, ACADEMY_OAUTH_AUDIENCE: audience };
  const server = await startHttp({ ...oauth, ...settings });
  const as = async (scope: string) => openCaller(server.url, await provider.issue({ aud: audience, scope }));
  return { ...server, as };
}

test('S24: over HTTP an export is a resource, as CSV, for the caller who made it', async () => {
  const { url } = await startHttp({ ...mirror, ACADEMY_HTTP_TOKENS: both.join() });
  const [first, other] = await Promise.all(both.map((token) => openCaller(url, token)));
  const { link, expires_at, rows: count } = row(await first?.exported({ tool: 'list_students' }));
  expect(link).toMatch(/^academy:\/\/exports\/[\w-]{22}$/);
  expect(Date.parse(words(expires_at)) - Date.now()).toBeGreaterThan(3_590_000);
  const answer = await first?.read(link);
  expect(answer?.json).toMatchObject({ result: { contents: [{ uri: link, mimeType: 'text/csv' }] } });
  expect(readCsv(textIn(answer as Posted)).rows).toHaveLength(Number(count));
  const foreign = await other?.read(link);
  expect(foreign?.json).toMatchObject({ error: { code: -32002, data: { uri: link } } });
  const never = 'academy://exports/AAAAAAAAAAAAAAAAAAAAAA';
  const unknown = await first?.read(never);
  expect(JSON.stringify(foreign?.json).replaceAll(words(link), never)).toBe(JSON.stringify(unknown?.json));
  const form = words(link);
  for (const uri of [
    `${form}/`,
    `${form}?a`,
    `${form}%00`,
    form.toUpperCase(),
    form.replace('exports/', 'exports/../exports/'),
  ])
    expect((await other?.read(uri))?.json, uri).toHaveProperty('error');
  const sql = `WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 30000) SELECT printf('%60d', x) FROM n`;
  const long = row(await first?.exported({ sql }));
  const reads = Array.from({ length: 40 }, (_, index) => first?.read(long.link, index + 1_000));
  expect(row(await other?.exported({ sql: 'SELECT 1 AS one' }))).toHaveProperty('rows', 1);
  for (const read of await Promise.all(reads)) expect(read?.json).toHaveProperty('result.contents');
});

test('the template of exports is listed with the mirror', async () => {
  const templatesOf = async (settings: Record<string, string>) => {
    const { url } = await startHttp({ ...settings, ACADEMY_HTTP_TOKENS: both.join() });
    const { list } = await openCaller(url, both[0]);
    return rows((await list('resources/templates/list')).resourceTemplates).map(({ uriTemplate }) => uriTemplate);
  };
  expect(await templatesOf(mirror)).toContain('academy://exports/{id}');
  expect(await templatesOf({})).not.toContain('academy://exports/{id}');
  expect(await templatesOf({ ...mirror, ACADEMY_TOOLSETS: 'data' })).toEqual(['academy://exports/{id}']);
});

const linksAt = (now: () => number, quota?: typeof exportQuota) =>
  createExportLinks({
    place: createExportPlace(createMemoryStore({ now })),
    academy: 'one',
    redact: (value) => value,
    now: () => new Date(now()),
    ...(quota && { quota }),
  });

const idsOf = (saved: SavedExport) =>
  'links' in saved ? saved.links.map((link) => link.replace('academy://exports/', '')) : [];

/** A CSV of about this many bytes. */
function largeCsv(bytes: number): { csv: Buffer; count: number } {
  const count = Math.floor(bytes / 100_000);
  const lines = Array.from({ length: count }, (_, index) => csvRow([index, 'x'.repeat(99_900)]));
  return { csv: Buffer.from(csvStart + csvRow(['n', 'text']) + lines.join('')), count };
}

test('a long export has several links of at most 2 MiB, each with the names of the columns, that together have every row', async () => {
  const links = linksAt(() => 0);
  const { csv, count } = largeCsv(20 * 2 ** 20);
  const saved = await links.save({ name: 'query', csv }, { caller: 'one' });
  expect(saved).toMatchObject({ rows: count });
  expect(saved).not.toHaveProperty('why');
  const numbers: string[] = [];
  for (const id of idsOf(saved)) {
    const text = words(await links.read(id, 'one'));
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(maxLinkBytes);
    const [header, ...lines] = text.split('\r\n').slice(0, -1);
    expect(header).toBe('\uFEFF"n","text"');
    numbers.push(...lines.map((line) => line.split(',')[0] ?? ''));
  }
  expect(idsOf(saved)).toHaveLength(11);
  expect(numbers).toEqual(Array.from({ length: count }, (_, index) => String(index)));
});

test('exports beyond the quota of a caller, and of all, return the parts that fit', async () => {
  let now = 0;
  // Each small part counts as one.
  const quota = { ofOwner: 2 * leastCounted, ofAll: 4 * leastCounted };
  const links = linksAt(() => now, quota);
  const { csv, count } = largeCsv(3 * 2 ** 20);
  const save = (caller: string, file = csv) => links.save({ name: 'query', csv: file }, { caller });
  const small = Buffer.from(csvStart + csvRow(['a']) + csvRow([1]));
  const first = await save('one', small);
  const second = await save('one');
  expect(second).toMatchObject({ why: expect.stringContaining('32 MiB for each caller') });
  expect(idsOf(second)).toHaveLength(1);
  expect(second).toHaveProperty('rows', 20);
  await expect(save('one', small)).rejects.toThrow('no room');
  expect(await save('two')).toMatchObject({ rows: count });
  await expect(save('three', small)).rejects.toThrow('64 MiB for all');
  // Nothing of the others was thrown away for it.
  expect(await links.read(idsOf(first)[0] ?? '', 'one')).toBe(small.toString());
  now = 3_600_000;
  expect(await save('three')).toMatchObject({ rows: count });
});

test('a row that is longer than a link ends the export before it', async () => {
  const links = linksAt(() => 0);
  const csv = Buffer.from(csvStart + csvRow(['a']) + csvRow(['short']) + csvRow(['x'.repeat(3 * 2 ** 20)]));
  const saved = await links.save({ name: 'query', csv }, { caller: 'one' });
  expect(saved).toMatchObject({ rows: 1, why: 'a row is longer than 2 MiB' });
});

test('an export can be read for an hour', async () => {
  let now = 0;
  const links = linksAt(() => now);
  const saved = await links.save({ name: 'query', csv: Buffer.from('Inês\r\n') }, { caller: 'one' });
  const [id = ''] = idsOf(saved);
  expect(saved).toHaveProperty('expires_at', '1970-01-01T01:00:00Z');
  now = 3_599_000;
  expect(await links.read(id, 'one')).toBe('Inês\r\n');
  expect(await links.read(id, 'two')).toBeUndefined();
  now = 3_600_000;
  expect(await links.read(id, 'one')).toBeUndefined();
});

test('a token without academy:data neither sees nor calls query_data and export_data, nor reads an export', async () => {
  const { as } = await startProtected();
  const reader = await as('academy:read academy:write academy:access');
  const names = rows((await reader.list('tools/list')).tools).map(({ name }) => name);
  expect(names).toContain('describe_data');
  for (const name of ['query_data', 'export_data']) {
    expect(names).not.toContain(name);
    const { isError, content } = await reader.call(name, { sql: 'SELECT 1' });
    expect(isError).toBe(true);
    expect(JSON.stringify(content)).toContain(`forbidden: ${name} needs the scope academy:data`);
  }
  const analyst = await as('academy:data');
  expect(rows((await analyst.list('tools/list')).tools).map(({ name }) => name)).toEqual(['query_data', 'export_data']);
  const { link } = await analyst.exported({ sql: 'SELECT 1 AS one' });
  expect(textIn(await analyst.read(link))).toBe('\uFEFF"one"\r\n1\r\n');
  // The same person, with a token of other scopes.
  expect((await reader.read(link)).json).toMatchObject({ error: { code: -32002 } });
});

test('the scope is announced only with the mirror: a provider may refuse a scope that it does not know', async () => {
  const announced = async (settings: Record<string, string>) => {
    const { origin, url } = await startProtected(settings);
    const { json } = await post(url, {});
    const response = await fetch(`${origin}/.well-known/oauth-protected-resource/mcp`);
    const challenge = (await fetch(url, { method: 'POST' })).headers.get('www-authenticate');
    expect(json).toHaveProperty('error');
    return { listed: row(await response.json()).scopes_supported, challenge };
  };
  const usual = ['academy:read', 'academy:write', 'academy:access'];
  const off = await announced({});
  expect(off.listed).toEqual(usual);
  expect(off.challenge).toContain(`scope="${usual.join(' ')}"`);
  const on = await announced(mirror);
  expect(on.listed).toEqual([...usual, 'academy:data']);
  expect(on.challenge).toContain(`scope="${usual.join(' ')} academy:data"`);
});

test('under lockdown an export and its resource count as text of members', async () => {
  const { url } = await startHttp({ ...mirror, ACADEMY_LOCKDOWN: 'true', ACADEMY_HTTP_TOKENS: both.join() });
  const write = { lesson_id: 1001, title: 'New' };
  const isRefused = async ({ call }: Awaited<ReturnType<typeof openCaller>>) =>
    JSON.stringify((await call('update_lesson', write)).content).includes('confirmation_required');
  const first = await openCaller(url, both[0]);
  expect(await isRefused(first)).toBe(false);
  const { link } = await first.exported({ sql: 'SELECT name FROM students' });
  expect(await isRefused(first)).toBe(true);
  const later = await openCaller(url, both[0]);
  expect(await isRefused(later)).toBe(false);
  textIn(await later.read(link));
  expect(await isRefused(later)).toBe(true);
});

test('long exports of one caller do not hold up the export of another', async () => {
  const { url } = await startHttp({ ...mirror, ACADEMY_HTTP_TOKENS: both.join() });
  const [first, other] = await Promise.all(both.map((token) => openCaller(url, token)));
  const endless = 'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n';
  const answers: string[] = [];
  const ask = async (caller: typeof first, sql: string) => {
    answers.push(JSON.stringify(await caller?.call('export_data', { sql })));
  };
  const long = Array.from({ length: 4 }, () => ask(first, endless));
  // One runs and two wait.
  await Promise.race(long);
  await ask(other, 'SELECT 1 AS one');
  expect(answers).toEqual([
    expect.stringContaining('2 of your exports wait already'),
    expect.stringContaining('while others wait'),
    expect.stringContaining('Exported: 1 row'),
  ]);
});
