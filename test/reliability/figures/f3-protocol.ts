import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { JSONRPCMessageSchema } from '@modelcontextprotocol/sdk/types.js';
import * as z from 'zod';
import { createRandom, type Random } from '../../../src/sandbox/seed/random.ts';
import { inScope } from '../../support/at-end.ts';
import { unlimited } from '../../support/connect.ts';
import { createCaller } from '../../support/http-server.ts';
import { callOf, type HttpProgram, startHttpProgram, start as startProgram } from '../../support/program.ts';
import { start } from '../../support/sandbox.ts';
import { type Malformed, malformedInputs } from '../f3/malformed.ts';
import type { Figure, Size } from '../figure.ts';

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
const httpPatience = 5_000;
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
      const { message, text } = await caller.call(`good ${id}`, 'list_roles', {}, session);
      return message?.result?.structuredContent === undefined
        ? [`no answer to the next call: ${text.slice(0, 200)}`]
        : [];
    },
    async post({ bytes }: Malformed): Promise<string[]> {
      const { status, message, text } = await caller.send(bytes, session, AbortSignal.timeout(httpPatience));
      if (leak.test(text)) return [`it tells too much: ${text.slice(0, 300)}`];
      const isAnswer = message !== undefined || status === 202 || text === '' || text.startsWith('event: ');
      return isAnswer && status < 500 ? [] : [`${status}: ${text.slice(0, 200)}`];
    },
  };
}

/** The same inputs as over stdio, each as a body, and input that is not HTTP. */
async function tryOverHttp(cases: readonly Malformed[], environment: Record<string, string>) {
  const result = { tried: 0, failures: [] as string[] };
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
    const { code } = await program.end();
    if (code !== 0) result.failures.push(`over HTTP ${way}: it ended with code ${code}`);
  }
  return result;
}

const right = [
  { id: 'ping', method: 'ping' },
  { id: 'list', method: 'tools/list', params: {} },
  { id: 'call', method: 'tools/call', params: { name: 'list_roles', arguments: { limit: 3 } } },
  {
    id: 'posts',
    method: 'tools/call',
    params: { name: 'search_products', arguments: { query: 'ünï', product_type: 'course' } },
  },
  {
    id: 'hello',
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
  },
  { method: 'notifications/cancelled', params: { requestId: 'none', reason: 'no reason' } },
].map((message) => Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message })));

type Change = (bytes: Buffer, random: Random) => Buffer;

const at = (bytes: Buffer, random: Random) => random.integer(0, Math.max(0, bytes.length - 1));

const flip: Change = (bytes, random) => {
  const changed = Buffer.from(bytes);
  const place = at(bytes, random);
  changed[place] = (changed[place] ?? 0) ^ (1 << random.integer(0, 7));
  return changed;
};

const cut: Change = (bytes, random) => {
  const from = at(bytes, random);
  return Buffer.concat([bytes.subarray(0, from), bytes.subarray(from + random.integer(1, 12))]);
};

const double: Change = (bytes, random) => {
  const from = at(bytes, random);
  const part = bytes.subarray(from, from + random.integer(1, 30));
  return Buffer.concat([bytes.subarray(0, from), part, part, bytes.subarray(from + part.length)]);
};

const insert: Change = (bytes, random) => {
  const place = at(bytes, random);
  const added = Buffer.from(Array.from({ length: random.integer(1, 6) }, () => random.integer(0, 255)));
  return Buffer.concat([bytes.subarray(0, place), added, bytes.subarray(place)]);
};

const token: Change = (bytes, random) => {
  const place = at(bytes, random);
  const added = random.pick(['null', '{}', '[]', '1e999', '"\\u0000"', '-', ',', ':', '}', ']', '"', '\\', '\n']);
  return Buffer.concat([bytes.subarray(0, place), Buffer.from(added), bytes.subarray(place)]);
};

const changes = [flip, cut, double, insert, token];

/** Valid messages with one to three changes to their bytes. */
function mutatedMessages(count: number, random: Random): Malformed[] {
  return Array.from({ length: count }, (_, number) => {
    let bytes: Buffer = random.pick(right);
    for (let left = random.integer(1, 3); left > 0; left -= 1) bytes = random.pick(changes)(bytes, random);
    return { name: `changed message ${number}: ${JSON.stringify(bytes.toString('latin1')).slice(0, 200)}`, bytes };
  });
}

/** Random inputs, besides the hand-written ones. The short form also leaves out the longest lines. */
const mutated: Record<Size, number> = { short: 12, whole: 1_000 };
const maxShort = 200_000;

/** Milliseconds after which a program without an answer counts as deaf. */
const patience = 15_000;

const projectFolder = fileURLToPath(new URL('../../..', import.meta.url));

/** JSON-RPC answers a request without a readable id like this; the SDK's message schema has no such case. */
const withoutId = z.strictObject({
  jsonrpc: z.literal('2.0'),
  id: z.undefined().optional(),
  error: z.strictObject({ code: z.int(), message: z.string() }),
});

