import { setTimeout as sleep } from 'node:timers/promises';
import type { ErrorCode, WriteOutcome } from '../../src/shared/errors.ts';
import type { Done } from '../support/pass-on.ts';
import type { Act, Exchange } from './fault-server.ts';

/** R reads, I writes that may be repeated, N creates, D writes that, if repeated, destroy later changes. */
export const classes = ['R', 'I', 'N', 'D'] as const;
export type RepeatClass = (typeof classes)[number];

/** A correct answer of the program: a result or an error, and the outcome if it is a write. */
export interface Said {
  readonly code: 'ok' | ErrorCode;
  readonly outcome?: WriteOutcome;
}

export interface FaultKind {
  readonly name: string;
  /** Made by the fault server in one exchange. `f1/setups.ts` makes the others. */
  readonly fault?: Act;
  /** The correct answers of a client, by class; several if chance decides which of them is true. */
  readonly says: Readonly<Record<RepeatClass, readonly Said[]>>;
  /** The answer that arrives is not the sandbox's own, so a read is not compared with it. */
  readonly altersAnswer: boolean;
  /** One of the sample of the short form. */
  readonly short: boolean;
}

// The correct answers of a client for each kind of fault.

type Says = FaultKind['says'];

const ok: Said = { code: 'ok' };
const applied: Said = { code: 'ok', outcome: 'applied' };
const unknown: Said = { code: 'outcome_unknown', outcome: 'outcome_unknown' };

const every = (read: Said, write: Said): Says => ({ R: [read], I: [write], N: [write], D: [write] });

/** A retry, a status without its body, or reading back shows that the operation was done once. */
const done: Says = every(ok, applied);

/** A read is retried; a write that may be repeated is sent again; the outcome of other writes is unknown. */
const lost: Says = { R: [ok], I: [applied], N: [unknown], D: [unknown] };

/** Like `lost`, but chance decides whether one byte of the request was sent. */
const lostOrUnsent: Says = { R: [ok], I: [applied], N: [unknown, applied], D: [unknown, applied] };

/** A final answer: nothing was done. */
const refused = (code: ErrorCode): Says => every({ code }, { code, outcome: 'not_applied' });

/** Reads succeed, and no write is sent; the code may be any of these. */
export function refusedWrites(...codes: ErrorCode[]): Says {
  const refusals = codes.map((code): Said => ({ code, outcome: 'not_applied' }));
  return { R: [ok], I: refusals, N: refusals, D: refusals };
}

/** A read does not follow a redirect, and for a write a redirect proves nothing. */
const notFollowed: Says = { ...lost, R: [{ code: 'unexpected_response' }] };

/** An error that no retry fixes, for something that was done. */
const misshapen: Says = { ...done, R: [{ code: 'unexpected_response' }] };

/** A kind of fault: its name, the correct answers, and what makes it, unless `f1/setups.ts` does. */
type Row = readonly [name: string, says: Says, fault?: Act];

const at = (when: 'head' | 'body' | 'reused', act: (exchange: Exchange) => unknown): Act => ({ at: when, act });
const accepted = (end: (socket: Exchange['socket']) => unknown): Act => ({ at: 'connection', act: end });

const unreachable = refused('api_unavailable');

/** Faults on the way to the server: no request, or only part of one, arrives. */
const connectionFaults: readonly Row[] = [
  ['refused', unreachable],
  ['DNS fail', unreachable],
  ['DNS slow', unreachable],
  ['connect timeout', unreachable],
  ['TLS stall', unreachable],
  ['TLS reset', unreachable],
  ['bad cert', unreachable],
  ['accept+RST', lostOrUnsent, accepted((socket) => socket.resetAndDestroy())],
  ['accept+FIN', lostOrUnsent, accepted((socket) => socket.destroy())],
  ['RST after headers', lost, at('head', ({ socket }) => socket.resetAndDestroy())],
  ['keep-alive closed under us', done, at('reused', ({ socket }) => socket.destroy())],
];

