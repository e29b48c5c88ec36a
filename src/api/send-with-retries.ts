import type { Operation, Repeat } from '../contract/operation.ts';
import { AcademyError, RateLimitedError, type WriteOutcome } from '../shared/errors.ts';
import type { Json } from '../shared/json.ts';
import { noMeter, secondsSince } from '../shared/metrics.ts';
import type { ApiClientOptions, CallOptions } from './api.ts';
import { type Answered, type AttemptResult, requestIdOf, retryAfterOf } from './http/attempt-result.ts';
import type { EncodedRequest } from './http/encode.ts';
import { isFromProxy } from './http/errors.ts';
import type { Priority } from './rate-limit/limiter.ts';
import type { OpenEntry } from './writes/audit-log.ts';
import type { WriteRecord } from './writes/journal.ts';
import { type Judgement, judgeAnswer } from './writes/judge-answer.ts';

/** Retries of a call so far, by reason. */
export interface AttemptCounts {
  readonly refused: number;
  /** After a failure of a read, or one that proves that the request was not processed. */
  readonly failed: number;
  /** After reading back showed the old value. */
  readonly repeated: number;
}

/** `verify`: the outcome of a write is unknown, so read back. If that shows the old value, `mayResend` allows one more attempt. */
type RetryDecision =
  | { readonly next: 'send_again'; readonly why: 'refused' | 'failed' }
  | { readonly next: 'settled' }
  | { readonly next: 'verify'; readonly mayResend: boolean };

const settled = { next: 'settled' } as const;

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
  // An answer above a limit would be as large the next time.
  return result.body === 'json' || result.exceeded !== undefined ? settled : upTo(1, 'failed', spent);
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
  proved: WriteOutcome,
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
    take: (): boolean => {
      if (left < 1) return false;
      left -= 1;
      return true;
    },
  };
}

type Options = Pick<ApiClientOptions, 'http' | 'limiter' | 'log' | 'audit' | 'meter' | 'deadlineMs'> & {
  /** Learns from an answer that has just arrived. `sentAt`: in milliseconds of our clock since 1970. */
  onArrival: (result: Answered, sentAt: number) => void;
  random: () => number;
  sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
};

export interface SendRequest {
  operation: Operation;
  request: EncodedRequest;
  /** The arguments, for the judge and the audit log. */
  input: Json;
  call: CallOptions;
  /** A write is sent the second time, because its effect was not seen. */
  isResend?: boolean;
  record?: WriteRecord | undefined;
}

interface Attempted {
  readonly result: AttemptResult;
  readonly judgement: Judgement;
}

export interface SendResult extends Attempted {
  readonly decision: Exclude<RetryDecision, { next: 'send_again' }>;
}

/** How long a key is not used after the API refused it: each try would cost the account a request. */
const refusedKeyMs = 30_000;