/** The problem of a line on standard output, if it has one. */
function wrongLine(line: string): string | undefined {
  if (line.includes(projectFolder) || /\\n\s+at .+:\d+/.test(line)) return 'shows internals';
  try {
    const value: unknown = JSON.parse(line);
    const isMessage = JSONRPCMessageSchema.safeParse(value).success || withoutId.safeParse(value).success;
    return isMessage ? undefined : 'is not a message of the protocol';
  } catch {
    return 'is no JSON';
  }
}

/** The built program, with the problems of its standard output so far. */
function startTalk(environment: Record<string, string>) {
  const wrong: string[] = [];
  const onLine = (line: string) => {
    const problem = wrongLine(line);
    if (problem !== undefined) wrong.push(`a line on standard output ${problem}: ${line.slice(0, 200)}`);
  };
  return { ...startProgram([], environment, { onLine }), wrongOutput: () => wrong.splice(0) };
}

type Talk = ReturnType<typeof startTalk>;

/** The problems after one input: the program ended, is deaf, wrote a wrong line to standard output, or answered the next call wrongly. */
async function problemsAfter(talk: Talk, { bytes, refused }: Malformed, number: number): Promise<string[]> {
  const id = `good ${number}`;
  await talk.write(Buffer.concat([bytes, Buffer.from('\n')]));
  await talk.write(`${JSON.stringify({ jsonrpc: '2.0', ...callOf(0, 'list_roles'), id })}\n`);
  const good = await talk.answerTo(id, patience);
  const problems = talk.wrongOutput();
  if (!talk.isAlive())
    return [...problems, `the program ended with ${talk.child.exitCode}: ${talk.written.stderr.slice(-300)}`];
  if (good === undefined) return [...problems, 'no answer to the next call'];
  if (good.error !== undefined || good.result?.isError === true)
    problems.push('the next call was answered with an error');
  if (refused === undefined) return problems;
  const answer = await talk.answerTo(refused, patience);
  const isRefused = answer !== undefined && (answer.error !== undefined || answer.result?.isError === true);
  return isRefused
    ? problems
    : [...problems, answer === undefined ? 'it was never answered' : 'it was answered without an error'];
}

async function tryAll(inputs: readonly Malformed[], environment: Record<string, string>, greeted: boolean) {
  const run = { failures: [] as string[], restarts: 0 };
  const cases = [...inputs.entries()];
  // A problem must not affect the next inputs: they get another program.
  while (cases.length > 0) {
    await inScope(async () => {
      const talk = startTalk(environment);
      if (greeted) await talk.greet();
      for (let problems: string[] = []; problems.length === 0 && cases.length > 0; ) {
        const [number, one] = cases.shift() ?? [0, { name: '', bytes: Buffer.from('') }];
        problems = await problemsAfter(talk, one, number);
        run.failures.push(
          ...problems.map((problem) => `${greeted ? '' : 'before initialize, '}${one.name}: ${problem}`),
        );
        if (problems.length > 0) run.restarts += 1;
      }
    });
  }
  return run;
}

export const figure: Figure = {
  id: 'F3',
  title: 'Malformed protocol input',
  target: 'after each input the program runs and the next call succeeds; standard output holds only messages',
  run: async (size, seed) => {
    const sandbox = await start({ students: 10, orders: 20 });
    const environment = unlimited(sandbox.url, sandbox.apiKey);
    const byHand = malformedInputs().filter(({ bytes }) => size === 'whole' || bytes.length < maxShort);
    const cases = [...byHand, ...mutatedMessages(mutated[size], createRandom('f3', seed))];
    const greeted = await tryAll(cases, environment, true);
    // Some clients begin with garbage: the first bytes must not break the connection either.
    const early = byHand.filter((_, index) => size === 'whole' || index % 8 === 0);
    const ungreeted = await tryAll(early, environment, false);
    const overHttp = await tryOverHttp(cases, environment);
    const inputs = cases.length + early.length;
    const failures = [...greeted.failures, ...ungreeted.failures, ...overHttp.failures];
    return {
      tried: `${inputs.toLocaleString('en')} malformed inputs to the built program over stdio, each followed by a valid call; ${overHttp.tried.toLocaleString('en')} over HTTP, with and without sessions, and as raw bytes`,
      result: `${inputs - greeted.restarts - ungreeted.restarts} survived and followed by a successful call over stdio, ${overHttp.tried - overHttp.failures.length} over HTTP`,
      details: [
        'written by hand and by rule: lines that are not JSON, invalid UTF-8, NUL, 100,000 levels, 9 MiB, wrong envelopes, ids, params, batches, notifications; random: valid messages with changed bytes',
        'a malformed request is refused with its id; if its id cannot be read, without one',
      ],
      failures,
      zeros: [
        {
          what: 'programs that ended, went deaf or wrote anything but messages to standard output after malformed input',
          of: inputs + overHttp.tried,
        },
      ],
    };
  },
};
