import { createHash } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { createServer } from 'node:http';
import { connect as connectSocket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { linesOf } from '../support/audit-lines.ts';
import { callMessage, initialize, jsonHeaders, openSession, post, startHttp } from '../support/http-server.ts';
import { start } from '../support/program.ts';
import { type RawAnswer, rawRequest } from '../support/raw-request.ts';
import { temporaryFile } from '../support/sandbox.ts';
import { isMutated, readSource } from '../support/source.ts';

const paths = ['/mcp', '/healthz', '/readyz', '/metrics', '/nowhere'];
const json = Object.entries(jsonHeaders);

/** A refusal before the request is read: a JSON-RPC error without an id. */
function expectRefused(answer: RawAnswer, statuses: readonly number[], what: string): void {
  expect(statuses, what).toContain(answer.status);
  expect(answer.headers['content-type'], what).toBe('application/json');
  expect(JSON.parse(answer.text), what).toEqual({
    jsonrpc: '2.0',
    error: { code: expect.any(Number), message: expect.any(String) },
  });
}

test('S1: a foreign Origin is refused on every route and method; a listed Origin and no Origin pass', async () => {
  const { origin, url } = await startHttp({ ACADEMY_HTTP_ALLOWED_ORIGINS: 'https://app.example.com' });
  const host = ['host', new URL(url).host] as const;
  const foreign = ['https://evil.example', 'null', 'http://localhost.evil.example', 'http://evil@localhost'];
  for (const path of paths) {
    for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS']) {
      for (const each of foreign) {
        const headers = [host, ['origin', each] as const, ...json];
        const answer = await rawRequest(
          origin + path,
          method,
          headers,
          method === 'POST' ? JSON.stringify(initialize) : undefined,
        );
        expectRefused(answer, [403], `${method} ${path} from ${each}`);
        expect(answer.headers['access-control-allow-origin']).toBeUndefined();
        expect(answer.headers['mcp-session-id']).toBeUndefined();
      }
    }
  }
  expect((await post(url, initialize)).status).toBe(200);
  const listed = await post(url, initialize, { origin: 'https://app.example.com' });
  expect(listed.status).toBe(200);
  expect(listed.headers.get('access-control-allow-origin')).toBe('https://app.example.com');
  const preflight = await rawRequest(url, 'OPTIONS', [host, ['origin', 'https://app.example.com']]);
  expect(preflight.status).toBe(204);
});

test('S1: on loopback only the origin of the exact address and port passes', async () => {
  const { url, port } = await startHttp();
  const statusFrom = async (origin: string) => (await post(url, initialize, { origin })).status;
  expect(await statusFrom(`http://127.0.0.1:${port}`)).toBe(200);
  const hosts = ['localhost', 'LOCALHOST', 'localhost.', '[::1]', '[::ffff:127.0.0.1]', '127.0.0.2', '127.1'];
  const others = [
    ...[...hosts, '2130706433', '0.0.0.0', '127.0.0.1.evil.example'].map((host) => `http://${host}:${port}`),
    ...['http://127.0.0.1', `http://127.0.0.1:${port + 1}`, `http://127.0.0.1:0${port}`, `http://127.0.0.1:${port}/`],
    ...[`http://127.0.0.1:${port}@evil.example`, `http://127.0.0.1:${port}, http://evil.example`, 'null'],
    ...['127.0.0.1', 'localhost'].map((host) => `https://${host}:${port}`),
  ];
  for (const other of others) expect(await statusFrom(other), other).toBe(403);
});

/** The headers that a browser sends for a page of another program. */
const pageAt = (name: string, port: number) => ({ origin: `http://${name}:${port}` });

test('S1: a program that serves localhost on another loopback address is refused', async () => {
  const { url, port } = await startHttp();
  const other = createServer((_request, response) => response.end('the other program'));
  await new Promise<void>((resolve) => other.listen(port, '::1', resolve));
  onTestFinished(() => void other.close());
  expect(await (await fetch(`http://[::1]:${port}/`)).text()).toBe('the other program');
  expect((await post(url, initialize, pageAt('localhost', port))).status).toBe(403);
});

test('S1: a server that listens on a name accepts the origin of its address', async () => {
  const { port } = await startHttp({}, { host: 'localhost' });
  const url = `http://localhost:${port}/mcp`;
  const { address, family } = await lookup('localhost');
  const own = family === 6 ? `[${address}]` : address;
  expect((await post(url, initialize, pageAt(own, port))).status).toBe(200);
  expect((await post(url, initialize, pageAt('localhost', port))).status).toBe(403);
});

test('S1: a server that other machines can reach accepts no origin by default', async () => {
  const settings = { ACADEMY_HTTP_TOKENS: first, ACADEMY_HTTP_ALLOWED_HOSTS: 'mcp.example.com' };
  const { port } = await startHttp(settings, { host: '0.0.0.0' });
  const host = ['host', 'mcp.example.com'] as const;
  const statusFrom = async (...origin: [] | [readonly [string, string]]) =>
    (await rawRequest(`http://127.0.0.1:${port}/healthz`, 'GET', [host, ...origin])).status;
  expect(await statusFrom()).toBe(200);
  for (const name of ['localhost', '127.0.0.1', '0.0.0.0']) {
    expect(await statusFrom(['origin', `http://${name}:${port}`]), name).toBe(403);
  }
});

