import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { JWTPayload } from 'jose';
import { atEnd } from '../../support/at-end.ts';
import { connect as connectTo } from '../../support/connect.ts';
import {
  callMessage,
  createCaller,
  initialize,
  jsonHeaders,
  modernCall,
  withBatches,
} from '../../support/http-server.ts';
import { startIdentityProvider } from '../../support/identity-provider.ts';
import { hundred, type PageAnswer, startPaging, student } from '../../support/paging-server.ts';
import { program } from '../../support/program.ts';
import type { Reply } from '../../support/recorder.ts';
import { type Attack, firstOf, over, overHttp, unless } from './attack.ts';

const maxConnections = 512;

/** Three of four callers attack: together they may have more requests in flight than there are connections. */
const tokens = ['first', 'second', 'third', 'fourth'].map((word) => `${word}-token-0123456789abcdef`);
const as = (place: number) => ({ authorization: `Bearer ${tokens[place]}` });

function headOf(port: number, fields: Record<string, string | number>): string {
  const lines = Object.entries({ Host: `127.0.0.1:${port}`, ...jsonHeaders, expect: '100-continue', ...fields });
  return `POST /mcp HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
}

async function openDeaf(port: number, beginning: string | Buffer): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  atEnd(() => socket.destroy());
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write(beginning);
  // The server has received the request, and waits for the rest.
  if (String(beginning).startsWith('POST /mcp')) await once(socket, 'data');
  return socket;
}

async function statusOf(url: string, headers: Record<string, string>): Promise<number | string> {
  const response = createCaller(url, 1).send(initialize, headers, AbortSignal.timeout(10_000));
  return await response.then(
    (answer) => answer.status,
    (error: Error) => error.message,
  );
}

const beginnings: readonly [
  words: string,
  beginning: (port: number, caller: Record<string, string>) => string | Buffer,
][] = [
  ['half of a method', () => 'PO'],
  ['a body with only one byte sent', (port, caller) => `${headOf(port, { ...caller, 'content-length': 100 })}{`],
  [
    'a body in chunks without an end',
    (port, caller) => `${headOf(port, { ...caller, 'transfer-encoding': 'chunked' })}5\r\n{"a":\r\n`,
  ],
  [
    'an Expect: 100-continue',
    (port, caller) => headOf(port, { ...caller, expect: '100-continue', 'content-length': 100 }),
  ],
  ['the greeting of TLS', () => Buffer.from([22, 3, 1, 2, 0, 1, 0, 1, 252, 3, 3])],
  ['the preface of HTTP/2', () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['a WebSocket upgrade', (port, caller) => headOf(port, { ...caller, connection: 'upgrade', upgrade: 'websocket' })],
  ['empty lines', () => '\r\n'.repeat(50)],
];

export const connectionAttacks: readonly Attack[] = beginnings.map(([words, beginning], index) => ({
  words: `${maxConnections} half-open connections that send ${words}`,
  isLong: index !== 1,
  attempt: async () => {
    const { url, port } = await overHttp({ ACADEMY_HTTP_TOKENS: tokens.join(',') });
    const deaf = Array.from({ length: maxConnections }, (_, place) => beginning(port, as(place % 3)));
    await Promise.all(deaf.map((each) => openDeaf(port, each)));
    // Several times: the first may arrive before the data of the others.
    const statuses: (number | string)[] = [];
    for (let times = 0; times < 5; times += 1) statuses.push(await statusOf(url, as(3)));
    return unless(
      statuses.every((status) => status === 200),
      `another client got ${statuses.join(', ')}`,
    );
  },
}));

const bulk = 'x'.repeat(17 * 1024);
const modern = modernCall('get_account', {});
const withMeta = <Message extends { params: object }>(message: Message, _meta: object) => ({
  ...message,
  params: { ...message.params, _meta },
});
const call = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'get_account', arguments: {} } };

const metas: readonly [words: string, body: unknown, headers?: Record<string, string>][] = [
  ['a progress token', withMeta(call, { progressToken: bulk })],
  ['one key', withMeta(call, { [bulk]: 1 })],
  ['characters of four bytes', withMeta(call, { a: '\u{1F469}'.repeat(4_200) })],
  [
    'the name of a client of 2026-07-28',
    withMeta(modern.message, { ...modern.message.params._meta, 'io.modelcontextprotocol/clientInfo': { name: bulk } }),
    modern.headers,
  ],
  ['a completion', withMeta({ ...call, method: 'completion/complete' }, { bulk })],
  ['a ping', { jsonrpc: '2.0', id: 3, method: 'ping', params: { _meta: { bulk } } }],
  [
    'a batch',
    [withMeta(call, { bulk }), withMeta({ ...call, id: 4 }, { bulk })],
    { 'mcp-protocol-version': withBatches },
  ],
];

/** One program for all attacks: each is one request. */
export const metaAttacks: readonly Attack[] = [
  {
    words: `17 KiB in _meta as ${metas.map(([words]) => words).join(', ')}`,
    attempt: async () => {
      const { url } = await overHttp();
      const caller = createCaller(url, 1);
      const session = await caller.open();
      const reasons: (string | undefined)[] = [];
      for (const [words, body, headers = session] of metas) {
        const { status, text } = await caller.send(body, { ...headers });
        reasons.push(unless(status >= 400 && text.length < 4_096, `${words}: ${status} ${text.slice(0, 200)}`));
      }
      return firstOf(reasons);
    },
  },
];

const origins: readonly [words: string, origin: (port: number) => string][] = [
  ['localhost', (port) => `http://localhost:${port}`],
  ['localhost in capitals', (port) => `http://LOCALHOST:${port}`],
  ['localhost with a dot', (port) => `http://localhost.:${port}`],
  ['the other loopback address', (port) => `http://[::1]:${port}`],
  ['the same address in IPv6 notation', (port) => `http://[::ffff:127.0.0.1]:${port}`],
  ['the same address shortened', (port) => `http://127.1:${port}`],
  ['the same address as a number', (port) => `http://2130706433:${port}`],
  ['any address', (port) => `http://0.0.0.0:${port}`],
  ['the address as a user name', (port) => `http://127.0.0.1:${port}@evil.example`],
  ['a name that begins with the address', (port) => `http://127.0.0.1.evil.example:${port}`],
  ['https', (port) => `https://127.0.0.1:${port}`],
  ['no port', () => 'http://127.0.0.1'],
  ['a trailing slash', (port) => `http://127.0.0.1:${port}/`],
  ['null', () => 'null'],
  ['two origins in one', (port) => `http://127.0.0.1:${port}, http://evil.example`],
  ['a port with a leading zero', (port) => `http://127.0.0.1:0${port}`],
];

export const originAttacks: readonly Attack[] = origins.map(([words, origin], index) => ({
  words: `an Origin with ${words}`,
  isLong: index > 0,
  attempt: async () => {
    const { url, port } = await overHttp();
    const caller = createCaller(url, 1);
    const own = await caller.send(initialize, { origin: `http://127.0.0.1:${port}` });
    const foreign = await caller.send(initialize, { origin: origin(port) });
    return unless(own.status === 200 && foreign.status === 403, `${foreign.status}, and its own ${own.status}`);
  },
}));

const audience = 'https://mcp.example.com/mcp';
const scope = 'academy:read academy:write academy:access';

async function startProtected() {
  const provider = await startIdentityProvider();
  const { url } = await overHttp({ ACADEMY_OAUTH_ISSUER: provider.issuer, ACADEMY_OAUTH_AUDIENCE: audience });
  const caller = createCaller(url, 1);
  const bearer = async (claims: JWTPayload) => ({
    authorization: `Bearer ${await provider.issue({ aud: audience, scope, ...claims })}`,
  });
  return { caller, bearer };
}

const victims: readonly JWTPayload[] = [{ sub: 'acme' }, { sub: '', client_id: 'acme' }, { sub: 'ann@example.com' }];

const impostors: readonly [words: string, claims: JWTPayload][] = [
  ['a client of that name', { sub: '', client_id: 'acme' }],
  ['a client named in azp', { sub: '', azp: 'acme' }],
  ['a subject with the prefix of a client', { sub: 'oauth:client:acme' }],
  ['a subject with the prefix of a subject', { sub: 'oauth:sub:acme' }],
  ['a subject in capitals', { sub: 'ACME' }],
  ['a subject with a trailing space', { sub: 'acme ' }],
  ['a subject with a letter that looks the same', { sub: '\u0430cme' }],
  ['a client named like the email', { sub: '', client_id: 'ann@example.com' }],
  ['a subject that is the email in capitals', { sub: 'ANN@example.com' }],
];

const callerKey = (claims: JWTPayload) => JSON.stringify([claims.sub, claims.client_id ?? claims.azp]);

export const callerAttacks: readonly Attack[] = impostors.map(([words, claims], index) => ({
  words: `${words} enters the session of another`,
  isLong: index > 0,
  attempt: async () => {
    const { caller, bearer } = await startProtected();
    const entered: string[] = [];
    for (const victim of victims.filter((each) => callerKey(each) !== callerKey(claims))) {
      const own = await bearer(victim);
      const { session } = await caller.send(initialize, own);
      const headers = { ...(await bearer(claims)), 'mcp-session-id': session };
      const { status } = await caller.send(callMessage(2, 'get_account'), headers);
      const good = await caller.send(callMessage(3, 'get_account'), { ...own, 'mcp-session-id': session });
      if (status !== 404 || good.status !== 200) entered.push(`${callerKey(victim)}: ${status}, ${good.status}`);
    }
    return unless(entered.length === 0, entered.join(' / '));
  },
}));

const folder = dirname(program);

async function sourcesOf(file: string): Promise<string[]> {
  const { sources }: { sources: string[] } = JSON.parse(await readFile(join(folder, file), 'utf8'));
  return sources;
}

async function bundled(): Promise<string[]> {
  const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.map'));
  const sources = (await Promise.all(files.map(sourcesOf))).flat().filter((path) => !path.includes('/.pnpm/'));
  const names = sources.flatMap((source) => source.match(/(?<=node_modules\/)(@[^/]+\/)?[^/.][^/]*/g) ?? []);
  return [...new Set(names)].filter((name) => !name.endsWith('/core-internal'));
}

const read = () => readFile(join(folder, 'THIRD-PARTY-LICENSES.txt'), 'utf8');
const headings = /^(\S+) \d+\.\d+\.\d+\S* \((.+)\)$/gm;

async function missing(): Promise<string | undefined> {
  const text = await read();
  const absent = (await bundled()).filter((name) => !text.includes(`\n${name} `));
  return unless(absent.length === 0, `no licence of ${absent.join(', ')}`);
}

async function empty(): Promise<string | undefined> {
  const parts = (await read()).split(headings);
  const short = parts.filter(
    (_part, index) => index % 3 === 0 && index > 0 && (parts[index]?.trim().length ?? 0) < 200,
  );
  return unless(parts.length > 90 && short.length === 0, `${parts.length} parts, short: ${short.join(' / ')}`);
}

async function unfree(): Promise<string | undefined> {
  const names = [...(await read()).matchAll(headings)].map(([, name, licence]) => `${name}: ${licence}`);
  const odd = names.filter((each) => !/: .*(MIT|ISC|BSD|Apache|0BSD|BlueOak|CC0|Unlicense|Python)/.test(each));
  return unless(names.length > 30 && odd.length === 0, `${names.length} licences; ${odd.join(', ')}`);
}

async function unshipped(): Promise<string | undefined> {
  const manifest: { files?: string[] } = JSON.parse(await readFile(join(folder, '..', 'package.json'), 'utf8'));
  const isShipped = manifest.files?.some((each) => /^dist(\/(THIRD-PARTY-LICENSES\.txt|\*\.txt)?)?$/.test(each));
  return unless(isShipped === true, `files: ${manifest.files?.join(', ')}`);
}

export const licenceAttacks: readonly Attack[] = [
  { words: 'a package of the bundle, also a nested one, that the licences do not name', attempt: missing },
  { words: 'a package that is listed without its licence text', attempt: empty },
  { words: 'a package with an unknown licence', attempt: unfree },
  { words: 'a published package of ours without the licences', attempt: unshipped },
];

const mebibyte = 2 ** 20;

const bodies: readonly [words: string, reply: () => string | Reply, isLong?: boolean][] = [
  ['200,001 records under an unknown key', () => `{"courses":[],"more":[${'{},'.repeat(200_000)}{}]}`],
  ['a list nested 100,000 levels deep', () => `{"courses":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
  ['3,000,001 numbers in one record', () => `{"courses":[{"id":1,"n":[${'1,'.repeat(3_000_000)}1]}]}`, true],
  ['300,000 keys that each hold a record', () => `{${Array.from({ length: 300_000 }, (_, n) => `"${n}":{}`).join()}}`],
  ['40 MiB of spaces after a valid answer', () => `{"courses":[]}${' '.repeat(40 * mebibyte)}`, true],
  [
    '64 MiB in 64 KiB of gzip',
    () => ({
      headers: { 'content-encoding': 'gzip' },
      body: gzipSync(`{"courses":["${'x'.repeat(64 * mebibyte)}"]}`),
    }),
    true,
  ],
  ['40 MiB in an error', () => ({ status: 422, body: { error: 'x'.repeat(40 * mebibyte) } }), true],
];

export const bodyAttacks: readonly Attack[] = bodies.map(([words, made, isLong = false]) => ({
  words: `the API answers with ${words}`,
  isLong,
  attempt: async () => {
    let isGood = false;
    const { call } = await over(() => {
      const reply = isGood ? { body: { courses: [{ id: 1 }] } } : made();
      return typeof reply === 'string' ? { body: reply } : reply;
    });
    const { code, text } = await call('list_courses', {});
    isGood = true;
    const next = await call('list_courses', {});
    return unless(code !== 'ok' && text.length < 4_096 && next.code === 'ok', `${code}, then ${next.code}: ${text}`);
  },
}));

const meta = (total_pages: unknown, current_page: unknown = 1) => ({ total_pages, current_page });

const lies: readonly [words: string, page: PageAnswer][] = [
  ['the first page repeatedly, of a billion', (_page, make) => ({ records: hundred(make), meta: meta(1e9) })],
  ['two pages in turn', (page, make) => ({ records: hundred(make, (page % 2) * 100), meta: meta(1e9, page) })],
  ['full pages without any total', (page, make) => ({ records: hundred(make, (page % 3) * 100) })],
  ['a number of pages as text', (_page, make) => ({ records: hundred(make), meta: meta('999999999') })],
  ['a negative number of pages', (page, make) => ({ records: hundred(make, (page % 2) * 100), meta: meta(-5, page) })],
  ['endless pages with one new record each', (page, make) => ({ records: [make(page)], meta: meta(1e9, page) })],
];

const readers: readonly [tool: string, args: Record<string, unknown>][] = [
  ['sales_report', { period: 'all_time', max_requests: 500 }],
  ['find_buyers', { product: '7', product_type: 'course', period: 'all_time', max_requests: 500 }],
  ['community_digest', { period: 'all_time', max_requests: 500 }],
  ['student_profile', { email: student }],
  ['revoke_course', { email: student, name: 'Ina', course_id: 7 }],
];

const maxRequestsAllowed = 2_010;

export const pageAttacks: readonly Attack[] = lies.flatMap(([words, page], lie) =>
  readers.map(([tool, args], reader) => ({
    words: `${tool} of an API that shows ${words}`,
    isLong: lie % readers.length !== reader,
    attempt: async () => {
      const { url, requests } = await startPaging(page);
      const { call } = await connectTo({
        ACADEMY_BASE_URL: url,
        ACADEMY_RATE_LIMIT: 'off',
        ACADEMY_PREFLIGHT: 'false',
      });
      const { text, code } = await call(tool, args);
      const isTold = /incomplete|could not|not all|stopped|brought no new|more than|split the call/i.test(text);
      return unless(requests.length <= maxRequestsAllowed && isTold, `${requests.length} requests, ${code}: ${text}`);
    },
  })),
);