/** Sends a request as often as the retry table allows. Each attempt passes the limiter and, for a write, the audit log. */
export function createSendWithRetries(options: Options) {
  const { http, limiter, log, onArrival, audit, meter = noMeter, random, sleep, deadlineMs } = options;
  const retries = createRetryBudget();
  let refusedKey: { result: AttemptResult; until: number } | undefined;

  function learn(result: AttemptResult, sentAt: number): void {
    if (result.kind !== 'answered') return;
    onArrival(result, sentAt);
    if (result.status === 429) {
      limiter.refused(retryAfterOf(result));
      return;
    }
    limiter.accepted();
    if (result.status === 401 && !isFromProxy(result)) refusedKey = { result, until: performance.now() + refusedKeyMs };
    if (result.status < 400) retries.succeeded();
  }

  /** If the audit log cannot record a write, the write is not sent. */
  async function openEntry({ operation, input, call }: SendRequest): Promise<OpenEntry | AcademyError | undefined> {
    const { tool = 'none', caller = 'none', traceId } = call.origin ?? {};
    try {
      return await audit?.open({ operation, input, tool, caller, traceId });
    } catch (cause) {
      log.error({ err: cause }, 'the audit log cannot be written');
      const hint = 'The operator of this server should check ACADEMY_AUDIT_LOG; the server log says more.';
      const message = 'the audit log cannot be written, so nothing was sent';
      return new AcademyError('internal', message, { hint, outcome: 'not_applied', cause });
    }
  }

  /** The write has been sent, so its answer counts even if the audit log fails. */
  async function closeEntry(entry: OpenEntry, { result, judgement }: Attempted): Promise<void> {
    try {
      await entry.close(judgement.audited, requestIdOf(result));
    } catch (error) {
      log.error({ err: error }, 'a line of the audit log could not be completed');
    }
  }

  function judged({ operation, input, call }: SendRequest, result: AttemptResult): Attempted {
    return { result, judgement: judgeAnswer(operation, input, call.journal?.old?.values, result) };
  }

  async function sendOnce(sending: SendRequest): Promise<Attempted> {
    const { operation, request, call, record } = sending;
    call.onRequest?.();
    const isWrite = operation.effect !== 'read';
    const entry = (await record?.begin()) ?? (isWrite ? await openEntry(sending) : undefined);
    if (entry instanceof AcademyError)
      return judged(sending, { kind: 'not_sent', reason: 'no record', permanent: true, error: entry });
    // A write that was sent always finishes: closing its connection would only lose the answer.
    const start = performance.now();
    const sentAt = Date.now();
    const result = await http.send(request, { write: isWrite, signal: isWrite ? undefined : call.signal });
    const attempted = judged(sending, result);
    if (entry !== undefined) await closeEntry(entry, attempted);
    if (record !== undefined) record.requestId = requestIdOf(result) ?? record.requestId;
    learn(result, sentAt);
    const status = result.kind === 'answered' ? result.status : undefined;
    meter.request(operation.id, String(status ?? result.kind), secondsSince(start));
    log.debug({ operation: operation.id, outcome: result.kind, status, trace_id: call.origin?.traceId }, 'request');
    return attempted;
  }

  async function attempt(sending: SendRequest, priority: Priority): Promise<Attempted> {
    const { signal, onWait } = sending.call;
    const start = performance.now();
    const inTurn = async (noteUnsent: () => void) => {
      meter.wait(secondsSince(start));
      const attempted = await sendOnce(sending);
      if (attempted.result.kind === 'not_sent') noteUnsent();
      return attempted;
    };
    return await limiter.take(inTurn, { priority, signal, onWait });
  }

  /** Waits before another attempt. False if that would be too late, or if an outage has used up the retries. */
  async function pause(why: 'refused' | 'failed', failed: number, until: number, signal?: AbortSignal) {
    if (signal?.aborted || performance.now() > until) return false;
    // After a 429 the limiter makes every request wait.
    if (why === 'refused') return true;
    const delay = backoffDelay(failed, random());
    if (performance.now() + delay > until || !retries.take()) return false;
    await sleep(delay, signal);
    return true;
  }

  const isKeyRefused = () => refusedKey !== undefined && performance.now() < refusedKey.until;

  async function send(sending: SendRequest): Promise<SendResult> {
    const { operation, call, isResend } = sending;
    if (refusedKey !== undefined && isKeyRefused()) return { ...judged(sending, refusedKey.result), decision: settled };
    const until = performance.now() + deadlineMs;
    const spent = { refused: 0, failed: 0, repeated: isResend ? 1 : 0 };
    let last = await attempt(sending, call.priority ?? 'interactive');
    for (;;) {
      const decision = decideRetry(operation.repeat, last.result, spent, last.judgement.proved);
      if (decision.next !== 'send_again') return { ...last, decision };
      if (!(await pause(decision.why, spent.failed, until, call.signal))) return { ...last, decision: settled };
      spent[decision.why] += 1;
      try {
        last = await attempt(sending, 'retry');
      } catch (error) {
        // No turn comes in time: the result of the attempt before is the answer.
        if (error instanceof RateLimitedError) return { ...last, decision: settled };
        throw error;
      }
    }
  }

  return { send, isKeyRefused };
}
