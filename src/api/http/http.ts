import type { Agent, Dispatcher } from 'undici';
import { deadline } from '../../shared/deadline.ts';
import { exceededBy } from '../../shared/json-limits.ts';
import { type Answered, type AttemptResult, jsonLimits, maxAnswerBytes } from './attempt-result.ts';
import type { EncodedRequest } from './encode.ts';

interface HttpOptions {
  /** Sent only to the origin of the base URL, since redirects are not followed. */
  authorization: string;
  userAgent: string;
  /** Longest time from the first byte sent to the last byte received, in milliseconds. */
  timeoutMs: number;
  /** Whether to honour HTTPS_PROXY, HTTP_PROXY and NO_PROXY. Not for an academy on this machine. */
  usesProxy?: boolean;
}

export type Http = ReturnType<typeof createHttp>;

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
function watched(agent: Dispatcher): Dispatcher {
  return agent.compose((dispatch) => (options: Dispatcher.DispatchOptions & { [onSend]?: () => void }, handler) => {
    const start = handler.onRequestStart?.bind(handler);
    handler.onRequestStart = (...event) => {
      options[onSend]?.();
      start?.(...event);
    };
    return dispatch(options, handler);
  });
}

export function createHttp(options: HttpOptions) {
  const { authorization, userAgent, timeoutMs } = options;
  const always = { authorization, accept: 'application/json', 'user-agent': userAgent };
  const withBody = { ...always, 'content-type': 'application/json' };
  let opened: ReturnType<typeof openUndici> | undefined;

  /** One attempt. Never throws for network failures. */
  async function send(
    { method, url, body }: EncodedRequest,
    { write, signal: caller }: { write: boolean; signal?: AbortSignal | undefined },
  ): Promise<AttemptResult> {
    opened ??= openUndici(options);
    let sent = false;
    const noteSent = () => {
      sent = true;
    };
    const { signal, timedOut, end } = deadline(timeoutMs, caller);
    try {
      const { request, reads, writes } = await opened;
      const dispatcher = write ? writes : reads;
      const headers = body === undefined ? always : withBody;
      const what = { method: method as Dispatcher.HttpMethod, headers, body: body ?? null, [onSend]: noteSent };
      return await readAnswer(await request(url, { ...what, dispatcher, signal }));
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
    close: async (): Promise<void> => {
      const undici = await opened?.catch(() => undefined);
      await Promise.all([undici?.reads.close(), undici?.writes.close()]);
    },
  };
}

/** Characters of a body that is not JSON: they may hold the message of an error. */
const maxText = 4_000;

function readText(text: string): Pick<Answered, 'body' | 'json' | 'text'> {
  if (text.trim() === '') return { body: 'empty' };
  try {
    return { body: 'json', json: JSON.parse(text) };
  } catch {
    return { body: 'text', text: text.slice(0, maxText) };
  }
}

async function readAnswer({ statusCode, headers, body }: Dispatcher.ResponseData): Promise<Answered> {
  const answer = { kind: 'answered', status: statusCode, headers } as const;
  const lost = (exceeded?: Answered['exceeded']): Answered => ({ ...answer, body: 'lost', exceeded });
  try {
    const text = await body.text();
    const exceeded = exceededBy(text, jsonLimits);
    return exceeded === undefined ? { ...answer, ...readText(text) } : lost(exceeded);
  } catch (error) {
    return lost(codeOf(error) === tooManyBytes ? 'bytes' : undefined);
  }
}
