import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { initialize, jsonHeaders, modernCall, withBatches } from '../../support/http-server.ts';
import { createCaller } from '../http/caller.ts';
import { type Attack, firstOf, type Ground, unless } from './attack.ts';

const maxConnections = 512;

/** Three of four callers attack: together they may have more requests in flight than there are connections. */
const tokens = ['first', 'second', 'third', 'fourth'].map((word) => `${word}-token-0123456789abcdef`);
const as = (place: number) => ({ authorization: `Bearer ${tokens[place]}` });

function headOf(port: number, fields: Record<string, string | number>): string {
  const lines = Object.entries({ Host: `127.0.0.1:${port}`, ...jsonHeaders, expect: '100-continue', ...fields });
  return `POST /mcp HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
}

/** A client that opens a connection, sends this, and neither reads nor closes. */
async function openDeaf(port: number, beginning: string | Buffer, ground: Ground): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  ground.keep(() => socket.destroy());
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write(beginning);
  // The server has received the request, and waits for the rest.
  if (String(beginning).startsWith('POST /mcp')) await once(socket, 'data');
  return socket;
}

/** The answer to a client on a new connection. */
async function statusOf(url: string, headers: Record<string, string>): Promise<number | string> {
  const caller = createCaller(url, 1);
  const response = caller.send(initialize, headers, AbortSignal.timeout(10_000));
  const status = response.then(
    (answer) => answer.status,
    (error: Error) => error.message,
  );
  return await status.finally(caller.close);
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
  point: 2,
  words: `${maxConnections} half-open connections that send ${words}`,
  isLong: index !== 1,
  attempt: async (ground) => {
    const { url, port } = await ground.http({ ACADEMY_HTTP_TOKENS: tokens.join(',') });
    const deaf = Array.from({ length: maxConnections }, (_, place) => beginning(port, as(place % 3)));
    await Promise.all(deaf.map((each) => openDeaf(port, each, ground)));
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
    point: 3,
    words: `17 KiB in _meta as ${metas.map(([words]) => words).join(', ')}`,
    attempt: async (ground) => {
      const { url } = await ground.http();
      const caller = createCaller(url, 1);
      ground.keep(caller.close);
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
  point: 16,
  words: `an Origin with ${words}`,
  isLong: index > 0,
  attempt: async (ground) => {
    const { url, port } = await ground.http();
    const caller = createCaller(url, 1);
    ground.keep(caller.close);
    const own = await caller.send(initialize, { origin: `http://127.0.0.1:${port}` });
    const foreign = await caller.send(initialize, { origin: origin(port) });
    return unless(own.status === 200 && foreign.status === 403, `${foreign.status}, and its own ${own.status}`);
  },
}));
