import type { Act, Exchange, FaultKind } from '../fault.ts';
import { answerBytes } from '../raw-http.ts';
import { done, lost, notFollowed, refused } from '../says.ts';

const bodyOf = (code: string, more: object = {}) =>
  Buffer.from(
    JSON.stringify({
      error: 'Made by the fault server',
      errors: [{ code, message: 'Made by the fault server' }],
      request_id: 'fault-server',
      ...more,
    }),
  );

function say({ socket }: Exchange, status: number, code: string, headers: Record<string, string> = {}, more = {}) {
  socket.write(
    answerBytes({ status, headers: { 'content-type': 'application/json', ...headers }, body: bodyOf(code, more) }),
  );
}

/** The answer of a server, or of a gateway before it, that did nothing. */
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

/** Where nobody may ever ask: the log of the fault server shows whether somebody did. */
export const elsewhere = '/elsewhere';

const redirect: Act = {
  at: 'body',
  act: ({ socket, request }) => {
    const status = redirects[request.path.length % redirects.length] ?? 302;
    const location = `http://127.0.0.1:${socket.localPort}${elsewhere}${request.path}`;
    socket.write(answerBytes({ status, headers: { location }, body: Buffer.alloc(0) }));
  },
};

/** 2 s from now: HTTP dates know no parts of a second. */
const httpDate = () => ({ 'retry-after': new Date(Date.now() + 2_000).toUTCString() });

const final = (name: string, fault: Act, says: FaultKind['says'], short = false): FaultKind => ({
  name,
  how: `the server answers ${name}, nothing is done`,
  applied: 'never',
  fault,
  says,
  short,
});

/** A request refused with 429 was not processed: it goes again once the pause is over. */
const again = (name: string, retryAfter: () => Record<string, string>, short = false): FaultKind => ({
  ...final(name, limited(retryAfter), done, short),
});

/** Faults that come as an answer with a status other than 2xx. */
export const statusFaults: readonly FaultKind[] = [
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
