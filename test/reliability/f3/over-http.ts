import { connect } from 'node:net';
import { createCaller } from '../http/caller.ts';
import { type HttpProgram, startHttpProgram } from '../http-program.ts';
import type { Malformed } from './malformed.ts';

export interface OverHttp {
  tried: number;
  failures: string[];
}

const head = (...lines: string[]) => `${['POST /mcp HTTP/1.1', ...lines].join('\r\n')}\r\n`;
const usual = ['Content-Type: application/json', 'Accept: application/json, text/event-stream'];

/** Input that no HTTP client would send; `HOST` is replaced by the correct one. */
const bareBytes: readonly (readonly [name: string, bytes: string])[] = [
  ['nothing', ''],
  ['garbage', '\x00\x01\x02\xff\r\n\r\n'],
  ['a line of a message', '{"jsonrpc":"2.0","id":1,"method":"ping"}\n'],
  ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
  ['HTTP/0.9', 'GET /mcp\r\n'],
  ['HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['an unknown method', 'BREW /mcp HTTP/1.1\r\nHost: HOST\r\n\r\n'],
  ['a target that is no path', 'GET http://evil.example/mcp HTTP/1.1\r\nHost: HOST\r\n\r\n'],
  ['the target *', 'OPTIONS * HTTP/1.1\r\nHost: HOST\r\n\r\n'],
  ['no Host', 'GET /healthz HTTP/1.1\r\n\r\n'],
  ['two Hosts', 'GET /healthz HTTP/1.1\r\nHost: HOST\r\nHost: evil\r\n\r\n'],
  ['a path of dots', 'GET /../../etc/passwd HTTP/1.1\r\nHost: HOST\r\n\r\n'],
  ['an encoded path of dots', 'GET /%2e%2e/%2e%2e/etc/passwd HTTP/1.1\r\nHost: HOST\r\n\r\n'],
  ['a very long path', `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: HOST\r\n\r\n`],
  ['very long headers', `GET /healthz HTTP/1.1\r\nHost: HOST\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`],
  ['a thousand headers', `GET /healthz HTTP/1.1\r\nHost: HOST\r\n${'X: y\r\n'.repeat(3_000)}\r\n`],
  ['a header without a name', 'GET /healthz HTTP/1.1\r\nHost: HOST\r\n: y\r\n\r\n'],
  ['a header with NUL', 'GET /healthz HTTP/1.1\r\nHost: HOST\r\nX: a\x00b\r\n\r\n'],
  ['a length that is no number', `${head('Host: HOST', ...usual, 'Content-Length: x')}\r\n{}`],
  ['a length below 0', `${head('Host: HOST', ...usual, 'Content-Length: -1')}\r\n{}`],
  ['two lengths', `${head('Host: HOST', ...usual, 'Content-Length: 2', 'Content-Length: 3')}\r\n{}`],
  [
    'a length and chunks',
    `${head('Host: HOST', ...usual, 'Content-Length: 2', 'Transfer-Encoding: chunked')}\r\n2\r\n{}\r\n0\r\n\r\n`,
  ],
  ['a broken chunk', `${head('Host: HOST', ...usual, 'Transfer-Encoding: chunked')}\r\nzz\r\n{}`],
  ['half a body', `${head('Host: HOST', ...usual, 'Content-Length: 200')}\r\n{"jsonrpc"`],
  ['half a head', 'POST /mcp HTTP/1.1\r\nHost: HOST\r\nContent-'],
  ['a body that is too long, as it says', `${head('Host: HOST', ...usual, 'Content-Length: 999999999')}\r\n{}`],
  ['a request to upgrade', 'GET /mcp HTTP/1.1\r\nHost: HOST\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'],
  ['CONNECT', 'CONNECT evil.example:443 HTTP/1.1\r\nHost: HOST\r\n\r\n'],
  ['an expectation', `${head('Host: HOST', ...usual, 'Content-Length: 2', 'Expect: 200-ok')}\r\n{}`],
  ['a hundred pings in one piece', `${head('Host: HOST', ...usual, 'Content-Length: 2')}\r\n{}`.repeat(100)],
];

/** Milliseconds after which a program without an answer counts as deaf. */
const patience = 5_000;
/** Milliseconds after which our side closes the connection. */
const shortWait = 300;

function exchange(port: number, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(Buffer.from(bytes, 'latin1')));
    const done = () => {
      socket.destroy();
      resolve(text);
    };
    socket.on('data', (chunk) => (text += chunk.toString('latin1')));
    socket.once('error', done);
    socket.once('close', done);
    setTimeout(done, shortWait);
  });
}

const leak = /node_modules|\\n\s+at |<html|\.[jt]s:\d+:\d/i;

/** Checks that the answer is a refusal or a plain answer of ours: JSON, events or nothing, without a stack. */
function wrongAnswer(text: string): string[] {
  if (leak.test(text)) return [`it tells too much: ${text.slice(0, 300)}`];
  return text === '' || /^HTTP\/1\.1 \d{3} /.test(text) ? [] : [`not HTTP: ${text.slice(0, 100)}`];
}

/** Makes a valid call after each input: in the same session, or without one. */
function createProbe(program: HttpProgram, stateless: boolean) {
  const caller = createCaller(program.url, 2);
  let session: Record<string, string> = {};
  let id = 0;
  return {
    open: async () => {
      if (!stateless) session = await caller.open();
    },
    async check(): Promise<string[]> {
      if (!program.isAlive()) return [`the program ended: ${program.lastWords().slice(-300)}`];
      id += 1;
      const { message, text } = await caller.call(`good ${id}` as unknown as number, 'list_roles', {}, session);
      return message?.result?.structuredContent === undefined
        ? [`no answer to the next call: ${text.slice(0, 200)}`]
        : [];
    },
    async post({ bytes }: Malformed): Promise<string[]> {
      const { status, message, text } = await caller.send(bytes, session, AbortSignal.timeout(patience));
      if (leak.test(text)) return [`it tells too much: ${text.slice(0, 300)}`];
      const isAnswer = message !== undefined || status === 202 || text === '' || text.startsWith('event: ');
      return isAnswer && status < 500 ? [] : [`${status}: ${text.slice(0, 200)}`];
    },
    close: () => caller.close(),
  };
}

/** The same inputs as over stdio, each as a body, and input that is not HTTP. */
export async function tryOverHttp(cases: readonly Malformed[], environment: Record<string, string>): Promise<OverHttp> {
  const result: OverHttp = { tried: 0, failures: [] };
  for (const stateless of [false, true]) {
    const way = stateless ? 'without sessions' : 'in a session';
    const program = await startHttpProgram({ environment, flags: stateless ? ['--stateless'] : [] });
    const probe = createProbe(program, stateless);
    await probe.open();
    const note = async (name: string, problems: string[]) => {
      result.tried += 1;
      const all = [...problems, ...(await probe.check())];
      result.failures.push(...all.map((problem) => `over HTTP ${way}, ${name}: ${problem}`));
    };
    for (const one of cases) await note(one.name, await probe.post(one).catch((error) => [String(error)]));
    const port = Number(new URL(program.url).port);
    for (const [name, bytes] of bareBytes) {
      await note(name, wrongAnswer(await exchange(port, bytes.replaceAll('HOST', `127.0.0.1:${port}`))));
    }
    await probe.close();
    const { code } = await program.end();
    if (code !== 0) result.failures.push(`over HTTP ${way}: it ended with code ${code}`);
  }
  return result;
}
