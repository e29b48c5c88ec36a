import type { Agent, Dispatcher } from 'undici';
import type { EncodedRequest } from './encode.ts';
import { type AnswerHeaders, type Outcome, parseBody } from './outcome.ts';

export interface HttpOptions {
  /** The value of the Authorization header. Sent to the base URL's origin alone, since redirects are not followed. */
  authorization: string;
  userAgent: string;
  /** Longest time from the first byte sent to the last byte received, in milliseconds. */
  timeoutMs: number;
}

export interface Http {
  /** One attempt. Never throws for what the network does; a write goes over a connection of its own. */
  send(request: EncodedRequest, options: { write: boolean; signal?: AbortSignal | undefined }): Promise<Outcome>;
  close(): Promise<void>;
}

const connectTimeoutMs = 5_000;
/** Lists without pages can be long, but an answer of this size is a fault. */
const largestAnswer = 64 * 1024 * 1024;

/** Set up wrongly, not down: another try cannot help. */
const permanentFailure = /^(ENOTFOUND|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|ERR_TLS_|ERR_SSL_|HOSTNAME_MISMATCH)/;

interface Undici {
  request: typeof import('undici').request;
  reads: Agent;
  writes: Agent;
}

/** undici takes 50 ms to load, so it is loaded by the first request and not at start. */
async function openUndici(timeoutMs: number): Promise<Undici> {
  // Through `default`: undici is CommonJS, whose other names a bundler cannot know.
  const { Agent, request } = (await import('undici')).default;
  const options = {
    allowH2: false,
    connect: { timeout: Math.min(connectTimeoutMs, timeoutMs) },
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    maxResponseSize: largestAnswer,
  };
  // A kept-alive connection that the server closes while we write makes a write ambiguous: writes never reuse one.
  return {
    request,
    reads: new Agent({ ...options, connections: 8 }),
    writes: new Agent({ ...options, pipelining: 0 }),
  };
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : error.name;
}

/** Tells when the request is about to be written to a socket: before that, it was provably not sent. */
function watched(agent: Agent, onSend: () => void): Dispatcher {
  return agent.compose((dispatch) => (options, handler) => {
    const onRequestStart: NonNullable<Dispatcher.DispatchHandler['onRequestStart']> = (controller, context) => {
      onSend();
      handler.onRequestStart?.(controller, context);
    };
    return dispatch(options, {
      onRequestStart,
      onRequestUpgrade: (...event) => handler.onRequestUpgrade?.(...event),
      onResponseStart: (...event) => handler.onResponseStart?.(...event),
      onResponseData: (...event) => handler.onResponseData?.(...event),
      onResponseEnd: (...event) => handler.onResponseEnd?.(...event),
      onResponseError: (...event) => handler.onResponseError?.(...event),
    });
  });
}

function headersOf(headers: Record<string, string | string[] | undefined>): AnswerHeaders {
  const first = (name: string) => [headers[name]].flat()[0];
  return { requestId: first('x-request-id')?.slice(0, 200), retryAfter: first('retry-after') };
}

export function createHttp({ authorization, userAgent, timeoutMs }: HttpOptions): Http {
  let opened: Promise<Undici> | undefined;

  function headersFor(request: EncodedRequest): Record<string, string> {
    const headers = { authorization, accept: 'application/json', 'user-agent': userAgent };
    return request.body === undefined ? headers : { ...headers, 'content-type': 'application/json' };
  }

  async function send(
    request: EncodedRequest,
    options: { write: boolean; signal?: AbortSignal | undefined },
  ): Promise<Outcome> {
    opened ??= openUndici(timeoutMs);
    const undici = await opened;
    let sent = false;
    const dispatcher = watched(options.write ? undici.writes : undici.reads, () => {
      sent = true;
    });
    const timeout = AbortSignal.timeout(timeoutMs);
    const signal = options.signal === undefined ? timeout : AbortSignal.any([timeout, options.signal]);
    const { method, url, body = null } = request;
    const wanted = { method: method as Dispatcher.HttpMethod, headers: headersFor(request), body, dispatcher, signal };
    try {
      return await readAnswer(await undici.request(url, wanted));
    } catch (error) {
      const reason = codeOf(error);
      if (!sent) return { kind: 'not_sent', reason, permanent: permanentFailure.test(reason) };
      return { kind: 'no_answer', reason, timedOut: timeout.aborted || reason.endsWith('_TIMEOUT') };
    }
  }

  return {
    send,
    close: async () => {
      const undici = await opened;
      await Promise.all([undici?.reads.close(), undici?.writes.close()]);
    },
  };
}

async function readAnswer(response: Dispatcher.ResponseData): Promise<Outcome> {
  const { statusCode: status } = response;
  const headers = headersOf(response.headers);
  try {
    return { kind: 'answered', status, headers, body: parseBody(await response.body.text()) };
  } catch (error) {
    return { kind: 'body_lost', status, headers, reason: codeOf(error) };
  }
}
