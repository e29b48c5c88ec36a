import type { Logger } from 'pino';
import type { Operation, Repeat } from '../contract/operation.ts';
import { AcademyError, RateLimitedError, type WriteOutcome } from '../shared/errors.ts';
import { type Meter, noMeter, secondsSince } from '../shared/metrics.ts';
import type { CallOptions } from './api.ts';
import { type AttemptResult, retryAfterOf } from './http/attempt-result.ts';
import type { EncodedRequest } from './http/encode.ts';
import { isFromProxy } from './http/errors.ts';
import type { Http } from './http/http.ts';
import type { Platform } from './platform.ts';
import type { Attempt, Limiter } from './rate-limit/limiter.ts';
import { type AuditLog, noAudit, type OpenEntry } from './writes/audit-log.ts';
import type { WriteRecord } from './writes/journal.ts';
import { writeOutcomeOf } from './writes/write-outcome.ts';

/** Retries of a call so far, by reason. */
export interface AttemptCounts {
  readonly refused: number;
  /** After a failure of a read, or one that proves that the request was not processed. */
  readonly failed: number;
  /** After reading back showed the old value. */
  readonly repeated: number;
}

/**
 * What to do after an attempt. `settled`: the result is final. `verify`: the outcome of a write is unknown, so read back.
 * If that shows the old value and `mayResend` is true, send once more.
 */
type RetryDecision =
  | { readonly next: 'send_again'; readonly why: 'refused' | 'failed' }
  | { readonly next: 'settled' }
  | { readonly next: 'verify'; readonly mayResend: boolean };

const settled: RetryDecision = { next: 'settled' };

function upTo(limit: number, why: 'refused' | 'failed', spent: AttemptCounts): RetryDecision {
  return spent[why] < limit ? { next: 'send_again', why } : settled;
}

/** Retries of a read after this status. A second try rarely cures a 500, and often cures an error of a gateway. */
function readRetries(status: number): number {
  if (status === 500) return 1;
  return [408, 502, 503, 504].includes(status) ? 2 : 0;
}

function afterRead(result: Exclude<AttemptResult, { kind: 'not_sent' }>, spent: AttemptCounts): RetryDecision {
  if (result.kind === 'no_answer') return upTo(2, 'failed', spent);
  if (result.status >= 300) return upTo(readRetries(result.status), 'failed', spent);
  // The answer would be as large the next time.
  if (result.kind === 'body_lost' && result.exceeded !== undefined) return settled;
  const isReadable = result.kind === 'answered' && typeof result.body === 'object';
  return isReadable ? settled : upTo(1, 'failed', spent);
}

function afterWrite(repeat: Repeat, proved: WriteOutcome, spent: AttemptCounts): RetryDecision {
  if (proved !== 'outcome_unknown') return settled;
  return { next: 'verify', mayResend: repeat === 'same_effect' && spent.repeated === 0 };
}

/**
 * The whole retry table. A request that was not sent, or was refused with 429, was not processed, so any operation may
 * retry. Otherwise only a read may: nothing proves that a write was not processed, so the client reads back instead.
 * `proved`: what the answer proves of a write. docs/internals/decisions/0007 gives the reason for each row.
 */
export function decideRetry(
  repeat: Repeat,
  result: AttemptResult,
  spent: AttemptCounts,
  proved: WriteOutcome = writeOutcomeOf(result),
): RetryDecision {
  if (result.kind === 'not_sent') return result.permanent ? settled : upTo(2, 'failed', spent);
  if (result.kind !== 'no_answer' && result.status === 429) return upTo(3, 'refused', spent);
  return repeat === 'safe' ? afterRead(result, spent) : afterWrite(repeat, proved, spent);
}

/** Full jitter: 0 to 500 ms, doubled by each retry, at most 8 s. Milliseconds. */
export function backoffDelay(retries: number, random: number): number {
  return random * Math.min(8_000, 500 * 2 ** retries);
}

/** Retries must not double the load in an outage: at most ten, and one more for every ten successes. */
export function createRetryBudget(maxRetries = 10, perSuccess = 0.1) {
  let left = maxRetries;
  return {
    succeeded: () => {
      left = Math.min(maxRetries, left + perSuccess);
    },
    /** Takes one retry; false if none is left. */
    take: (): boolean => {
      if (left < 1) return false;
      left -= 1;
      return true;
    },
  };
}

interface SendWithRetriesOptions {
  http: Http;
  limiter: Limiter;
  platform: Platform;
  log: Logger;
  audit?: AuditLog | undefined;
  meter?: Meter | undefined;
  random: () => number;
  sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  /** Longest time for all attempts of a call together, in milliseconds. */
  deadlineMs: number;
}

export interface SendRequest {
  operation: Operation;
  request: EncodedRequest;
  /** The arguments, for the audit log. */
  input: Record<string, unknown>;
  call: CallOptions;
  /** A write is sent the second time, because its effect was not seen. */
  isResend?: boolean;
  record?: WriteRecord | undefined;
  /** What an attempt proves of a write, and what the audit log records for it. */
  judge: (result: AttemptResult) => { readonly proved: WriteOutcome; readonly audited: WriteOutcome };
}

export interface SendResult {
  readonly result: AttemptResult;
  readonly decision: Exclude<RetryDecision, { next: 'send_again' }>;
}

const unrecorded = (error: AcademyError): AttemptResult => ({
  kind: 'not_sent',
  reason: 'no record',
  permanent: true,
  error,
});

const unaudited = unrecorded(
  new AcademyError('internal', 'the audit log cannot be written, so nothing was sent', {
    hint: 'The operator of this server should check ACADEMY_AUDIT_LOG; the server log says more.',
    outcome: 'not_applied',
  }),
);

