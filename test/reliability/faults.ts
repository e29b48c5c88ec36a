import { setTimeout as sleep } from 'node:timers/promises';
import type { ErrorCode } from '../../src/shared/errors.ts';
import type { Act, Done, Exchange, FaultKind, Said } from './fault.ts';
import { answerBytes } from './raw-http.ts';

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

/** `how`: in words for the report. `applied`: whether and when the sandbox does the work. */
const kind = (
  name: string,
  how: string,
  applied: FaultKind['applied'],
  says: Says,
  fault?: Act,
  more: Pick<FaultKind, 'short' | 'altersAnswer'> = {},
): FaultKind => ({ name, how, applied, says, ...(fault && { fault }), ...more });

const unreachable = refused('api_unavailable');

/** Faults on the way to the server: no request, or only part of one, arrives. */
const connectionFaults: readonly FaultKind[] = [
  kind('refused', 'nothing listens on the port', 'never', unreachable, undefined, { short: true }),
  kind('DNS fail', 'a base URL under .invalid, which no resolver knows', 'never', unreachable),
  kind(
    'DNS slow',
    'the resolver of the program answers after the timeout (a preloaded file replaces dns.lookup)',
    'never',
    unreachable,
  ),
  kind('connect timeout', 'a listening socket with a full backlog, so the kernel drops the SYN', 'never', unreachable),
  kind(
    'TLS stall',
    'an https address whose server accepts the connection and never starts the handshake',
    'never',
    unreachable,
  ),
  kind(
    'TLS reset',
    'an https address whose server resets the connection at the first byte of the handshake',
    'never',
    unreachable,
  ),
  kind('bad cert', 'an https address with an untrusted self-signed certificate', 'never', unreachable),
  kind(
    'accept+RST',
    'the connection is reset as soon as it is accepted',
    'never',
    lostOrUnsent,
    { at: 'connection', act: (socket) => socket.resetAndDestroy() },
    { short: true },
  ),
  kind('accept+FIN', 'the connection is closed as soon as it is accepted', 'never', lostOrUnsent, {
    at: 'connection',
    act: (socket) => socket.destroy(),
  }),
  kind(
    'RST after headers',
    'the connection is reset after the head of the request, before anything is done',
    'never',
    lost,
    { at: 'head', act: ({ socket }) => socket.resetAndDestroy() },
  ),
  kind(
    'keep-alive closed under us',
    'a reused connection is closed at its next request; new connections are served',
    'before',
    done,
    { at: 'reused', act: ({ socket }) => socket.destroy() },
    { short: true },
  ),
];

/** Longer than the timeout of the program, but 1 s shorter than the time of its first check. Milliseconds. */
const lateMs = 2_300;

async function lateWork({ socket, work }: Exchange): Promise<void> {
  await sleep(lateMs);
  const answer = answerBytes(await work());
  if (socket.writable) socket.write(answer);
}

const afterWork = (bytes: string, end: (exchange: Exchange) => void) => async (exchange: Exchange) => {
  await exchange.work();
  if (bytes !== '') exchange.socket.write(bytes);
  end(exchange);
};

/** Faults without a status: the request arrived, and no answer shows its outcome. */
const silenceFaults: readonly FaultKind[] = [
  kind(
    'RST after body',
    'done, then the connection is reset without an answer',
    'before',
    done,
    { at: 'body', act: afterWork('', ({ socket }) => socket.resetAndDestroy()) },
    { short: true },
  ),
  kind('FIN after body', 'read completely, not done, closed without an answer', 'never', lost, {
    at: 'body',
    act: ({ socket }) => socket.end(),
  }),
  kind('never answers', 'read completely, not done, then silence', 'never', lost, { at: 'body', act: () => {} }),
  kind(
    'answers after timeout',
    'done and answered, both after the timeout of the client',
    'late',
    done,
    { at: 'body', act: (exchange) => void lateWork(exchange).catch(() => {}) },
    { short: true },
  ),
  kind('100-continue then nothing', 'an unrequested interim answer, not done, then silence', 'never', lost, {
    at: 'body',
    act: ({ socket }) => socket.write('HTTP/1.1 100 Continue\r\n\r\n'),
  }),
  kind('garbage status line', 'done, then an answer that is not HTTP', 'before', done, {
    at: 'body',
    act: afterWork('ICY 200 OK\r\n\r\nhello', ({ socket }) => socket.end()),
  }),
  kind('header too big', 'done, then an answer with a header of 64 KiB', 'before', done, {
    at: 'body',
    act: afterWork(`HTTP/1.1 200 OK\r\nx-filler: ${'x'.repeat(65_536)}\r\n\r\n`, () => {}),
  }),
];

