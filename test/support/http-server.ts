import { Pool } from 'undici';
import * as z from 'zod';
import type { OpenAcademy } from '../../src/cli/open-academy.ts';
import { openApp } from '../../src/cli/open-app.ts';
import { openEvents } from '../../src/cli/open-events.ts';
import { loadConfig } from '../../src/config/load.ts';
import type { SandboxOptions } from '../../src/sandbox/index.ts';
import { createPrometheus } from '../../src/server/http/prometheus.ts';
import { serveHttp } from '../../src/server/http/serve.ts';
import { atEnd } from './at-end.ts';
import { unlimited } from './connect.ts';
import { callOf, hello } from './program.ts';
import { start } from './sandbox.ts';

export interface HttpOptions {
  stateless?: boolean;
  host?: string;
  /** Default: a free one. */
  port?: number;
  sandbox?: SandboxOptions;
  /** Factor of the timeouts for receiving requests and reading answers. */
  pace?: number;
  /** An academy that is already running. */
  baseUrl?: string;
  /** The clock of the server; default: that of this machine. */
  now?: () => Date;
}

interface Serving extends Pick<OpenAcademy, 'config' | 'accounts'>, Omit<HttpOptions, 'sandbox' | 'baseUrl'> {
  /** Factor of the pauses of the API client and between checks of events. */
  apiPace?: number;
}

/** Serves over HTTP as the command line does, on a free port unless one is named. It ends with the test. */
export async function serve({ config, accounts, apiPace = 0.02, now, ...options }: Serving) {
  const { stateless = false, host = '127.0.0.1', port = 0, pace = 1 } = options;
  const log: string[] = [];
  const stderr = { write: (line: string) => void log.push(line) };
  const prometheus = createPrometheus({ hasAccounts: accounts !== undefined, callers: config.httpTokens });
  const events = openEvents({ config, accounts, receives: true, pace: apiPace });
  const { webhooks, eventsOf } = events;
  const own = { sandbox: false, stderr, meterOf: prometheus.meterOf, eventsOf, linksExports: true, pace: apiPace };
  const opened = await openApp({ config, accounts, ...own, ...(now === undefined ? {} : { now }) });
  const { app } = opened;
  prometheus.watchBudgets(app.budgets);
  const place = { host, port, stateless, accounts, webhooks, pace };
  const server = await serveHttp({ app, config, log: opened.log, prometheus, ...place });
  let drained: Promise<void> | undefined;
  const drain = () => (drained ??= server.drain());
  atEnd(async () => {
    await drain();
    await events.close();
  });
  return { ...server, drain, app, log, origin: server.url.replace('/mcp', '') };
}

/** The real server over HTTP on a free port of this machine, with its own embedded academy. It ends with the test. */
export async function startHttp(settings: Record<string, string> = {}, { sandbox: own, ...options }: HttpOptions = {}) {
  // With another academy, the embedded one is unused: the smallest is enough.
  const size = options.baseUrl === undefined ? { students: 40, orders: 200 } : { students: 1, orders: 1 };
  const sandbox = await start({ ...size, ...own });
  const address = unlimited(options.baseUrl ?? sandbox.url, sandbox.apiKey, { LOG_LEVEL: 'debug' });
  const config = loadConfig({}, { ...address, ...settings });
  return { ...(await serve({ config, accounts: undefined, ...options })), sandbox };
}

/** Values of ACADEMY_HTTP_TOKENS for two callers. */
export const callerTokens = ['first-token-0123456789abcdef', 'second-token-0123456789abcdef'] as const;

export const jsonHeaders = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

export type Posted = Awaited<ReturnType<typeof readAnswer>>;

/** `json`: that of the answer, or of the last event of a stream. */
async function readAnswer(response: Response) {
  const text = await response.text();
  const isStream = response.headers.get('content-type') === 'text/event-stream';
  const last = isStream
    ? text
        .split('\n')
        .findLast((line) => line.startsWith('data: '))
        ?.slice(6)
    : text;
  const json = last === undefined || last === '' ? {} : (JSON.parse(last) as Record<string, unknown>);
  return { status: response.status, headers: response.headers, text, json };
}