/** How long a key is not used after the API refused it: each try would cost the account a request. */
const refusedKeyMs = 30_000;

/**
 * Sends a request as often as the retry table allows. Each attempt passes the limiter and, for a write, the audit log.
 */
export function createSendWithRetries(options: SendWithRetriesOptions) {
  const { http, limiter, platform, log, audit = noAudit, meter = noMeter, random, sleep, deadlineMs } = options;
  const retries = createRetryBudget();
  let refusedKey: { result: AttemptResult; until: number } | undefined;

  function notice(result: AttemptResult): void {
    if (!('status' in result)) return;
    if (result.status === 429) {
      limiter.refused(retryAfterOf(result));
      return;
    }
    limiter.accepted();
    if (result.status === 401 && !isFromProxy(result)) refusedKey = { result, until: performance.now() + refusedKeyMs };
    if (result.status < 400) retries.succeeded();
  }

  function learn(result: AttemptResult, sentAt: number): void {
    if (!('status' in result)) return;
    const isJson = result.kind === 'answered' && typeof result.body === 'object';
    platform.learn(result.headers, { sentAt, answeredAt: Date.now() }, isJson && result.status < 300);
  }

  /** If the audit log cannot record a write, the write is not sent. */
  async function openEntry(
    operation: Operation,
    input: Record<string, unknown>,
    { origin }: CallOptions,
  ): Promise<OpenEntry | 'failed'> {
    const { tool = 'none', caller = 'none', traceId } = origin ?? {};
    try {
      return await audit.open({ operation, input, tool, caller, traceId });
    } catch (error) {
      log.error({ err: error }, 'the audit log cannot be written');
      return 'failed';
    }
  }

  /** The write has been sent, so its answer counts even if the audit log fails. */
  async function closeEntry(entry: OpenEntry, result: AttemptResult, writeOutcome: WriteOutcome): Promise<void> {
    try {
      await entry.close(writeOutcome, 'headers' in result ? result.headers.requestId : undefined);
    } catch (error) {
      log.error({ err: error }, 'a line of the audit log could not be completed');
    }
  }

  async function attempt({
    operation,
    request,
    input,
    call,
    judge,
    record,
  }: SendRequest): Promise<Attempt<AttemptResult>> {
    call.onRequest?.();
    const write = operation.effect !== 'read';
    const problem = await record?.begin();
    if (problem !== undefined) return { value: unrecorded(problem), sent: false };
    const entry = write ? await openEntry(operation, input, call) : undefined;
    if (entry === 'failed') return { value: unaudited, sent: false };
    // A write that was sent always finishes: closing its connection would only lose the answer.
    const start = performance.now();
    const sentAt = Date.now();
    const result = await http.send(request, { write, signal: write ? undefined : call.signal });
    const status = 'status' in result ? result.status : undefined;
    if (entry !== undefined) await closeEntry(entry, result, judge(result).audited);
    if (record !== undefined && 'headers' in result) record.requestId = result.headers.requestId;
    learn(result, sentAt);
    meter.request(operation.id, String(status ?? result.kind), secondsSince(start));
    notice(result);
    const trace_id = call.origin?.traceId;
    log.debug({ operation: operation.id, outcome: result.kind, status, trace_id }, 'request');
    return { value: result, sent: result.kind !== 'not_sent' };
  }

  /** Waits for a turn. If none comes in time, the result of the previous attempt is the answer. */
  async function attemptInTurn(sending: SendRequest, before: AttemptResult | undefined): Promise<AttemptResult> {
    const { priority = 'interactive', signal, onWait } = sending.call;
    const turn = { priority: before === undefined ? priority : 'retry', signal, onWait } as const;
    const start = performance.now();
    const inTurn = () => {
      meter.wait(secondsSince(start));
      return attempt(sending);
    };
    return await limiter.take(inTurn, turn).catch((error: unknown) => {
      if (before !== undefined && error instanceof RateLimitedError) return before;
      throw error;
    });
  }

  /** False if another attempt would be too late, or if an outage has used up the retries. */
  async function mayGoAgain(
    why: 'refused' | 'failed',
    failed: number,
    until: number,
    signal?: AbortSignal,
  ): Promise<boolean> {
    if (signal?.aborted || performance.now() > until) return false;
    // After a 429 the limiter makes every request wait.
    if (why === 'refused') return true;
    const pause = backoffDelay(failed, random());
    if (performance.now() + pause > until || !retries.take()) return false;
    await sleep(pause, signal);
    return true;
  }

  const isKeyRefused = () => refusedKey !== undefined && performance.now() < refusedKey.until;

  async function send(sending: SendRequest): Promise<SendResult> {
    if (refusedKey !== undefined && isKeyRefused()) {
      return { result: refusedKey.result, decision: { next: 'settled' } };
    }
    const { repeat } = sending.operation;
    const until = performance.now() + deadlineMs;
    let spent: AttemptCounts = { refused: 0, failed: 0, repeated: sending.isResend ? 1 : 0 };
    let result: AttemptResult | undefined;
    for (;;) {
      const before = result;
      result = await attemptInTurn(sending, before);
      const decision =
        result === before
          ? ({ next: 'settled' } as const)
          : decideRetry(repeat, result, spent, sending.judge(result).proved);
      if (decision.next !== 'send_again') return { result, decision };
      if (!(await mayGoAgain(decision.why, spent.failed, until, sending.call.signal))) {
        return { result, decision: { next: 'settled' } };
      }
      spent = { ...spent, [decision.why]: spent[decision.why] + 1 };
    }
  }

  return { send, isKeyRefused };
}