/** Faults of the machine that the program runs on, with a healthy API. */
const machineFaults: readonly FaultKind[] = [
  kind(
    'clock jump ±1 h',
    'the wall clock of the program (Date, changed by a preloaded file) jumps an hour forward in one call and back in the next',
    'before',
    done,
  ),
  kind(
    'event-loop stall 2 s',
    'the process is stopped for 2 s (SIGSTOP) while the server handles a request and answers',
    'before',
    done,
  ),
  kind(
    'disk full for logs',
    'standard error is /dev/full and the log level is debug: every line of the log fails with ENOSPC',
    'before',
    done,
  ),
];

const html = '<!doctype html><title>Sign in</title><p>Please sign in to the network.</p>';
const tenMegabytes = 10 * 1024 * 1024;

type Change = (answer: Done) => Buffer;

const changed = (change: Change) => ({
  at: 'body' as const,
  act: async ({ socket, work }: Exchange) => socket.write(change(await work())),
});

const withBody = (body: (answer: Done) => string, headers: Record<string, string> = {}) =>
  changed((answer) =>
    answerBytes({ ...answer, headers: { ...answer.headers, ...headers }, body: Buffer.from(body(answer)) }),
  );

const parsed = ({ body }: Done): object => JSON.parse(body.toString('utf8'));

function nullsIn(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(nullsIn);
  if (typeof value !== 'object' || value === null) return null;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, nullsIn(entry)]));
}

function halfBody(then: (exchange: Exchange, rest: Buffer) => void) {
  return {
    at: 'body' as const,
    act: async (exchange: Exchange) => {
      const bytes = answerBytes(await exchange.work());
      exchange.socket.write(bytes.subarray(0, bytes.length - 8));
      then(exchange, bytes.subarray(bytes.length - 8));
    },
  };
}

/** Sends a byte every half second: each byte is within the idle timeout, but the whole body is too late. */
function drip({ socket }: Exchange, rest: Buffer): void {
  let sent = 0;
  const timer = setInterval(() => {
    if (sent < rest.length - 1 && socket.writable) socket.write(rest.subarray(sent, ++sent));
    else clearInterval(timer);
  }, 500);
}

const headAlone = changed((answer) => answerBytes({ ...answer, body: Buffer.alloc(0) }, { 'content-length': '500' }));

/** A 2xx was received, so the work is done, whatever its body contains. */
const bodyFaults: readonly FaultKind[] = [
  kind('headers then stall', '2xx, then silence', 'before', done, headAlone),
  kind('body slow drip', '2xx, the end of the body byte by byte', 'before', done, halfBody(drip)),
  kind(
    'body cut',
    '2xx, connection closed before the end of the body',
    'before',
    done,
    halfBody(({ socket }) => socket.end()),
    { short: true },
  ),
  kind(
    'wrong content-length',
    '2xx, Content-Length five bytes short of the body',
    'before',
    done,
    changed((answer) => answerBytes(answer, { 'content-length': String(answer.body.length - 5) })),
  ),
  kind(
    'gzip broken',
    '2xx, Content-Encoding gzip with a body that is not gzip',
    'before',
    done,
    withBody(() => '\u001f\u008b not gzip at all', { 'content-encoding': 'gzip' }),
  ),
  kind(
    'HTML instead of JSON',
    '2xx, done, with an HTML page instead of JSON',
    'before',
    done,
    withBody(() => html, { 'content-type': 'text/html' }),
    { short: true },
  ),
  kind(
    'empty 200',
    '2xx without a body',
    'before',
    done,
    withBody(() => ''),
  ),
  kind(
    'invalid JSON',
    '2xx, a body with truncated JSON',
    'before',
    done,
    withBody(({ body }) => body.toString('utf8').slice(0, -2)),
  ),
  kind(
    'wrong JSON shape',
    '2xx, a number instead of a record or a list',
    'before',
    misshapen,
    withBody(() => '42'),
  ),
  kind(
    'null fields',
    '2xx, every value in the body is null: for a read, not the record',
    'before',
    misshapen,
    withBody((answer) => JSON.stringify(nullsIn(parsed(answer)))),
    { altersAnswer: true },
  ),
  kind(
    '10 MB body',
    '2xx, with 10 MiB of text under an unknown key',
    'before',
    done,
    withBody((answer) => JSON.stringify({ ...parsed(answer), filler: 'x'.repeat(tenMegabytes) })),
    { altersAnswer: true },
  ),
];

