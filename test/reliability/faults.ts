import { setTimeout as sleep } from 'node:timers/promises';
import type { Exchange, FaultKind } from './fault.ts';
import { bodyFaults } from './faults/bodies.ts';
import { statusFaults } from './faults/statuses.ts';
import { answerBytes } from './raw-http.ts';
import { done, lost, lostOrUnsent, refused } from './says.ts';

const unreachable = refused('api_unavailable');

/** Faults on the way to the server: no request, or only part of one, arrives. */
const connectionFaults: readonly FaultKind[] = [
  {
    name: 'refused',
    how: 'nothing listens on the port',
    applied: 'never',
    says: unreachable,
    short: true,
  },
  {
    name: 'DNS fail',
    how: 'a base URL under .invalid, which no resolver knows',
    applied: 'never',
    says: unreachable,
  },
  {
    name: 'DNS slow',
    how: 'the resolver of the program answers after the timeout (a preloaded file replaces dns.lookup)',
    applied: 'never',
    says: unreachable,
  },
  {
    name: 'connect timeout',
    how: 'a listening socket with a full backlog, so the kernel drops the SYN',
    applied: 'never',
    says: unreachable,
  },
  {
    name: 'TLS stall',
    how: 'an https address whose server accepts the connection and never starts the handshake',
    applied: 'never',
    says: unreachable,
  },
  {
    name: 'TLS reset',
    how: 'an https address whose server resets the connection at the first byte of the handshake',
    applied: 'never',
    says: unreachable,
  },
  {
    name: 'bad cert',
    how: 'an https address with an untrusted self-signed certificate',
    applied: 'never',
    says: unreachable,
  },
  {
    name: 'accept+RST',
    how: 'the connection is reset as soon as it is accepted',
    applied: 'never',
    fault: { at: 'connection', act: (socket) => socket.resetAndDestroy() },
    says: lostOrUnsent,
    short: true,
  },
  {
    name: 'accept+FIN',
    how: 'the connection is closed as soon as it is accepted',
    applied: 'never',
    fault: { at: 'connection', act: (socket) => socket.destroy() },
    says: lostOrUnsent,
  },
  {
    name: 'RST after headers',
    how: 'the connection is reset after the head of the request, before anything is done',
    applied: 'never',
    fault: { at: 'head', act: ({ socket }) => socket.resetAndDestroy() },
    says: lost,
  },
  {
    name: 'keep-alive closed under us',
    how: 'a reused connection is closed at its next request; new connections are served',
    applied: 'before',
    fault: { at: 'reused', act: ({ socket }) => socket.destroy() },
    says: done,
    short: true,
  },
];

/** Longer than the timeout of the program, but 1 s shorter than the time of its first check. Milliseconds. */
const lateMs = 2_300;

async function lateWork({ socket, work }: Exchange): Promise<void> {
  await sleep(lateMs);
  const answer = answerBytes(await work());
  if (socket.writable) socket.write(answer);
}

/** Does the work, answers with these bytes or with none, and ends the connection. */
const afterWork = (bytes: string, end: (exchange: Exchange) => void) => async (exchange: Exchange) => {
  await exchange.work();
  if (bytes !== '') exchange.socket.write(bytes);
  end(exchange);
};

/** Faults without a status: the request arrived, and no answer shows its outcome. */
const silenceFaults: readonly FaultKind[] = [
  {
    name: 'RST after body',
    how: 'done, then the connection is reset without an answer',
    applied: 'before',
    fault: { at: 'body', act: afterWork('', ({ socket }) => socket.resetAndDestroy()) },
    says: done,
    short: true,
  },
  {
    name: 'FIN after body',
    how: 'read completely, not done, closed without an answer',
    applied: 'never',
    fault: { at: 'body', act: ({ socket }) => socket.end() },
    says: lost,
  },
  {
    name: 'never answers',
    how: 'read completely, not done, then silence',
    applied: 'never',
    fault: { at: 'body', act: () => {} },
    says: lost,
  },
  {
    name: 'answers after timeout',
    how: 'done and answered, both after the timeout of the client',
    applied: 'late',
    // Not awaited, and irrelevant after the sandbox has closed.
    fault: { at: 'body', act: (exchange) => void lateWork(exchange).catch(() => {}) },
    says: done,
    short: true,
  },
  {
    name: '100-continue then nothing',
    how: 'an unrequested interim answer, not done, then silence',
    applied: 'never',
    fault: { at: 'body', act: ({ socket }) => socket.write('HTTP/1.1 100 Continue\r\n\r\n') },
    says: lost,
  },
  {
    name: 'garbage status line',
    how: 'done, then an answer that is not HTTP',
    applied: 'before',
    fault: { at: 'body', act: afterWork('ICY 200 OK\r\n\r\nhello', ({ socket }) => socket.end()) },
    says: done,
  },
  {
    name: 'header too big',
    how: 'done, then an answer with a header of 64 KiB',
    applied: 'before',
    fault: { at: 'body', act: afterWork(`HTTP/1.1 200 OK\r\nx-filler: ${'x'.repeat(65_536)}\r\n\r\n`, () => {}) },
    says: done,
  },
];

/** Faults of the machine that the program runs on, with a healthy API. */
const machineFaults: readonly FaultKind[] = [
  {
    name: 'clock jump ±1 h',
    how: 'the wall clock of the program (Date, changed by a preloaded file) jumps an hour forward in one call and back in the next',
    applied: 'before',
    says: done,
  },
  {
    name: 'event-loop stall 2 s',
    how: 'the process is stopped for 2 s (SIGSTOP) while the server handles a request and answers',
    applied: 'before',
    says: done,
  },
  {
    name: 'disk full for logs',
    how: 'standard error is /dev/full and the log level is debug: every line of the log fails with ENOSPC',
    applied: 'before',
    says: done,
  },
];

/** The 46 kinds. */
export const faultKinds: readonly FaultKind[] = [
  ...connectionFaults,
  ...silenceFaults,
  ...bodyFaults,
  ...statusFaults,
  ...machineFaults,
];
