import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createHttp } from '../../../src/api/http/http.ts';

/** A server of plain sockets, which can do things that no HTTP server does. */
async function listen(
  onSocket: (socket: Socket, number: number) => void,
): Promise<{ url: URL; server: Server; sockets: () => number }> {
  const open = new Set<Socket>();
  let count = 0;
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('error', () => {});
    onSocket(socket, ++count);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  return { url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`), server, sockets: () => count };
}

function client(timeoutMs = 300) {
  const http = createHttp({ authorization: 'Bearer k', userAgent: 'test', timeoutMs });
  onTestFinished(() => http.close());
  return http;
}

const get = (url: URL) => ({ method: 'GET', url, body: undefined });
const post = (url: URL) => ({ method: 'POST', url, body: '{"a":1}' });

function answer(socket: Socket, body: string, head = ''): void {
  socket.write(
    `HTTP/1.1 200 OK\r\nX-Request-Id: r1\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${head}\r\n${body}`,
  );
}

test('a request to a closed port was not sent', async () => {
  const { url, server } = await listen(() => {});
  await new Promise((resolve) => server.close(resolve));
  expect(await client().send(post(url), { write: true })).toMatchObject({
    kind: 'not_sent',
    reason: 'ECONNREFUSED',
    permanent: false,
  });
});

test('a request to a host that does not exist was not sent, and is not retried', async () => {
  const outcome = await client(5_000).send(post(new URL('http://no-such-host.invalid/')), { write: true });
  expect(outcome).toMatchObject({ kind: 'not_sent' });
});

test('a connection that breaks after the request was read proves nothing', async () => {
  for (const end of ['destroy', 'end', 'resetAndDestroy'] as const) {
    const { url } = await listen((socket) => socket.once('data', () => socket[end]()));
    expect(await client().send(post(url), { write: true }), end).toMatchObject({ kind: 'no_answer', timedOut: false });
  }
});

test('a late answer counts as no answer', async () => {
  const { url } = await listen(() => {});
  expect(await client().send(post(url), { write: true })).toMatchObject({ kind: 'no_answer', timedOut: true });
});

test('an answer that is still arriving at the timeout is cut off', async () => {
  const { url } = await listen((socket) =>
    socket.once('data', () => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n');
      const drip = setInterval(() => socket.write('x'), 50);
      socket.on('close', () => clearInterval(drip));
    }),
  );
  expect(await client().send(get(url), { write: false })).toMatchObject({ body: 'lost', status: 200 });
});

test('an answer with a cut body has its status, and its body counts as lost', async () => {
  const { url } = await listen((socket) =>
    socket.once('data', () => {
      socket.write('HTTP/1.1 201 Created\r\nContent-Length: 100\r\n\r\n{"a"');
      setTimeout(() => socket.destroy(), 20);
    }),
  );
  expect(await client().send(post(url), { write: true })).toMatchObject({ body: 'lost', status: 201 });
});

test('garbage instead of HTTP counts as no answer', async () => {
  const { url } = await listen((socket) => socket.once('data', () => socket.end('hello\r\n\r\n')));
  expect(await client().send(get(url), { write: false })).toMatchObject({ kind: 'no_answer' });
});

test('a body is JSON, empty, or not JSON', async () => {
  for (const [body, read] of [
    ['{"a":[1]}', { body: 'json', json: { a: [1] } }],
    ['', { body: 'empty' }],
    ['  \n', { body: 'empty' }],
    ['<html>', { body: 'text', text: '<html>' }],
  ] as const) {
    const { url } = await listen((socket) => socket.on('data', () => answer(socket, body)));
    const outcome = await client().send(get(url), { write: false });
    const headers = { 'x-request-id': 'r1', 'content-length': String(body.length) };
    expect(outcome).toEqual({ kind: 'answered', status: 200, headers, ...read });
  }
});

test('reads share a connection, and each write has its own', async () => {
  const { url, sockets } = await listen((socket) => socket.on('data', () => answer(socket, '{}')));
  const http = client();
  for (let count = 0; count < 20; count += 1) await http.send(get(url), { write: false });
  const forReads = sockets();
  expect(forReads).toBeLessThan(5);
  for (let count = 0; count < 5; count += 1) await http.send(post(url), { write: true });
  expect(sockets()).toBe(forReads + 5);
});

test('an abort ends a read at once', async () => {
  const { url } = await listen(() => {});
  const abort = new AbortController();
  const sending = client(10_000).send(get(url), { write: false, signal: abort.signal });
  setTimeout(() => abort.abort(), 30);
  expect(await sending).toMatchObject({ kind: 'no_answer', timedOut: false });
});
