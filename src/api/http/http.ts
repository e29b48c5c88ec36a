import type { Agent, Dispatcher } from 'undici';
import { deadline } from '../../shared/deadline.ts';
import {
  type AnswerHeaders,
  type AnswerLimit,
  type AttemptResult,
  answerLimitExceededBy,
  errorTextOf,
  maxAnswerBytes,
  parseBody,
} from './attempt-result.ts';
import type { EncodedRequest } from './encode.ts';

interface HttpOptions {
  /**
   * The value of the Authorization header. Sent only to the origin of the base URL, since redirects are not followed.
   */
  authorization: string;
  userAgent: string;
  /** Longest time from the first byte sent to the last byte received, in milliseconds. */
  timeoutMs: number;
  /** Whether to honour HTTPS_PROXY, HTTP_PROXY and NO_PROXY. Not for an academy on this machine. */
  usesProxy?: boolean;
}

export interface Http {
  /** One attempt. Never throws for network failures. Each write uses a connection of its own. */
  send(request: EncodedRequest, options: { write: boolean; signal?: AbortSignal | undefined }): Promise<AttemptResult>;
  close(): Promise<void>;
}

const connectTimeoutMs = 5_000;

const badProxyUrl = 'HTTPS_PROXY is not the URL of a proxy';

/** A wrong configuration, not an outage: a retry cannot help. */
const permanentFailure =
  /^(HTTPS_PROXY|the proxy answered 40[37]|ENOTFOUND|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|ERR_TLS_|ERR_SSL_|HOSTNAME_MISMATCH)/;

/** undici's code for a body of more than `maxResponseSize`. */
const tooManyBytes = 'UND_ERR_RES_EXCEEDED_MAX_SIZE';

/** The option that holds the callback for the start of a request. undici passes unknown options on. */
const onSend = Symbol('onSend');

/** undici takes 50 ms to load, so the first request loads it, not the start of the program. */
async function openUndici({ timeoutMs, usesProxy = false }: HttpOptions) {
  // Through `default`: undici is CommonJS, and a bundler cannot know its other names.
  const { Agent, EnvHttpProxyAgent, request } = (await import('undici')).default;
  const createAgent = (more: Agent.Options) => {
    if (!usesProxy) return new Agent(more);
    try {
      return new EnvHttpProxyAgent(more);
    } catch (cause) {
      throw Object.assign(new Error(badProxyUrl, { cause }), { code: badProxyUrl });
    }
  };
  const options = {
    allowH2: false,
    connect: { timeout: Math.min(connectTimeoutMs, timeoutMs) },
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    maxResponseSize: maxAnswerBytes,
  };
  // If the server closes a kept-alive connection during a write, the outcome is unknown. So writes never reuse one.
  return {
    request,
    reads: watched(createAgent({ ...options, connections: 8 })),
    writes: watched(createAgent({ ...options, pipelining: 0 })),
  };
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  // undici gives the status of a proxy that refuses a tunnel only in the message.
  const [, proxyStatus] = /^Proxy response \((\d{3})\)/.exec(error.message) ?? [];
  if (proxyStatus !== undefined) return `the proxy answered ${proxyStatus}`;
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : error.name;
}

/** Reports when a request is about to be written to a socket. Before that it was provably not sent. */
function watched(agent: Dispatcher) {
  const dispatcher = agent.compose(
    (dispatch) => (options: Dispatcher.DispatchOptions & { [onSend]?: () => void }, handler) => {
      const onRequestStart: NonNullable<Dispatcher.DispatchHandler['onRequestStart']> = (controller, context) => {
        options[onSend]?.();
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
    },
  );
  return { agent, dispatcher };
}

/** Headers that may say that an answer is a part, beside what RFC 9110 defines. */
const doubtHeaders = [
  'warning',
  'x-truncated',
  'x-partial',
  'x-partial-content',
  'x-incomplete',
  'x-degraded',
  'x-has-more',
];

function headersOf(headers: Record<string, string | string[] | undefined>): AnswerHeaders {
  const first = (name: string) => {
    const value = headers[name];
    return Array.isArray(value) ? value[0] : value;
  };
  const doubts = doubtHeaders.flatMap((name) => (headers[name] === undefined ? [] : [`${name}: ${first(name)}`]));
  return {
    requestId: first('x-request-id')?.slice(0, 200),
    retryAfter: first('retry-after'),
    contentType: first('content-type')?.toLowerCase(),
    location: first('location'),
    apiVersion: first('x-api-version'),
    date: first('date'),
    age: first('age'),
    link: first('link')?.slice(0, 2_000),
    total: first('x-total-count') ?? first('x-total') ?? first('total-count'),
    contentRange: first('content-range'),
    ...(doubts.length > 0 && { doubts }),
  };
}

export function createHttp(httpOptions: HttpOptions): Http {
  const { authorization, userAgent, timeoutMs } = httpOptions;
  let opened: ReturnType<typeof openUndici> | undefined;

  function headersFor(request: EncodedRequest): Record<string, string> {
    const headers = { authorization, accept: 'application/json', 'user-agent': userAgent };
    return request.body === undefined ? headers : { ...headers, 'content-type': 'application/json' };
  }

  async function send(
    request: EncodedRequest,
    options: { write: boolean; signal?: AbortSignal | undefined },
  ): Promise<AttemptResult> {
    opened ??= openUndici(httpOptions);
    let sent = false;
    const noteSent = () => {
      sent = true;
    };
    const { signal, timedOut, end } = deadline(timeoutMs, options.signal);
    const { method, url, body = null } = request;
    const what = { method: method as Dispatcher.HttpMethod, headers: headersFor(request), body };
    try {
      const undici = await opened;
      const { dispatcher } = options.write ? undici.writes : undici.reads;
      const wanted = { ...what, dispatcher, signal, [onSend]: noteSent };
      return await readAnswer(await undici.request(url, wanted));
    } catch (error) {
      const reason = codeOf(error);
      if (!sent) return { kind: 'not_sent', reason, permanent: permanentFailure.test(reason) };
      return { kind: 'no_answer', reason, timedOut: timedOut() || reason.endsWith('_TIMEOUT') };
    } finally {
      end();
    }
  }

  return {
    send,
    close: async () => {
      const undici = await opened?.catch(() => undefined);
      await Promise.all([undici?.reads.agent.close(), undici?.writes.agent.close()]);
    },
  };
}

async function readAnswer(response: Dispatcher.ResponseData): Promise<AttemptResult> {
  const { statusCode: status } = response;
  const headers = headersOf(response.headers);
  const overLimit = (exceeded: AnswerLimit): AttemptResult => {
    return { kind: 'body_lost', status, headers, reason: `limit of ${exceeded}`, exceeded };
  };
  try {
    const text = await response.body.text();
    const exceeded = answerLimitExceededBy(text);
    if (exceeded !== undefined) return overLimit(exceeded);
    const body = parseBody(text);
    const errorText = status >= 400 && body === 'not_json' ? errorTextOf(text) : undefined;
    return { kind: 'answered', status, headers, body, ...(errorText === undefined ? {} : { errorText }) };
  } catch (error) {
    const reason = codeOf(error);
    return reason === tooManyBytes ? overLimit('bytes') : { kind: 'body_lost', status, headers, reason };
  }
}