test('S2: a server on another loopback address accepts that address as Host', async () => {
  const { origin, url } = await startHttp({}, { host: '127.0.0.2' });
  expect(url).toContain('127.0.0.2');
  expect((await fetch(`${origin}/healthz`)).status).toBe(200);
  expect((await post(url, initialize, { origin })).status).toBe(200);
});

test('S2: any Host that is not allowed exactly is refused on every route', async () => {
  const { origin, port } = await startHttp();
  const foreign = [
    'evil.com',
    `evil.com:${port}`,
    `evil.com@localhost:${port}`,
    `localhost#.evil.com`,
    `localhost/evil.com`,
    `127.1:${port}`,
    `2130706433:${port}`,
    `localhost.:${port}`,
    `LOCALHOST:${port}`,
    'localhost',
    '127.0.0.1',
    `127.0.0.1:${port + 1}`,
    '',
  ];
  for (const path of paths) {
    // A probe of /healthz may name any Host; no other request to it may.
    const method = path === '/healthz' ? 'POST' : 'GET';
    for (const each of foreign) {
      expectRefused(await rawRequest(origin + path, method, [['host', each]]), [400, 403], `${path} at "${each}"`);
    }
    const twice = await rawRequest(origin + path, 'GET', [
      ['host', `localhost:${port}`],
      ['host', 'evil.com'],
    ]);
    expectRefused(twice, [400], `${path} at two hosts`);
  }
  for (const ours of [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`]) {
    expect((await rawRequest(`${origin}/healthz`, 'GET', [['host', ours]])).status).toBe(200);
  }
});

test('S2: a probe of /healthz names any Host, and gets the same answer as everybody', async () => {
  const { origin, port } = await startHttp({ ACADEMY_HTTP_ALLOWED_HOSTS: 'mcp.example.com' });
  for (const host of ['mcp.example.com', `10.42.0.7:${port}`, 'localhost', 'evil.com', `[::1]:${port}`]) {
    const { status, text } = await rawRequest(`${origin}/healthz`, 'GET', [['host', host]]);
    expect({ status, text }, host).toEqual({ status: 200, text: '{"status":"ok"}' });
    expect((await rawRequest(`${origin}/healthz`, 'HEAD', [['host', host]])).status, host).toBe(200);
  }
  // A browser that follows a name to this server (DNS rebinding) gets no further with it.
  const rebound = [
    ['host', 'evil.com'],
    ['origin', 'http://evil.com'],
  ] as const;
  const others = ['/mcp', '/readyz', '/metrics', '/mcp/server-card', '/healthz/', '/healthz/../mcp', '//healthz'];
  for (const path of others) {
    expectRefused(await rawRequest(origin + path, 'GET', [['host', 'evil.com']]), [403], path);
    expectRefused(await rawRequest(origin + path, 'OPTIONS', rebound), [403], path);
  }
  for (const method of ['GET', 'HEAD', 'POST', 'OPTIONS']) {
    expect((await rawRequest(`${origin}/healthz`, method, rebound)).status, method).toBe(403);
  }
});

test('S2: requests that Node would answer itself are checked first and answered in JSON', async () => {
  const { origin, port } = await startHttp();
  const host = ['host', `localhost:${port}`] as const;
  for (const path of paths) {
    expectRefused(await rawRequest(origin + path, 'GET', []), [400], `${path} without Host`);
    expectRefused(await rawRequest(origin + path, 'GET', [host, ['expect', 'x']]), [417], `${path} with Expect`);
    const foreign = [
      ['host', 'evil.com'],
      ['expect', 'x'],
    ] as const;
    const isProbed = path === '/healthz';
    expectRefused(await rawRequest(origin + path, 'GET', foreign), [isProbed ? 417 : 403], `${path} with both`);
  }
});

test('S2: ACADEMY_HTTP_ALLOWED_HOSTS replaces the default hosts', async () => {
  const { origin, port } = await startHttp({ ACADEMY_HTTP_ALLOWED_HOSTS: 'mcp.example.com' });
  const statusAt = async (host: string) => (await rawRequest(`${origin}/readyz`, 'GET', [['host', host]])).status;
  expect(await statusAt('mcp.example.com')).toBe(200);
  expect(await statusAt(`localhost:${port}`)).toBe(403);
});

test('S3: the server listens only on this machine, and refuses another address without authentication at start', async () => {
  const settings = { ACADEMY_BASE_URL: 'http://127.0.0.1:9', ACADEMY_API_KEY: 'k' };
  for (const host of ['0.0.0.0', '::', '192.0.2.1', 'mcp.example.com']) {
    const { code, stdout, stderr } = await start(['http', '--host', host, '--port', '0'], settings).ended;
    expect({ code, stdout }, host).toEqual({ code: 1, stdout: '' });
    expect(stderr.trim().split('\n'), host).toHaveLength(1);
    expect(stderr, host).toContain('ACADEMY_HTTP_TOKENS');
  }
  const { written, child } = start(['http', '--port', '0'], settings);
  await expect.poll(() => written.stdout).toMatch(/http:\/\/127\.0\.0\.1:\d+\/mcp/);
  const port = Number(/:(\d+)\/mcp/.exec(written.stdout)?.[1]);
  // 127.0.0.2 is loopback too, but the server does not listen on it.
  const reached = await new Promise((resolve) => {
    const socket = connectSocket(port, '127.0.0.2', () => resolve('reached'));
    socket.once('error', () => resolve('refused'));
  });
  expect(reached).toBe('refused');
  child.kill('SIGTERM');
});

test('S3: listening on every address requires allowed hosts', async () => {
  const settings = { ACADEMY_BASE_URL: 'http://127.0.0.1:9', ACADEMY_API_KEY: 'k' };
  const open = { ...settings, ACADEMY_HTTP_TOKENS: 'a'.repeat(24) };
  const { code, stderr } = await start(['http', '--host', '0.0.0.0', '--port', '0'], open).ended;
  expect(code).toBe(1);
  expect(stderr).toContain('ACADEMY_HTTP_ALLOWED_HOSTS');
});

const first = 'first-token-0123456789abcdef';
const second = 'second-token-0123456789abcdef';

test('S4: only a complete token in the Authorization header is accepted, and any of several is', async () => {
  const { url } = await startHttp({ ACADEMY_HTTP_TOKENS: `${first},${second}` });
  const wrong: (string | undefined)[] = [
    undefined,
    '',
    'Bearer',
    'Bearer ',
    `Basic ${first}`,
    first,
    `Bearer ${first.slice(0, -1)}`,
    `Bearer ${first}x`,
    `Bearer ${first.toUpperCase()}`,
    `Bearer ${first},${second}`,
    `Bearer ${first} ${second}`,
    `Bearer ${'x'.repeat(5000)}`,
  ];
  for (const authorization of wrong) {
    const {
      status,
      headers,
      json: body,
    } = await post(url, initialize, authorization === undefined ? {} : { authorization });
    expect(status, authorization).toBe(401);
    expect(headers.get('www-authenticate'), authorization).toMatch(/^Bearer realm="academy-mcp"/);
    expect(JSON.stringify(body), authorization).not.toContain('token-0123');
  }
  expect((await post(`${url}?access_token=${first}`, initialize)).status).toBe(401);
  for (const token of [first, second]) {
    expect((await post(url, initialize, { authorization: `Bearer ${token}` })).status).toBe(200);
    expect((await post(url, initialize, { authorization: `bearer ${token}` })).status).toBe(200);
  }
});

test.skipIf(isMutated)('S4: tokens are compared in constant time', async () => {
  // A measurement could not distinguish it from noise.
  const tokens = await readSource('src/server/http/auth/authentication.ts');
  expect(tokens).toContain('known.filter(({ sum }) => timingSafeEqual(sum, digest))');
  const metrics = await readSource('src/server/http/serve.ts');
  expect(metrics).toContain('!timingSafeEqual(sha256(authorization), expected)');
});

test('S4: a token can name its caller for the audit log and the metrics, and a keyed hash names one without a name', async () => {
  const file = await temporaryFile('audit.jsonl');
  const nameless = 'c'.repeat(32);
  const tokens = `anna=${first},anna=${second}==,${nameless}`;
  const metrics = 'metrics-token-0123456789abcdef';
  const settings = { ACADEMY_HTTP_TOKENS: tokens, ACADEMY_AUDIT_LOG: file, ACADEMY_METRICS_TOKEN: metrics };
  const { url, log, origin } = await startHttp(settings);
  for (const token of [first, `${second}==`, nameless]) {
    const headers = await openSession(url, { authorization: `Bearer ${token}` });
    await post(url, callMessage(2, 'create_channel', { name: `Of ${token.length}` }), headers);
  }
  const callers = (await linesOf(file)).flatMap(({ caller }) => (caller === undefined ? [] : [caller]));
  expect(callers).toEqual(['token:anna', 'token:anna', expect.stringMatching(/^token:[0-9a-f]{32}$/)]);
  expect(callers.at(-1)).not.toContain(createHash('sha256').update(nameless).digest('hex').slice(0, 8));
  const counted = await (await fetch(`${origin}/metrics`, { headers: { authorization: `Bearer ${metrics}` } })).text();
  expect(counted).toMatch(/tool_calls_total\{tool="create_channel",code="ok",caller="anna"\} 2/);
  expect(counted).toMatch(/tool_calls_total\{tool="create_channel",code="ok",caller="other"\} 1/);
  for (const text of [log.join(''), counted, callers.join()])
    for (const token of [first, nameless]) expect(text).not.toContain(token);
  expect((await post(url, callMessage(2, 'get_account'), { authorization: `Bearer anna=${first}` })).status).toBe(401);
});
