import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type AttemptResult, parseRetryAfter } from '../../src/api/http/attempt-result.ts';
import { type AttemptCounts, backoffDelay, createRetryBudget, decideRetry } from '../../src/api/send-with-retries.ts';
import { writeOutcomeOf } from '../../src/api/writes/write-outcome.ts';
import type { Repeat } from '../../src/contract/operation.ts';

const whole = { kind: 'answered', status: 200, headers: {}, body: 'json', json: {} } as const;
const answered = (status: number): AttemptResult => ({ ...whole, status });
const notSent: AttemptResult = { kind: 'not_sent', reason: 'ECONNREFUSED', permanent: false };
const wrongAddress: AttemptResult = { kind: 'not_sent', reason: 'ENOTFOUND', permanent: true };
const noAnswer: AttemptResult = { kind: 'no_answer', reason: 'ECONNRESET', timedOut: false };
const bodyLost: AttemptResult = { ...whole, body: 'lost' };
const notJson: AttemptResult = { ...whole, body: 'text' };

const writes: Repeat[] = ['same_effect', 'creates', 'time_bound'];

const fresh: AttemptCounts = { refused: 0, failed: 0, repeated: 0 };

/** How often a request with this result is retried, and the decision after that. */
function endOf(repeat: Repeat, outcome: AttemptResult): { retries: number; next: string } {
  let spent = fresh;
  for (let retries = 0; retries < 20; retries += 1) {
    const decision = decideRetry(repeat, outcome, spent, writeOutcomeOf(outcome));
    if (decision.next !== 'send_again') return { retries, next: decision.next };
    spent = { ...spent, [decision.why]: spent[decision.why] + 1 };
  }
  throw new Error('it never ends');
}

const retriesOf = (repeat: Repeat, outcome: AttemptResult) => endOf(repeat, outcome).retries;

test('reads and writes that were not sent are retried, except to a host that does not exist', () => {
  for (const repeat of ['safe', ...writes] as const) {
    expect(retriesOf(repeat, notSent)).toBe(2);
    expect(retriesOf(repeat, wrongAddress)).toBe(0);
  }
});

test('reads and writes are retried after a 429', () => {
  for (const repeat of ['safe', ...writes] as const) expect(retriesOf(repeat, answered(429))).toBe(3);
});

test('a write with a proved outcome is settled, any other is verified, and none is retried', () => {
  const table: [AttemptResult, 'settled' | 'verify'][] = [
    [noAnswer, 'verify'],
    ...[200, 201, 204, 400, 401, 403, 404, 409, 422].map((status): [AttemptResult, 'settled'] => [
      answered(status),
      'settled',
    ]),
    ...[100, 301, 302, 408, 500, 502, 503, 504].map((status): [AttemptResult, 'verify'] => [
      answered(status),
      'verify',
    ]),
    [bodyLost, 'settled'],
    [notJson, 'verify'],
  ];
  for (const repeat of writes) {
    for (const [outcome, next] of table) {
      expect(endOf(repeat, outcome), `${repeat} ${JSON.stringify(outcome)}`).toEqual({ retries: 0, next });
    }
  }
});

test('an outage uses up the retry budget, and successes refill it', () => {
  const budget = createRetryBudget(2, 0.5);
  expect([budget.take(), budget.take(), budget.take()]).toEqual([true, true, false]);
  budget.succeeded();
  expect(budget.take()).toBe(false);
  budget.succeeded();
  expect(budget.take()).toBe(true);
});

test('a read is retried after network and gateway failures only', () => {
  const table: [AttemptResult, number][] = [
    [noAnswer, 2],
    [bodyLost, 1],
    [notJson, 1],
    [answered(200), 0],
    [answered(302), 0],
    [answered(400), 0],
    [answered(401), 0],
    [answered(403), 0],
    [answered(404), 0],
    [answered(422), 0],
    [answered(408), 2],
    [answered(500), 1],
    [answered(502), 2],
    [answered(503), 2],
    [answered(504), 2],
  ];
  for (const [outcome, retries] of table) expect(retriesOf('safe', outcome), JSON.stringify(outcome)).toBe(retries);
});

test('the pause between retries grows, has jitter and a maximum', () => {
  expect([0, 1, 2, 3, 4, 9].map((retries) => backoffDelay(retries, 1))).toEqual([500, 1000, 2000, 4000, 8000, 8000]);
  expect(backoffDelay(3, 0)).toBe(0);
});

test('Retry-After is parsed as seconds or as a date, and any other value is ignored', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');
  expect(parseRetryAfter('57', now)).toBe(57_000);
  expect(parseRetryAfter(' 0 ', now)).toBe(0);
  expect(parseRetryAfter('Thu, 01 Jan 2026 00:00:30 GMT', now)).toBe(30_000);
  for (const value of [
    undefined,
    '',
    'soon',
    '-1',
    '1e9',
    '99999999',
    'Thu, 01 Jan 2099 00:00:00 GMT',
    'Thu, 01 Jan 1970 00:00:00 GMT',
  ]) {
    expect(parseRetryAfter(value, now), String(value)).toBeUndefined();
  }
  fc.assert(
    fc.property(fc.string(), (value) => {
      const wait = parseRetryAfter(value, now);
      expect(wait === undefined || (wait >= 0 && wait <= 120_000)).toBe(true);
    }),
  );
});
