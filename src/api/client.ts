import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Answer, ParsedAnswer } from '../contract/answer.ts';
import type { InputOf, Operation } from '../contract/operation.ts';
import { AcademyError, RateLimitedError } from '../errors.ts';
import { type EncodedRequest, encodeRequest } from './encode.ts';
import { errorOfAnswer, errorOfSilence, unreadableAnswer } from './errors.ts';
import type { Http } from './http.ts';
import type { Attempt, Budget, Limiter, Priority } from './limiter.ts';
import { type Outcome, parseRetryAfter } from './outcome.ts';
import { emptyAnswer, parseAnswer } from './parse.ts';
import { backOff, decide, type Spent } from './retry.ts';

export interface CallOptions {
  /** Ends a wait and a read at once; a write that was sent is let finish. */
  signal?: AbortSignal | undefined;
  priority?: Exclude<Priority, 'retry'> | undefined;
  onWait?: ((milliseconds: number) => void) | undefined;
  /** Counts each request that is sent. */
  onRequest?: (() => void) | undefined;
}

/** What a tool sees of the API. */
export interface Api {
  /** Sends one operation, as often as is safe, and reads its answer. Throws `AcademyError`. */
  call<O extends Operation>(
    operation: O,
    input: InputOf<O>,
    options?: CallOptions,
  ): Promise<ParsedAnswer<O['response']>>;
}

export interface ApiClient extends Api {
  budget(): Budget;
  close(): Promise<void>;
}

export interface ApiClientOptions {
  baseUrl: URL;
  http: Http;
  limiter: Limiter;
  log: Logger;
  /** Hears each answer as it was read. */
  onAnswer?: (operation: Operation, answer: object) => void;
  random?: () => number;
  sleep?: (milliseconds: number, signal: AbortSignal | undefined) => Promise<void>;
}

const pause = (milliseconds: number, signal: AbortSignal | undefined): Promise<void> =>
  setTimeout(milliseconds, undefined, signal === undefined ? {} : { signal });

function cancelled(operation: Operation): AcademyError {
  const isWrite = operation.effect !== 'read';
  const message = isWrite ? 'the call was cancelled before it was sent; nothing was changed' : 'the call was cancelled';
  return new AcademyError('cancelled', message, isWrite ? { outcome: 'not_applied' } : {});
}

export function createApiClient(options: ApiClientOptions): ApiClient {
  const { baseUrl, http, limiter, log, onAnswer, random = Math.random, sleep = pause } = options;

  /** One request on the wire. Tells the limiter what came of it. */
  async function attempt(operation: Operation, request: EncodedRequest, call: CallOptions): Promise<Attempt<Outcome>> {
    call.onRequest?.();
    const write = operation.effect !== 'read';
    const outcome = await http.send(request, { write, signal: write ? undefined : call.signal });
    if (outcome.kind === 'answered' && outcome.status !== 429) limiter.accepted();
    if ('status' in outcome && outcome.status === 429) limiter.refused(retryAfterOf(outcome));
    const { kind } = outcome;
    log.debug({ operation: operation.id, outcome: kind, status: 'status' in outcome ? outcome.status : undefined });
    return { value: outcome, sent: kind !== 'not_sent' };
  }

  async function sendUntilDecided(operation: Operation, request: EncodedRequest, call: CallOptions): Promise<Outcome> {
    const spent: Spent = { refused: 0, failed: 0 };
    let outcome: Outcome | undefined;
    for (let retries = 0; ; retries += 1) {
      const priority = retries > 0 ? 'retry' : (call.priority ?? 'interactive');
      const turn = { priority, signal: call.signal, onWait: call.onWait } as const;
      const before = outcome;
      outcome = await limiter
        .take(() => attempt(operation, request, call), turn)
        .catch((error: unknown) => {
          // No time for another try: what the last one brought is the answer.
          if (before !== undefined && error instanceof RateLimitedError) return before;
          throw error;
        });
      if (outcome === before) return outcome;
      const decision = decide(operation.repeat, outcome, spent);
      if (!decision.retry || call.signal?.aborted) return outcome;
      Object.assign(spent, { [decision.why]: spent[decision.why] + 1 });
      // After a 429 the limiter itself waits; here it would only add to that.
      if (decision.why === 'failed') await sleep(backOff(spent.failed - 1, random()), call.signal);
    }
  }

  function read<A extends Answer>(operation: Operation, answer: A, outcome: Outcome): ParsedAnswer<A> {
    if (!('status' in outcome)) throw errorOfSilence(operation, outcome);
    if (outcome.status >= 300) throw errorOfAnswer(operation, outcome, retryAfterOf(outcome));
    const body = outcome.kind === 'answered' ? outcome.body : 'not_json';
    if (typeof body === 'object') return parse(operation, answer, body.json);
    // A 2xx to a write means that it was done, whatever became of the body.
    if (operation.effect !== 'read') return emptyAnswer(answer);
    throw unreadableAnswer(outcome.status);
  }

  function parse<A extends Answer>(operation: Operation, answer: A, json: unknown): ParsedAnswer<A> {
    const unreadable: string[] = [];
    try {
      return parseAnswer(answer, json, (path) => unreadable.push(path));
    } catch (error) {
      if (operation.effect === 'read') throw error;
      return emptyAnswer(answer);
    } finally {
      if (unreadable.length > 0)
        log.warn(
          { operation: operation.id, fields: unreadable.slice(0, 20) },
          'fields of an unexpected type were left out',
        );
    }
  }

  async function call<O extends Operation>(operation: O, input: InputOf<O>, call: CallOptions = {}) {
    const request = encodeRequest(baseUrl, operation, input);
    const outcome = await sendUntilDecided(operation, request, call).catch((error: unknown) => {
      if (call.signal?.aborted) throw cancelled(operation);
      throw error;
    });
    if (call.signal?.aborted && !('status' in outcome)) throw errorAfterCancel(operation, outcome);
    const answer = read<O['response']>(operation, operation.response, outcome);
    onAnswer?.(operation, answer);
    return answer;
  }

  return {
    call,
    budget: limiter.budget,
    close: async () => {
      await limiter.stop();
      await http.close();
    },
  };
}

function errorAfterCancel(operation: Operation, outcome: Exclude<Outcome, { status: number }>): AcademyError {
  const unknown = operation.effect !== 'read' && outcome.kind === 'no_answer';
  return unknown ? errorOfSilence(operation, outcome) : cancelled(operation);
}

function retryAfterOf(outcome: Extract<Outcome, { status: number }>): number | undefined {
  return parseRetryAfter(outcome.headers.retryAfter, Date.now());
}