/** Longer than the timeout of the program, but 1 s shorter than the time of its first check. Milliseconds. */
const lateMs = 2_300;

async function lateWork({ socket, work, answer }: Exchange): Promise<void> {
  await sleep(lateMs);
  const done = await work();
  if (socket.writable) answer(done);
}

const afterWork = (end: (exchange: Exchange) => unknown) =>
  at('body', async (exchange) => {
    await exchange.work();
    end(exchange);
  });

/** Faults without a status: the request arrived, and no answer shows its outcome. Only those `afterWork` are done. */
const silenceFaults: readonly Row[] = [
  ['RST after body', done, afterWork(({ socket }) => socket.resetAndDestroy())],
  ['FIN after body', lost, at('body', ({ socket }) => socket.end())],
  ['never answers', lost, at('body', () => {})],
  ['answers after timeout', done, at('body', (exchange) => void lateWork(exchange).catch(() => {}))],
  ['100-continue then nothing', lost, at('body', ({ response }) => response.writeContinue())],
  ['garbage status line', done, afterWork(({ socket }) => socket.end('ICY 200 OK\r\n\r\nhello'))],
  [
    'header too big',
    done,
    afterWork(({ socket }) => socket.write(`HTTP/1.1 200 OK\r\nx-filler: ${'x'.repeat(65_536)}\r\n\r\n`)),
  ],
];

/** Faults of the machine that the program runs on, with a healthy API. */
const machineFaults: readonly Row[] = [
  ['clock jump ±1 h', done],
  ['event-loop stall 2 s', done],
  ['disk full for logs', done],
];

const changed = (change: (answer: Done) => Partial<Done>, fake?: (answer: Done) => Record<string, string>): Act =>
  at('body', async ({ work, answer }) => {
    const given = await work();
    answer({ ...given, ...change(given) }, fake?.(given));
  });

const withBody = (body: (answer: Done) => string, fake: Record<string, string> = {}) =>
  changed(
    (given) => ({ body: body(given) }),
    () => fake,
  );

const parsed = ({ body }: Done): object => JSON.parse(body);

function nullsIn(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(nullsIn);
  if (typeof value !== 'object' || value === null) return null;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, nullsIn(entry)]));
}

const halfBody = (then: (exchange: Exchange, rest: Buffer) => void) =>
  at('body', async (exchange) => {
    const { status, headers, body } = await exchange.work();
    const bytes = Buffer.from(body);
    exchange.response.writeHead(status, { ...headers, 'content-length': bytes.length });
    exchange.response.write(bytes.subarray(0, -8));
    then(exchange, bytes.subarray(-8));
  });

/** Sends a byte every half second: each byte is within the idle timeout, but the whole body is too late. */
function drip({ socket, response }: Exchange, rest: Buffer): void {
  let sent = 0;
  const timer = setInterval(() => {
    if (sent < rest.length - 1 && socket.writable) response.write(rest.subarray(sent, ++sent));
    else clearInterval(timer);
  }, 500);
}

const html = '<!doctype html><title>Sign in</title><p>Please sign in to the network.</p>';
const filler = 'x'.repeat(10 * 2 ** 20);

/** A 2xx was received, so the work is done, whatever its body contains. */
const bodyFaults: readonly Row[] = [
  ['headers then stall', done, withBody(() => '', { 'content-length': '500' })],
  ['body slow drip', done, halfBody(drip)],
  ['body cut', done, halfBody(({ socket }) => socket.end())],
  [
    'wrong content-length',
    done,
    changed(
      () => ({}),
      ({ body }) => ({ 'content-length': String(Buffer.byteLength(body) - 5) }),
    ),
  ],
  ['gzip broken', done, withBody(() => '\u001f\u008b not gzip at all', { 'content-encoding': 'gzip' })],
  ['HTML instead of JSON', done, withBody(() => html, { 'content-type': 'text/html' })],
  ['empty 200', done, withBody(() => '')],
  ['invalid JSON', done, withBody(({ body }) => body.slice(0, -2))],
  ['wrong JSON shape', misshapen, withBody(() => '42')],
  ['null fields', misshapen, withBody((answer) => JSON.stringify(nullsIn(parsed(answer))))],
  ['10 MB body', done, withBody((answer) => JSON.stringify({ ...parsed(answer), filler }))],
];

