import { expect, onTestFinished, test, vi } from 'vitest';
import { askUntil, type HumanAnswer } from '../../../src/mcp/confirmation/elicitation.ts';

test('a call reports every 15 s that it waits for a person, until they answer', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const reports: string[] = [];
  let answer: (given: HumanAnswer) => void = () => {};
  const person = () => new Promise<HumanAnswer>((resolve) => (answer = resolve));
  const ask = askUntil(new AbortController().signal, person, (_done, _total, message) => void reports.push(message));
  const asked = ask('Take the course away?', 'subject');
  await vi.advanceTimersByTimeAsync(59_000);
  expect(reports).toEqual(Array.from({ length: 3 }, () => 'waiting for a person to answer'));
  answer('agreed');
  expect(await asked).toBe('agreed');
  await vi.advanceTimersByTimeAsync(60_000);
  expect(reports).toHaveLength(3);
});

test('a question that the program ends reports nothing more', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const reports: string[] = [];
  const end = new AbortController();
  const ask = askUntil(
    end.signal,
    () => new Promise(() => {}),
    (_done, _total, message) => void reports.push(message),
  );
  const asked = ask('Take the course away?', 'subject').catch((error: Error) => error.message);
  end.abort();
  expect(await asked).toMatch(/shutting down|stopping|ends/);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(reports).toEqual([]);
});
