import { expect, test } from 'vitest';
import { RateLimitedError } from '../../src/shared/errors.ts';
import { createCallerTurns } from '../../src/shared/turns.ts';

const never = new AbortController().signal;

test('callers take turns, have two that wait at most, and a cancelled one leaves', async () => {
  const turns = createCallerTurns('exports');
  const order: string[] = [];
  let end = () => {};
  const held = new Promise<void>((resolve) => {
    end = resolve;
  });
  const take = (caller: string, name: string, signal = never, work = async () => {}) =>
    turns({ caller, signal }, async (othersWait) => {
      order.push(`${name}${othersWait() ? '' : ' alone'}`);
      await work();
    });
  const gone = new AbortController();
  const first = take('a', 'a1', never, () => held);
  const all = [first, take('a', 'a2'), take('a', 'a3'), take('b', 'b1'), take('c', 'c1'), take('b', 'b2')];
  const left = take('c', 'c2', gone.signal);
  await expect(take('a', 'a4')).rejects.toThrow(RateLimitedError);
  await expect(take('d', 'd1', AbortSignal.abort())).rejects.toThrow('cancelled');
  gone.abort();
  await expect(left).rejects.toThrow('cancelled');
  end();
  await Promise.all(all);
  expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3 alone']);
});

test('a turn ends with an error too', async () => {
  const turns = createCallerTurns('exports');
  const failed = turns({ caller: 'a', signal: never }, () => Promise.reject(new Error('no')));
  await expect(failed).rejects.toThrow('no');
  expect(await turns({ caller: 'a', signal: never }, async () => 1)).toBe(1);
});

test('two run together, and who leaves while waiting loses the turn', async () => {
  const turns = createCallerTurns('exports', { together: 2, mostWaiting: Number.POSITIVE_INFINITY });
  const ends = new Map<string, () => void>();
  const take = (caller: string, signal = never) =>
    turns({ caller, signal }, () => new Promise<void>((resolve) => ends.set(caller, resolve)));
  const gone = new AbortController();
  const running = [take('a'), take('b')];
  const left = take('c', gone.signal);
  const last = take('d');
  await expect.poll(() => [...ends.keys()]).toEqual(['a', 'b']);
  gone.abort();
  await expect(left).rejects.toThrow('cancelled');
  ends.get('a')?.();
  await expect.poll(() => [...ends.keys()]).toEqual(['a', 'b', 'd']);
  for (const end of ends.values()) end();
  await Promise.all([...running, last]);
});
