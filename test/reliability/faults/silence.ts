import { setTimeout as sleep } from 'node:timers/promises';
import type { Exchange, FaultKind } from '../fault.ts';
import { answerBytes } from '../raw-http.ts';
import { done, lost } from '../says.ts';

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
export const silenceFaults: readonly FaultKind[] = [
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
