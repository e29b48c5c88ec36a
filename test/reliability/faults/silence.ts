import { setTimeout as sleep } from 'node:timers/promises';
import type { Exchange, FaultKind } from '../fault.ts';
import { answerBytes } from '../raw-http.ts';
import { done, lost } from '../says.ts';

/** Longer than the time-out that the program is given, in milliseconds, but shorter than its first look by 1 s. */
const lateMs = 2_300;

async function lateWork({ socket, work }: Exchange): Promise<void> {
  await sleep(lateMs);
  const answer = answerBytes(await work());
  if (socket.writable) socket.write(answer);
}

/** Does the work, then answers with these bytes, or with none, and ends the connection. */
const afterWork = (bytes: string, end: (exchange: Exchange) => void) => async (exchange: Exchange) => {
  await exchange.work();
  if (bytes !== '') exchange.socket.write(bytes);
  end(exchange);
};

/** Faults after which no status ever comes: the request was there, and nothing says what became of it. */
export const silenceFaults: readonly FaultKind[] = [
  {
    name: 'RST after body',
    how: 'done, then reset without an answer',
    applied: 'before',
    fault: { at: 'body', act: afterWork('', ({ socket }) => socket.resetAndDestroy()) },
    says: done,
    short: true,
  },
  {
    name: 'FIN after body',
    how: 'read whole, not done, closed without an answer',
    applied: 'never',
    fault: { at: 'body', act: ({ socket }) => socket.end() },
    says: lost,
  },
  {
    name: 'never answers',
    how: 'read whole, not done, and silence',
    applied: 'never',
    fault: { at: 'body', act: () => {} },
    says: lost,
  },
  {
    name: 'answers after timeout',
    how: 'done and answered, both after the client has given up',
    applied: 'late',
    // Not awaited, and of no interest once the sandbox has closed.
    fault: { at: 'body', act: (exchange) => void lateWork(exchange).catch(() => {}) },
    says: done,
    short: true,
  },
  {
    name: '100-continue then nothing',
    how: 'an interim answer that nobody asked for, not done, and silence',
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
