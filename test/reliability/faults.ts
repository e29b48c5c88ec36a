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
  /** How the fault is made, in words. */
  readonly how: string;
  /** Made by the fault server in one exchange. Other faults have their own file in `places/`. */
  readonly fault?: Act;
  /** The correct answers of a client, by class; several if chance decides which of them is true. */
  readonly says: Readonly<Record<RepeatClass, readonly Said[]>>;
  /** The answer that arrives is not the sandbox's own, so a read is not compared with it. */
  readonly altersAnswer?: boolean;
  /** One of the sample of the short form. */
  readonly short?: boolean;
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

const kind = (name: string, how: string, says: Says, fault?: Act): FaultKind => ({
  name,
  how,
  says,
  ...(fault && { fault }),
});
const short = (one: FaultKind): FaultKind => ({ ...one, short: true });

const at = (when: 'head' | 'body' | 'reused', act: (exchange: Exchange) => unknown): Act => ({ at: when, act });
const accepted = (end: (socket: Exchange['socket']) => unknown): Act => ({ at: 'connection', act: end });

const unreachable = refused('api_unavailable');

/** Faults on the way to the server: no request, or only part of one, arrives. */
const connectionFaults: readonly FaultKind[] = [
  short(kind('refused', 'nothing listens on the port', unreachable)),
  kind('DNS fail', 'a base URL under .invalid, which no resolver knows', unreachable),
  kind('DNS slow', 'the resolver answers after the timeout (a preloaded file replaces dns.lookup)', unreachable),
  kind('connect timeout', 'a listening socket with a full backlog, so the kernel drops the SYN', unreachable),
  kind('TLS stall', 'https: the connection is accepted, and the handshake never starts', unreachable),
  kind('TLS reset', 'https: the connection is reset at the first byte of the handshake', unreachable),
  kind('bad cert', 'https: an untrusted self-signed certificate', unreachable),
  short(
    kind(
      'accept+RST',
      'reset as soon as it is accepted',
      lostOrUnsent,
      accepted((socket) => socket.resetAndDestroy()),
    ),
  ),
  kind(
    'accept+FIN',
    'closed as soon as it is accepted',
    lostOrUnsent,
    accepted((socket) => socket.destroy()),
  ),
  kind(
    'RST after headers',
    'reset after the head of the request, before anything is done',
    lost,
    at('head', ({ socket }) => socket.resetAndDestroy()),
  ),
  short(
    kind(
      'keep-alive closed under us',
      'a reused connection is closed at its next request; new connections are served',
      done,
      at('reused', ({ socket }) => socket.destroy()),
    ),
  ),
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

/** Faults without a status: the request arrived, and no answer shows its outcome. */
const silenceFaults: readonly FaultKind[] = [
  short(
    kind(
      'RST after body',
      'done, then the connection is reset without an answer',
      done,
      afterWork(({ socket }) => socket.resetAndDestroy()),
    ),
  ),
  kind(
    'FIN after body',
    'read completely, not done, closed without an answer',
    lost,
    at('body', ({ socket }) => socket.end()),
  ),
  kind(
    'never answers',
    'read completely, not done, then silence',
    lost,
    at('body', () => {}),
  ),
  short(
    kind(
      'answers after timeout',
      'done and answered, both after the timeout of the client',
      done,
      at('body', (exchange) => void lateWork(exchange).catch(() => {})),
    ),
  ),
  kind(
    '100-continue then nothing',
    'an unrequested interim answer, not done, then silence',
    lost,
    at('body', ({ response }) => response.writeContinue()),
  ),
  kind(
    'garbage status line',
    'done, then an answer that is not HTTP',
    done,
    afterWork(({ socket }) => socket.end('ICY 200 OK\r\n\r\nhello')),
  ),
  kind(
    'header too big',
    'done, then an answer with a header of 64 KiB',
    done,
    afterWork(({ socket }) => socket.write(`HTTP/1.1 200 OK\r\nx-filler: ${'x'.repeat(65_536)}\r\n\r\n`)),
  ),
];

/** Faults of the machine that the program runs on, with a healthy API. `f1/setups.ts` makes them. */
const machineFaults: readonly FaultKind[] = [
  kind('clock jump ±1 h', 'Date, changed by a preloaded file, jumps an hour on in one call and back in the next', done),
  kind('event-loop stall 2 s', 'SIGSTOP for 2 s while the server handles a request and answers', done),
  kind('disk full for logs', 'standard error is /dev/full: at level debug, every line fails with ENOSPC', done),
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
const bodyFaults: readonly FaultKind[] = [
  kind(
    'headers then stall',
    '2xx, then silence',
    done,
    withBody(() => '', { 'content-length': '500' }),
  ),
  kind('body slow drip', '2xx, the end of the body byte by byte', done, halfBody(drip)),
  short(
    kind(
      'body cut',
      '2xx, connection closed before the end of the body',
      done,
      halfBody(({ socket }) => socket.end()),
    ),
  ),
  kind(
    'wrong content-length',
    '2xx, Content-Length five bytes short of the body',
    done,
    changed(
      () => ({}),
      ({ body }) => ({ 'content-length': String(Buffer.byteLength(body) - 5) }),
    ),
  ),
  kind(
    'gzip broken',
    '2xx, Content-Encoding gzip with a body that is not gzip',
    done,
    withBody(() => '\u001f\u008b not gzip at all', { 'content-encoding': 'gzip' }),
  ),
  short(
    kind(
      'HTML instead of JSON',
      '2xx, done, with an HTML page instead of JSON',
      done,
      withBody(() => html, { 'content-type': 'text/html' }),
    ),
  ),
  kind(
    'empty 200',
    '2xx without a body',
    done,
    withBody(() => ''),
  ),
  kind(
    'invalid JSON',
    '2xx, a body with truncated JSON',
    done,
    withBody(({ body }) => body.slice(0, -2)),
  ),
  kind(
    'wrong JSON shape',
    '2xx, a number instead of a record or a list',
    misshapen,
    withBody(() => '42'),
  ),
  {
    ...kind(
      'null fields',
      '2xx, every value in the body is null: for a read, not the record',
      misshapen,
      withBody((answer) => JSON.stringify(nullsIn(parsed(answer)))),
    ),
    altersAnswer: true,
  },
  {
    ...kind(
      '10 MB body',
      '2xx, with 10 MiB of text under an unknown key',
      done,
      withBody((answer) => JSON.stringify({ ...parsed(answer), filler })),
    ),
    altersAnswer: true,
  },
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

const final = (name: string, act: (exchange: Exchange) => unknown, expected: Says): FaultKind =>
  kind(name, `the server answers ${name} and does nothing`, expected, at('body', act));

/** A request refused with 429 was not processed: it is sent again after the pause. */
const again = (name: string, after: () => string | undefined): FaultKind => {
  const headers = (): Record<string, string> => {
    const value = after();
    return value === undefined ? {} : { 'retry-after': value };
  };
  return final(name, says(429, 'rate_limited', headers), done);
};

/** Faults that are an answer with a status other than 2xx. */
const statusFaults: readonly FaultKind[] = [
  final('301/302/307 elsewhere', redirect, notFollowed),
  final('401', says(401, 'unauthorized'), refused('unauthorized')),
  final('403', says(403, 'forbidden'), refused('forbidden')),
  short(final('404', says(404, 'not_found'), refused('not_found'))),
  final('409', says(409, 'conflict'), refused('unprocessable')),
  final(
    '422 invalid_fields',
    says(422, 'invalid_fields', () => ({}), { supported_fields: ['title'] }),
    refused('invalid_fields'),
  ),
  again('429 without header', () => undefined),
  short(again('429 with seconds', () => '1')),
  // 2 s from now: HTTP dates have no fractions of a second.
  again('429 with date', () => new Date(Date.now() + 2_000).toUTCString()),
  again('429 with absurd value', () => '86400000'),
  final('500', says(500, 'internal'), lost),
  short(kind('502 applied', 'done, and a gateway answers 502', done, afterWork(says(502, 'unavailable')))),
  final('502 not applied', says(502, 'unavailable'), lost),
  final(
    '503 + Retry-After',
    says(503, 'unavailable', () => ({ 'retry-after': '1' })),
    lost,
  ),
];

export const faultKinds: readonly FaultKind[] = [
  ...connectionFaults,
  ...silenceFaults,
  ...bodyFaults,
  ...statusFaults,
  ...machineFaults,
];

/** What makes a fault of one exchange. */
export function faultNamed(name: string): Extract<Act, { at: 'body' | 'head' | 'reused' }> {
  const fault = faultKinds.find((one) => one.name === name)?.fault;
  if (fault === undefined || fault.at === 'connection') throw new Error(`${name} is not a fault of one exchange`);
  return fault;
}
