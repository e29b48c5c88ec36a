import type { Done, Exchange, FaultKind } from '../fault.ts';
import { answerBytes } from '../raw-http.ts';
import { done, misshapen } from '../says.ts';

const html = '<!doctype html><title>Sign in</title><p>Please sign in to the network.</p>';
const tenMegabytes = 10 * 1024 * 1024;

type Change = (answer: Done) => Buffer;

/** Does the work and sends a changed answer. */
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

/** Sends the status and half of the body; `then` decides whether more follows. */
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
export const bodyFaults: readonly FaultKind[] = [
  { name: 'headers then stall', how: '2xx, then silence', applied: 'before', fault: headAlone, says: done },
  {
    name: 'body slow drip',
    how: '2xx, the end of the body byte by byte',
    applied: 'before',
    fault: halfBody(drip),
    says: done,
  },
  {
    name: 'body cut',
    how: '2xx, connection closed before the end of the body',
    applied: 'before',
    fault: halfBody(({ socket }) => socket.end()),
    says: done,
    short: true,
  },
  {
    name: 'wrong content-length',
    how: '2xx, Content-Length five bytes short of the body',
    applied: 'before',
    fault: changed((answer) => answerBytes(answer, { 'content-length': String(answer.body.length - 5) })),
    says: done,
  },
  {
    name: 'gzip broken',
    how: '2xx, Content-Encoding gzip with a body that is not gzip',
    applied: 'before',
    fault: withBody(() => '\u001f\u008b not gzip at all', { 'content-encoding': 'gzip' }),
    says: done,
  },
  {
    name: 'HTML instead of JSON',
    how: '2xx, done, with an HTML page instead of JSON',
    applied: 'before',
    fault: withBody(() => html, { 'content-type': 'text/html' }),
    says: done,
    short: true,
  },
  { name: 'empty 200', how: '2xx without a body', applied: 'before', fault: withBody(() => ''), says: done },
  {
    name: 'invalid JSON',
    how: '2xx, a body with truncated JSON',
    applied: 'before',
    fault: withBody(({ body }) => body.toString('utf8').slice(0, -2)),
    says: done,
  },
  {
    name: 'wrong JSON shape',
    how: '2xx, a number instead of a record or a list',
    applied: 'before',
    fault: withBody(() => '42'),
    says: misshapen,
  },
  {
    name: 'null fields',
    how: '2xx, every value in the body is null',
    applied: 'before',
    fault: withBody((answer) => JSON.stringify(nullsIn(parsed(answer)))),
    says: done,
    altersAnswer: true,
  },
  {
    name: '10 MB body',
    how: '2xx, with 10 MiB of text under an unknown key',
    applied: 'before',
    fault: withBody((answer) => JSON.stringify({ ...parsed(answer), filler: 'x'.repeat(tenMegabytes) })),
    says: done,
    altersAnswer: true,
  },
];