const words = 'Generated by the fault server';

/** The answer of a server, or of a gateway in front of it, that did nothing. */
const says =
  (status: number, code: string, headers: () => Record<string, string> = () => ({}), more: object = {}) =>
  ({ answer }: Exchange) => {
    const body = { error: words, errors: [{ code, message: words }], request_id: 'fault-server', ...more };
    answer({ status, headers: { 'content-type': 'application/json', ...headers() }, body: JSON.stringify(body) });
  };

const redirects = [301, 302, 307] as const;

/** A path that no client may request: the log of the fault server shows any request. */
export const elsewhere = '/elsewhere';

const redirect = ({ socket, request, answer }: Exchange) => {
  const status = redirects[request.path.length % redirects.length] ?? 302;
  const location = `http://127.0.0.1:${socket.localPort}${elsewhere}${request.path}`;
  answer({ status, headers: { location }, body: '' });
};

const answers = (...said: Parameters<typeof says>) => at('body', says(...said));

/** A request refused with 429 was not processed: it is sent again after the pause. */
const limited = (headers?: () => Record<string, string>) => answers(429, 'rate_limited', headers);

/** Faults that are an answer with a status other than 2xx. Nothing is done, unless the name says so. */
const statusFaults: readonly Row[] = [
  ['301/302/307 elsewhere', notFollowed, at('body', redirect)],
  ['401', refused('unauthorized'), answers(401, 'unauthorized')],
  ['403', refused('forbidden'), answers(403, 'forbidden')],
  ['404', refused('not_found'), answers(404, 'not_found')],
  ['409', refused('unprocessable'), answers(409, 'conflict')],
  [
    '422 invalid_fields',
    refused('invalid_fields'),
    answers(422, 'invalid_fields', () => ({}), { supported_fields: ['title'] }),
  ],
  ['429 without header', done, limited()],
  ['429 with seconds', done, limited(() => ({ 'retry-after': '1' }))],
  // 2 s from now: HTTP dates have no fractions of a second.
  ['429 with date', done, limited(() => ({ 'retry-after': new Date(Date.now() + 2_000).toUTCString() }))],
  ['429 with absurd value', done, limited(() => ({ 'retry-after': '86400000' }))],
  ['500', lost, answers(500, 'internal')],
  ['502 applied', done, afterWork(says(502, 'unavailable'))],
  ['502 not applied', lost, answers(502, 'unavailable')],
  ['503 + Retry-After', lost, answers(503, 'unavailable', () => ({ 'retry-after': '1' }))],
];

const inShortForm: ReadonlySet<string> = new Set([
  ...['refused', 'accept+RST', 'keep-alive closed under us', 'RST after body', 'answers after timeout', 'body cut'],
  ...['HTML instead of JSON', '404', '429 with seconds', '502 applied'],
]);
const altering: ReadonlySet<string> = new Set(['null fields', '10 MB body']);

export const faultKinds: readonly FaultKind[] = [
  ...connectionFaults,
  ...silenceFaults,
  ...bodyFaults,
  ...statusFaults,
  ...machineFaults,
].map(([name, says, fault]) => ({
  name,
  says,
  short: inShortForm.has(name),
  altersAnswer: altering.has(name),
  ...(fault && { fault }),
}));

/** What makes a fault of one exchange. */
export function faultNamed(name: string): Extract<Act, { at: 'body' | 'head' | 'reused' }> {
  const fault = faultKinds.find((one) => one.name === name)?.fault;
  if (fault === undefined || fault.at === 'connection') throw new Error(`${name} is not a fault of one exchange`);
  return fault;
}
