import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { createExportTurns, exportsAskedIn } from '../../../src/server/http/mcp-endpoint.ts';

/** As much of a response as a turn uses. */
class Answer extends EventEmitter {
  destroyed = false;
  destroy() {
    this.destroyed = true;
    this.emit('close');
    return this;
  }
}

const answer = () => new Answer() as unknown as ServerResponse & Answer;

/** Whether a promise has settled by now. */
async function settled(promise: Promise<unknown>): Promise<unknown> {
  return await Promise.race([promise, new Promise((resolve) => setImmediate(() => resolve('waits')))]);
}

test('a caller reads one export at a time, and two are read together', async () => {
  const turns = createExportTurns({ together: 2, readMs: 60_000 });
  const [a1, a2, b1, c1] = [answer(), answer(), answer(), answer()];
  const all = [turns.enter('a', a1), turns.enter('a', a2), turns.enter('b', b1), turns.enter('c', c1)];
  const now = async () => await Promise.all(all.map(settled));
  expect(await now()).toEqual([true, 'waits', true, 'waits']);
  a1.destroy();
  expect(await now()).toEqual([true, true, true, 'waits']);
  b1.destroy();
  expect(await now()).toEqual([true, true, true, true]);
});

test('who leaves while waiting loses the turn, and an answer that nobody reads is ended', async () => {
  const turns = createExportTurns({ together: 1, readMs: 20 });
  const [first, left, last] = [answer(), answer(), answer()];
  expect(await turns.enter('a', first)).toBe(true);
  const [gone, next] = [turns.enter('b', left), turns.enter('c', last)];
  left.destroy();
  expect(await gone).toBe(false);
  expect(await next).toBe(true);
  expect(first.destroyed).toBe(true);
});

test('the exports in a batch are counted', () => {
  const read = (uri: unknown) => ({ jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri } });
  expect(exportsAskedIn(read('academy://exports/x'))).toBe(1);
  expect(
    exportsAskedIn([read('academy://north/exports/x'), read('academy://exports/y'), read('academy://account')]),
  ).toBe(2);
  for (const other of [null, 'x', [], [null, 1], read(undefined), { method: 'resources/read' }])
    expect(exportsAskedIn(other)).toBe(0);
});