const bodyOf = (code: string, more: object = {}) =>
  Buffer.from(
    JSON.stringify({
      error: 'Generated by the fault server',
      errors: [{ code, message: 'Generated by the fault server' }],
      request_id: 'fault-server',
      ...more,
    }),
  );

function say({ socket }: Exchange, status: number, code: string, headers: Record<string, string> = {}, more = {}) {
  socket.write(
    answerBytes({ status, headers: { 'content-type': 'application/json', ...headers }, body: bodyOf(code, more) }),
  );
}

/** The answer of a server, or of a gateway in front of it, that did nothing. */
const answers = (status: number, code: string, headers: Record<string, string> = {}, more: object = {}): Act => ({
  at: 'body',
  act: (exchange) => say(exchange, status, code, headers, more),
});

const limited = (retryAfter: () => Record<string, string>): Act => ({
  at: 'body',
  act: (exchange) => say(exchange, 429, 'rate_limited', retryAfter()),
});

const doneAnd = (status: number): Act => ({
  at: 'body',
  act: async (exchange) => {
    await exchange.work();
    say(exchange, status, 'unavailable');
  },
});

const redirects = [301, 302, 307] as const;

/** A path that no client may request: the log of the fault server shows any request. */
export const elsewhere = '/elsewhere';

const redirect: Act = {
  at: 'body',
  act: ({ socket, request }) => {
    const status = redirects[request.path.length % redirects.length] ?? 302;
    const location = `http://127.0.0.1:${socket.localPort}${elsewhere}${request.path}`;
    socket.write(answerBytes({ status, headers: { location }, body: Buffer.alloc(0) }));
  },
};

/** 2 s from now: HTTP dates have no fractions of a second. */
const httpDate = () => ({ 'retry-after': new Date(Date.now() + 2_000).toUTCString() });

const final = (name: string, fault: Act, says: FaultKind['says'], short = false): FaultKind => ({
  name,
  how: `the server answers ${name} and does nothing`,
  applied: 'never',
  fault,
  says,
  short,
});

/** A request refused with 429 was not processed: it is sent again after the pause. */
const again = (name: string, retryAfter: () => Record<string, string>, short = false): FaultKind => ({
  ...final(name, limited(retryAfter), done, short),
});

/** Faults that are an answer with a status other than 2xx. */
const statusFaults: readonly FaultKind[] = [
  final('301/302/307 elsewhere', redirect, notFollowed),
  final('401', answers(401, 'unauthorized'), refused('unauthorized')),
  final('403', answers(403, 'forbidden'), refused('forbidden')),
  final('404', answers(404, 'not_found'), refused('not_found'), true),
  final('409', answers(409, 'conflict'), refused('unprocessable')),
  final(
    '422 invalid_fields',
    answers(422, 'invalid_fields', {}, { supported_fields: ['title'] }),
    refused('invalid_fields'),
  ),
  again('429 without header', () => ({})),
  again('429 with seconds', () => ({ 'retry-after': '1' }), true),
  again('429 with date', httpDate),
  again('429 with absurd value', () => ({ 'retry-after': '86400000' })),
  final('500', answers(500, 'internal'), lost),
  { ...final('502 applied', doneAnd(502), done, true), how: 'done, and a gateway answers 502', applied: 'before' },
  final('502 not applied', answers(502, 'unavailable'), lost),
  final('503 + Retry-After', answers(503, 'unavailable', { 'retry-after': '1' }), lost),
];

export const faultKinds: readonly FaultKind[] = [
  ...connectionFaults,
  ...silenceFaults,
  ...bodyFaults,
  ...statusFaults,
  ...machineFaults,
];
