import { once } from 'node:events';
import { connect as connectSocket, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { initialize, jsonHeaders, post, startHttp } from '../support/http-server.ts';
import { startHttpProgram } from '../support/program.ts';
import { rawRequest } from '../support/raw-request.ts';

/** Sends an incomplete request and reads the answer of the server. */
async function answerTo(beginning: string, port: number): Promise<string> {
  const socket = connectSocket(port, '127.0.0.1');
  socket.write(beginning);
  let text = '';
  for await (const chunk of socket) text += chunk;
  return text;
}

test('S19: an incomplete request is ended, sooner in its headers than in its body', {
  timeout: 60_000,
}, async () => {
  // A tenth of the real limits of 10 s and 30 s.
  const { url, port } = await startHttp({}, { pace: 0.1 });
  const head = `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n`;
  const rest = 'Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{';
  const answers: string[] = [];
  const slowBody = answerTo(head + rest, port).then((answer) => answers.push(answer));
  answers.push(await answerTo(`${head}X-Slow: `, port));
  expect(answers).toHaveLength(1);
  await slowBody;
  for (const answer of answers) {
    expect(answer).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\ncontent-type: application\/json/);
    expect(answer).toContain('\r\ncache-control: no-store\r\n');
  }
  expect((await post(url, initialize)).status).toBe(200);
});

test('S19: above 512 connections the longest idle ones are closed', async () => {
  const { port } = await startHttp();
  let closed = 0;
  const sockets = Array.from({ length: 520 }, () => connectSocket(port, '127.0.0.1'));
  for (const socket of sockets) socket.on('error', () => {}).once('close', () => (closed += 1));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  await expect.poll(() => closed, { timeout: 5_000 }).toBe(8);
});

const maxConnections = 512;

/** Opens connections of a client that neither reads nor closes its side. */
async function openDeaf(port: number, count: number, beginning: string | Buffer = ''): Promise<Socket[]> {
  const sockets = Array.from({ length: count }, () => connectSocket({ port, host: '127.0.0.1', allowHalfOpen: true }));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  await Promise.all(
    sockets.map((socket) =>
      once(
        socket.on('error', () => {}),
        'connect',
      ),
    ),
  );
  for (const socket of sockets) socket.write(beginning);
  return sockets;
}

/** How many sockets and the like this process has open, by the server's own count. */
async function handlesOf(origin: string): Promise<number> {
  const text = await (await fetch(`${origin}/metrics`)).text();
  return Number(/^nodejs_active_handles_total (\d+)$/m.exec(text)?.[1]);
}

/** Starts the built program and counts its open sockets and other handles. */
async function startCounted() {
  const { url, metrics } = await startHttpProgram({
    environment: { ACADEMY_BASE_URL: 'http://127.0.0.1:9', ACADEMY_API_KEY: 'k' },
  });
  const handles = async () => (await metrics()).get('nodejs_active_handles_total') ?? Number.NaN;
  return { url, port: Number(new URL(url).port), handles };
}

const beginnings: readonly (readonly [words: string, beginning: string | Buffer])[] = [
  ['nothing', ''],
  ['half of a method', 'PO'],
  ['half of its headers', 'GET /mcp HTTP/1.1\r\nX-Slow: '],
  ['the greeting of TLS', Buffer.from([22, 3, 1, 2, 0, 1, 0, 1, 252, 3, 3])],
  ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['empty lines', '\r\n'.repeat(50)],
];

test.for(beginnings)(
  'S20: a client that sends %s on a connection for every slot keeps nobody else out',
  async ([, beginning]) => {
    const { url, port } = await startHttp();
    await openDeaf(port, maxConnections, beginning);
    expect((await post(url, initialize)).status).toBe(200);
  },
);

/** Incomplete requests: their last header, and the beginning of their body. */
const incomplete: readonly (readonly [words: string, header: string, body?: string])[] = [
  ['no body', 'content-length: 100'],
  ['one byte of a body', 'content-length: 100', '{'],
  ['a body in chunks without an end', 'transfer-encoding: chunked', '5\r\n{"a":\r\n'],
  ['a WebSocket upgrade', 'connection: upgrade\r\nupgrade: websocket\r\ncontent-length: 100'],
];

