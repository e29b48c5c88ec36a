import type { Logger } from 'pino';
import type { Operation } from '../contract/operation.ts';
import { AcademyError, RateLimitedError, type WriteOutcome } from '../shared/errors.ts';
import { type Meter, noMeter, secondsSince } from '../shared/metrics.ts';
import type { CallOptions } from './api.ts';
import { type AttemptResult, retryAfterOf } from './http/attempt-result.ts';
import type { EncodedRequest } from './http/encode.ts';
import { isFromProxy } from './http/errors.ts';
import type { Http } from './http/http.ts';
import type { Platform } from './platform.ts';
import type { Attempt, Limiter } from './rate-limit/limiter.ts';
import {
  type AttemptCounts,
  backoffDelay,
  createRetryBudget,
  decideRetry,
  type RetryDecision,
} from './retry-decision.ts';
import { type AuditLog, noAudit, type OpenEntry } from './writes/audit-log.ts';
import type { WriteRecord } from './writes/journal.ts';

export interface SendWithRetriesOptions {
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
  /** The lines of a write in the journal. */
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
  function openEntry(
    operation: Operation,
    input: Record<string, unknown>,
    { origin }: CallOptions,
  ): OpenEntry | 'failed' {
    const { tool = 'none', caller = 'none', traceId } = origin ?? {};
    try {
      return audit.open({ operation, input, tool, caller, traceId });
    } catch (error) {
      log.error({ err: error }, 'the audit log cannot be written');
      return 'failed';
    }
  }

  /** The write has been sent, so its answer counts even if the audit log fails. */
  function closeEntry(entry: OpenEntry, result: AttemptResult, writeOutcome: WriteOutcome): void {
    try {
      entry.close(writeOutcome, 'headers' in result ? result.headers.requestId : undefined);
    } catch (error) {
      log.error({ err: error }, 'a line of the audit log could not be completed');
    }
  }

  /** One request on the wire. */
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
    const entry = write ? openEntry(operation, input, call) : undefined;
    if (entry === 'failed') return { value: unaudited, sent: false };
    // A write that was sent always finishes: closing its connection would only lose the answer.
    const start = performance.now();
    const sentAt = Date.now();
    const result = await http.send(request, { write, signal: write ? undefined : call.signal });
    const status = 'status' in result ? result.status : undefined;
    if (entry !== undefined) closeEntry(entry, result, judge(result).audited);
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
