import type { IncomingMessage } from 'node:http';
import type { AcceptedRequest, Era, EraLoader } from '../../protocol/http-response.ts';
import { disconnectSignal, HttpRefusal, onClosed } from '../../protocol/http-response.ts';
import { hasModernVersion, isModernVersion } from '../../protocol/message.ts';
import { rpcCodes } from '../../shared/errors.ts';
import { isObject } from '../../shared/json.ts';
import { createCallerTurns } from '../../shared/turns.ts';
import type { RequestFacts } from './listener.ts';
import { readJson } from './read-body.ts';

/** Milliseconds that a client may take to read an export, before its connection is closed for the next. */
const exportReadMs = 60_000;

/** The number of exports that a body of one or more messages asks for. */
export function exportsAskedIn(body: unknown): number {
  const messages = Array.isArray(body) ? body : [body];
  const isExport = ({ method, params }: Record<string, unknown>) =>
    method === 'resources/read' && isObject(params) && String(params.uri).includes('/exports/');
  return messages.filter((message) => isObject(message) && isExport(message)).length;
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
  // An answer with an export needs tens of megabytes until the client has read it. The others cost nothing while they wait.
  const exportTurns = createCallerTurns('exports', { together: 2, mostWaiting: Number.POSITIVE_INFINITY });

  async function serve(accepted: AcceptedRequest, facts: RequestFacts): Promise<void> {
    const { request, response } = accepted;
    const isNamed = isModernVersion(headerOf(request, 'mcp-protocol-version'));
    if (request.method !== 'POST') {
      const era = isNamed ? modern : legacy;
      return await (await era.get()).serve({ ...accepted, body: undefined });
    }
    const { value: body } = await readJson(request, accepted.addBytes);
    Object.assign(facts, describeMessages(body, options.tools));
    if (isBatchTooLarge(body)) {
      const message = `A batch must have 1 to ${maxBatchSize} messages`;
      throw new HttpRefusal(400, message, {}, rpcCodes.invalidRequest);
    }
    // The first message is counted already.
    if (Array.isArray(body)) await accepted.addRequests(body.length - 1);
    const exports = exportsAskedIn(body);
    if (exports > 1) throw new HttpRefusal(400, 'A batch may read one export', {}, rpcCodes.invalidRequest);
    const era = isNamed || hasModernVersion(body) ? modern : legacy;
    const answer = async () => await (await era.get()).serve({ ...accepted, body });
    if (exports === 0) return await answer();
    await exportTurns({ caller: accepted.principal.caller, signal: disconnectSignal(response) }, async () => {
      const timer = setTimeout(() => response.destroy(), exportReadMs).unref();
      await answer();
      await new Promise<void>((resolve) => onClosed(response, resolve));
      clearTimeout(timer);
    });
  }

  return { serve, close: async () => void (await Promise.all([legacy.close(), modern.close()])) };
}
