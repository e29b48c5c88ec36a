import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AcceptedRequest, Era, EraLoader } from '../../protocol/http-response.ts';
import { onClosed, sendError } from '../../protocol/http-response.ts';
import { hasModernVersion, isModernVersion } from '../../protocol/message-size.ts';
import { rpcCodes } from '../../shared/errors.ts';
import { isObject } from '../../shared/json.ts';
import { retrySoonSeconds } from './caller-limits.ts';
import type { RequestFacts } from './listener.ts';
import { discard, readJson } from './read-body.ts';

// An answer with an export needs tens of megabytes until the client has read it. So few of them exist at the same time, and of
// one caller only one: the others wait for their turn, and cost nothing meanwhile.

const limits = {
  /** Answers with exports that no client has read yet. */
  together: 2,
  /** How long a client may take to read one, in milliseconds, before its connection is closed for the next. */
  readMs: 60_000,
};

interface Waiting {
  readonly caller: string;
  readonly begin: () => void;
}

/** The number of exports that a body of one or more messages asks for. */
export function exportsAskedIn(body: unknown): number {
  const messages = Array.isArray(body) ? body : [body];
  const isExport = ({ method, params }: Record<string, unknown>) =>
    method === 'resources/read' && isObject(params) && String(params.uri).includes('/exports/');
  return messages.filter((message) => isObject(message) && isExport(message)).length;
}

interface ExportTurns {
  /** Resolves to true when the answer may be made, and to false if the client has left before. The turn ends with the response. */
  enter(caller: string, response: ServerResponse): Promise<boolean>;
}

export function createExportTurns({ together, readMs } = limits): ExportTurns {
  const waiting = new Set<Waiting>();
  const busy = new Set<string>();

  function beginNext(): void {
    for (const one of waiting) {
      if (busy.size >= together) return;
      if (busy.has(one.caller)) continue;
      waiting.delete(one);
      busy.add(one.caller);
      one.begin();
    }
  }

  return {
    enter: (caller, response) =>
      new Promise((resolve) => {
        const one = {
          caller,
          begin: () => {
            const timer = setTimeout(() => response.destroy(), readMs).unref();
            onClosed(response, () => {
              clearTimeout(timer);
              busy.delete(caller);
              beginNext();
            });
            resolve(true);
          },
        };
        waiting.add(one);
        onClosed(response, () => {
          if (waiting.delete(one)) resolve(false);
        });
        beginNext();
      }),
  };
}

const methods: ReadonlySet<unknown> = new Set([
  'completion/complete',
  'initialize',
  'logging/setLevel',
  'notifications/cancelled',
  'notifications/initialized',
  'notifications/progress',
  'notifications/roots/list_changed',
  'ping',
  'prompts/get',
  'prompts/list',
  'resources/list',
  'resources/read',
  'resources/subscribe',
  'resources/templates/list',
  'resources/unsubscribe',
  'server/discover',
  'subscriptions/listen',
  'tools/call',
  'tools/list',
]);

const unknown = 'unknown';

function methodOf(message: unknown): string {
  if (!isObject(message)) return unknown;
  if (!('method' in message)) return 'id' in message ? 'response' : unknown;
  return methods.has(message.method) ? String(message.method) : unknown;
}

/** Names only known tools and methods: a client can send any text, such as an email, as a name. */
function describeMessages(body: unknown, tools: ReadonlySet<unknown>): Pick<RequestFacts, 'message' | 'tool'> {
  const messages: unknown[] = Array.isArray(body) ? body : [body];
  const called = messages.flatMap((message) => {
    if (!isObject(message) || message.method !== 'tools/call') return [];
    const name = isObject(message.params) ? message.params.name : undefined;
    return tools.has(name) ? String(name) : unknown;
  });
  return {
    message: messages.map(methodOf).join(', '),
    ...(called.length === 0 ? {} : { tool: called.join(', ') }),
  };
}

interface EndpointOptions {
  legacy: EraLoader;
  modern: EraLoader;
  /** Names of the tools that the log may show. */
  tools: ReadonlySet<string>;
}

function once(load: EraLoader) {
  let loaded: Promise<Era> | undefined;
  return {
    get: () => (loaded ??= load()),
    close: async () => (await loaded)?.close(),
  };
}

function isBatchTooLarge(body: unknown): boolean {
  return Array.isArray(body) && (body.length === 0 || body.length > maxBatchSize);
}

/** Messages. Only version 2025-03-26 has batches. */
const maxBatchSize = 20;

function headerOf({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value : undefined;
}

/** Serves both eras at one path: the version that a request names decides which era answers it. */
export function createEndpoint(options: EndpointOptions) {
  const legacy = once(options.legacy);
  const modern = once(options.modern);
  const exportTurns = createExportTurns();

  async function serve(accepted: AcceptedRequest, facts: RequestFacts): Promise<void> {
    const { request, response } = accepted;
    const isNamed = isModernVersion(headerOf(request, 'mcp-protocol-version'));
    if (request.method !== 'POST') {
      const era = isNamed ? modern : legacy;
      return await (await era.get()).serve({ ...accepted, body: undefined });
    }
    const read = await readJson(request, accepted.addBytes);
    if ('problem' in read) {
      await discard(request);
      // Part of the body may be unread, so the connection cannot be reused.
      const headers = {
        connection: 'close',
        ...(read.status === 429 ? { 'retry-after': String(retrySoonSeconds) } : {}),
      };
      const code = read.status === 400 ? rpcCodes.parse : rpcCodes.server;
      return sendError(response, read.status, read.problem, headers, code);
    }
    Object.assign(facts, describeMessages(read.value, options.tools));
    if (isBatchTooLarge(read.value)) {
      const message = `A batch must have 1 to ${maxBatchSize} messages`;
      return sendError(response, 400, message, {}, rpcCodes.invalidRequest);
    }
    // The first message is counted already.
    if (Array.isArray(read.value) && !(await accepted.addRequests(read.value.length - 1))) return;
    const exports = exportsAskedIn(read.value);
    if (exports > 1) {
      return sendError(response, 400, 'A batch may read one export', {}, rpcCodes.invalidRequest);
    }
    if (exports > 0 && !(await exportTurns.enter(accepted.principal.caller, response))) return;
    const era = isNamed || hasModernVersion(read.value) ? modern : legacy;
    await (await era.get()).serve({ ...accepted, body: read.value });
  }

  return { serve, close: async () => void (await Promise.all([legacy.close(), modern.close()])) };
}