test.for(incomplete)('S20: callers that send %s on every connection keep nobody else out', async ([, header, body]) => {
  const tokens = ['first', 'second', 'third', 'fourth'].map((word) => `${word}-token-0123456789abcdef`);
  const { url, port } = await startHttp({ ACADEMY_HTTP_TOKENS: tokens.join(','), ACADEMY_HTTP_RATE_LIMIT: 'off' });
  for (const token of tokens.slice(0, 3)) {
    const more = `${header}\r\nauthorization: Bearer ${token}\r\nexpect: 100-continue`;
    const head = headOf(`127.0.0.1:${port}`, 100).replace('content-length: 100', more);
    const sockets = await openDeaf(port, Math.floor(maxConnections / 3), `${head}${body ?? ''}`);
    // "100 Continue": the server has the headers and waits for the body.
    await Promise.all(sockets.map((socket) => once(socket, 'data')));
  }
  const headers = Object.entries({ host: `127.0.0.1:${port}`, ...jsonHeaders, authorization: `Bearer ${tokens[3]}` });
  expect((await rawRequest(url, 'POST', headers, JSON.stringify(initialize))).status).toBe(200);
});

test('S20: connections that stay half open after their 408 are closed', { timeout: 60_000 }, async () => {
  // A tenth of the ten seconds that headers have. Both ends of each connection are in this process.
  const { url, port, origin } = await startHttp({}, { pace: 0.1 });
  const handles = () => handlesOf(origin);
  const before = await handles();
  const sockets = await openDeaf(port, 500);
  expect(await handles()).toBeGreaterThan(before + 500);
  const answers = sockets.map(async (socket) => String((await once(socket, 'data'))[0]));
  for (const answer of await Promise.all(answers)) expect(answer).toContain('408 Request Timeout');
  // Only the ends of the clients are left.
  await expect.poll(handles, { timeout: 5_000 }).toBeLessThan(before + 520);
  expect((await post(url, initialize)).status).toBe(200);
});

const refusals: readonly (readonly [status: string, beginning: (host: string) => string])[] = [
  ['400', () => 'no HTTP at all\r\n\r\n'],
  ['431', (host) => `GET /mcp HTTP/1.1\r\nHost: ${host}\r\nX-Long: ${'x'.repeat(20_000)}`],
  ['413', (host) => `${headOf(host, 2 ** 21)}{`],
];

function headOf(host: string, length: number): string {
  const fields = Object.entries({ host, ...jsonHeaders, 'content-length': length });
  return `POST /mcp HTTP/1.1\r\n${fields.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
}

test.for(refusals)('S20: connections that stay half open after their %s are closed', async ([, beginning]) => {
  const { port, handles } = await startCounted();
  const before = await handles();
  await openDeaf(port, 100, beginning(`127.0.0.1:${port}`));
  // The server waits up to two seconds for the rest of a too large body before it answers.
  await expect.poll(handles, { timeout: 6_000 }).toBeLessThan(before + 20);
});

test('S20: a client that does not read its answers keeps neither its connection nor its slots', {
  timeout: 90_000,
}, async () => {
  const settings = { ACADEMY_HTTP_RATE_LIMIT: 'off', ACADEMY_HTTP_MAX_IN_FLIGHT: '2', LOG_LEVEL: 'warn' };
  const { url, port } = await startHttp(settings, { stateless: true, pace: 0.1 });
  const list = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
  const [deaf] = await openDeaf(port, 1);
  const ping = async () => (await post(url, { jsonrpc: '2.0', id: 1, method: 'ping' })).status;
  let status = await ping();
  // Enough to fill the buffers of both sockets.
  for (let asked = 0; asked < 1_000 && status === 200; asked += 1) {
    deaf?.write(`${headOf(`127.0.0.1:${port}`, list.length)}${list}`);
    status = await ping();
  }
  expect(status).toBe(429);
  await expect.poll(ping, { timeout: 60_000, interval: 500 }).toBe(200);
});