/** A plain POST of a message, without the client of an SDK. */
export async function post(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Posted> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return await readAnswer(await fetch(url, { method: 'POST', body: text, headers: { ...jsonHeaders, ...headers } }));
}

export const initialize = { jsonrpc: '2.0', ...hello[0] };

export const callMessage = (...call: Parameters<typeof callOf>) => ({ jsonrpc: '2.0', ...callOf(...call) });

/** A request of a client of 2026-07-28, with its headers. */
export function modernMessage<Params extends object>(method: string, params: Params, more: object = {}) {
  const version = '2026-07-28';
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    ...more,
  };
  const { name, uri = name }: { name?: unknown; uri?: unknown } = params;
  const named: Record<string, string> = uri === undefined ? {} : { 'mcp-name': String(uri) };
  const headers = { 'mcp-protocol-version': version, 'mcp-method': method, ...named };
  return { message: { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }, headers };
}

export function modernCall(name: string, args: Record<string, unknown>, capabilities: object = {}, meta: object = {}) {
  const more = { 'io.modelcontextprotocol/clientCapabilities': capabilities, ...meta };
  return modernMessage('tools/call', { name, arguments: args }, more);
}

/** The only version with batches. */
export const withBatches = '2025-03-26';

/** Opens a session and returns the header for all further requests. */
export async function openSession(url: string, headers: Record<string, string> = {}, version = '2025-11-25') {
  const params = { ...initialize.params, protocolVersion: version };
  const { headers: answered, status } = await post(url, { ...initialize, params }, headers);
  const session = answered.get('mcp-session-id');
  if (session === null) throw new Error(`no session: ${status}`);
  return { ...headers, 'mcp-session-id': session };
}

const reply = z.looseObject({
  id: z.union([z.string(), z.number()]).optional(),
  result: z
    .looseObject({ isError: z.boolean().optional(), structuredContent: z.record(z.string(), z.unknown()).optional() })
    .optional(),
  error: z.looseObject({ code: z.number() }).optional(),
});

/** The JSON-RPC message of an answer; undefined for any other text. */
function replyIn(text: string) {
  const json = text.startsWith('{') ? text : /^data: (.*)$/m.exec(text)?.[1];
  try {
    return json === undefined ? undefined : reply.parse(JSON.parse(json));
  } catch {
    return undefined;
  }
}

export type Caller = ReturnType<typeof createCaller>;

/** Posts messages over a number of connections of its own, which `fetch` would share. */
export function createCaller(url: string, connections: number) {
  const pool = new Pool(new URL(url).origin, { connections });
  atEnd(() => pool.destroy());

  async function send(body: unknown, headers: Record<string, string> = {}, signal?: AbortSignal) {
    const sent = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
    const request = { method: 'POST' as const, path: '/mcp', headers: { ...jsonHeaders, ...headers }, body: sent };
    const answer = await pool.request({ ...request, ...(signal === undefined ? {} : { signal }) });
    const text = await answer.body.text();
    const session = String(answer.headers['mcp-session-id'] ?? '');
    return { status: answer.statusCode, message: replyIn(text), text, session };
  }

  return {
    send,
    call: (id: number | string, name: string, args: object, headers?: Record<string, string>, signal?: AbortSignal) =>
      send(callMessage(id, name, { ...args }), headers, signal),
    /** Opens a session, and returns the headers for all further requests. */
    open: async (headers: Record<string, string> = {}): Promise<Record<string, string>> => {
      const { session } = await send(initialize, headers);
      return { ...headers, 'mcp-session-id': session };
    },
    end: async (session: Record<string, string>) => {
      const { body } = await pool.request({ method: 'DELETE', path: '/mcp', headers: session });
      await body.dump();
    },
  };
}
