import {
  type AcceptedRequest,
  disconnectSignal,
  type Era,
  HttpRefusal,
  onClosed,
} from '../../protocol/http-response.ts';
import { hasModernVersion, isModernVersion } from '../../protocol/message.ts';
import { rpcCodes } from '../../shared/errors.ts';
import { isObject, type Json } from '../../shared/json.ts';
import { createCallerTurns } from '../../shared/turns.ts';
import type { RequestFacts } from './listener.ts';
import { readJson } from './read-body.ts';

/** Milliseconds that a client may take to read an export, before its connection is closed for the next. */
const exportReadMs = 60_000;

/** The messages of a body that are objects: any other is refused later. */
const messagesIn = (body: unknown) => [body].flat().filter(isObject);

export function exportsAskedIn(body: unknown): number {
  const isExport = ({ method, params }: Json) =>
    method === 'resources/read' && isObject(params) && String(params.uri).includes('/exports/');
  return messagesIn(body).filter(isExport).length;
}

const methods: ReadonlySet<unknown> = new Set(
  [
    'completion/complete initialize logging/setLevel ping server/discover subscriptions/listen',
    'notifications/cancelled notifications/initialized notifications/progress notifications/roots/list_changed',
    'prompts/get prompts/list resources/list resources/read resources/subscribe resources/templates/list',
    'resources/unsubscribe skills/get skills/list tools/call tools/list',
  ].flatMap((names) => names.split(' ')),
);

const unknown = 'unknown';

function methodOf(message: Json): string {
  if (!('method' in message)) return 'id' in message ? 'response' : unknown;
  return methods.has(message.method) ? String(message.method) : unknown;
}

/** Names only known tools and methods: a client can send any text, such as an email, as a name. */
function describeMessages(body: unknown, tools: ReadonlySet<unknown>): Pick<RequestFacts, 'message' | 'tool'> {
  const messages = messagesIn(body);
  const called = messages.flatMap(({ method, params }) => {
    const name = isObject(params) ? params.name : undefined;
    return method === 'tools/call' ? [tools.has(name) ? String(name) : unknown] : [];
  });
  const tool = called.length === 0 ? {} : { tool: called.join(', ') };
  return { message: messages.map(methodOf).join(', ') || unknown, ...tool };
}

interface EndpointOptions {
  legacy(): Promise<Era>;
  modern(): Promise<Era>;
  tools: ReadonlySet<string>;
}

function once(load: () => Promise<Era>) {
  let loaded: Promise<Era> | undefined;
  return {
    get: () => (loaded ??= load()),
    close: async () => (await loaded)?.close(),
  };
}

/** Messages. Only version 2025-03-26 has batches. */
const maxBatchSize = 20;

function checkBatch(body: unknown, exports: number): void {
  const refuse = (message: string) => new HttpRefusal(400, message, {}, rpcCodes.invalidRequest);
  if (Array.isArray(body) && (body.length === 0 || body.length > maxBatchSize))
    throw refuse(`A batch must have 1 to ${maxBatchSize} messages`);
  if (exports > 1) throw refuse('A batch may read one export');
}

/** Serves both eras at one path: the version that a request names decides which era answers it. */
export function createEndpoint(options: EndpointOptions) {
  const legacy = once(options.legacy);
  const modern = once(options.modern);
  // An answer with an export needs tens of megabytes until the client has read it. The others cost nothing while they wait.
  const exportTurns = createCallerTurns('exports', { together: 2, mostWaiting: Number.POSITIVE_INFINITY });

  async function serve(accepted: AcceptedRequest, facts: RequestFacts): Promise<void> {
    const { request, response, principal } = accepted;
    const isNamed = isModernVersion(request.headers['mcp-protocol-version']);
    const serveBy = async (era: typeof legacy, body?: unknown) => await (await era.get()).serve({ body, ...accepted });
    if (request.method !== 'POST') return await serveBy(isNamed ? modern : legacy);
    const { value: body } = await readJson(request, accepted.addBytes);
    Object.assign(facts, describeMessages(body, options.tools));
    const exports = exportsAskedIn(body);
    checkBatch(body, exports);
    // The first message is counted already.
    if (Array.isArray(body)) await accepted.addRequests(body.length - 1);
    const answer = () => serveBy(isNamed || hasModernVersion(body) ? modern : legacy, body);
    if (exports === 0) return await answer();
    await exportTurns({ caller: principal.caller, signal: disconnectSignal(response) }, async () => {
      const timer = setTimeout(() => response.destroy(), exportReadMs).unref();
      await answer();
      await new Promise<void>((resolve) => onClosed(response, resolve));
      clearTimeout(timer);
    });
  }

  return { serve, close: async () => void (await Promise.all([legacy.close(), modern.close()])) };
}
