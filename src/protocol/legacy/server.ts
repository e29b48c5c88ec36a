import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import {
  CallToolRequestSchema,
  CompleteRequestSchema,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
  type RequestId,
  type ServerNotification,
  type ServerRequest,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import type { jsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/types.js';
import { agreementForm, readAgreement } from '../../mcp/confirmation/elicitation.ts';
import { declaredCapabilities, type ResourceUpdates, resourcesFor } from '../../mcp/listing.ts';
import { noUpdates } from '../../mcp/rpc-error.ts';
import type { ProtocolContext, Service } from '../../mcp/service.ts';
import { traceIdIn, withErrorSizeLimit } from '../error-size-limit.ts';
import type { MessageTransport } from '../stdio-transport.ts';

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

/** Sends progress to a client that asked for it, and a log message to any other. */
function progressTo(server: Server, extra: Extra): ProtocolContext['progress'] {
  const progressToken = extra._meta?.progressToken;
  if (progressToken === undefined) {
    return (_progress, _total, data) => {
      server.sendLoggingMessage({ level: 'info', logger: 'progress', data }).catch(() => {});
    };
  }
  return (progress, total, message) => {
    const params = { progressToken, progress, message, ...(total === undefined ? {} : { total }) };
    // Sending fails once the client has disconnected. Its call ends by cancellation.
    extra.sendNotification({ method: 'notifications/progress', params }).catch(() => {});
  };
}

/** Ten minutes in milliseconds: a person may be away from the screen. */
const elicitationTimeoutMs = 600_000;

/** Asks a person through the client (elicitation). Undefined if the client cannot show a form. */
function askHumanThrough(server: Server, { requestId, signal }: Extra): ProtocolContext['askHuman'] {
  if (server.getClientCapabilities()?.elicitation?.form === undefined) return undefined;
  return async (message) => {
    const options = { relatedRequestId: requestId, signal, timeout: elicitationTimeoutMs };
    await loadValidator();
    const form = { mode: 'form', message, requestedSchema: agreementForm } as const;
    return readAgreement(await server.elicitInput(form, options));
  };
}

function askingOf(server: Server, extra: Extra): ProtocolContext {
  return {
    signal: extra.signal,
    progress: progressTo(server, extra),
    askHuman: askHumanThrough(server, extra),
    traceId: traceIdIn(extra._meta),
  };
}

/** Reports the call that a request starts, and returns it. */
type TrackCall = <T>(extra: Extra, work: Promise<T>) => Promise<T>;

function serveResources(server: Server, service: Service, track: TrackCall): void {
  const { resourceTemplates } = service.listed;
  server.setRequestHandler(ListResourcesRequestSchema, () => ({
    resources: resourcesFor(server.getClientCapabilities(), service.listed),
  }));
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({ resourceTemplates: [...resourceTemplates] }));
  server.setRequestHandler(ReadResourceRequestSchema, async ({ params }, extra) => ({
    ...(await track(extra, service.read(params.uri, askingOf(server, extra)))),
  }));
}

/** Sends a notification for each update of a resource that the client has subscribed to, until the connection closes. */
function serveSubscriptions(server: Server, updates: ResourceUpdates): void {
  const subscribed = new Set<string>();
  server.setRequestHandler(SubscribeRequestSchema, ({ params: { uri } }) => {
    if (!updates.covers(uri)) throw noUpdates(uri);
    subscribed.add(uri);
    return {};
  });
  server.setRequestHandler(UnsubscribeRequestSchema, ({ params: { uri } }) => {
    subscribed.delete(uri);
    return {};
  });
  server.onclose = updates.subscribe((uri) => {
    if (subscribed.has(uri)) server.sendResourceUpdated({ uri }).catch(() => {});
  });
}

function servePrompts(server: Server, service: Service): void {
  server.setRequestHandler(ListPromptsRequestSchema, () => ({ prompts: [...service.listed.prompts] }));
  server.setRequestHandler(GetPromptRequestSchema, async ({ params }) => ({
    ...(await service.prompt(params.name, params.arguments)),
  }));
}

/** Shared by all servers. Loading it takes as long as starting the rest of a server. */
let validator: jsonSchemaValidator | undefined;

async function loadValidator(): Promise<void> {
  const { AjvJsonSchemaValidator } = await import('@modelcontextprotocol/sdk/validation/ajv');
  validator ??= new AjvJsonSchemaValidator();
}

/** The SDK validates only the answers to questions, and each question loads the validator first. */
const lazyValidator: jsonSchemaValidator = {
  getValidator: (schema) => {
    if (validator === undefined) throw new Error('the validator is not loaded');
    return validator.getValidator(schema);
  },
};

/**
 * Serves the protocol of 2025-11-25 and earlier with the SDK's plain `Server`. `McpServer` would convert every schema
 * again for each tools/list, and its errors are written for programmers (docs/internals/decisions/0002). `onCall` receives each
 * call that starts. `lasts`: false if the connection ends with its request, so that a client cannot subscribe.
 */
export function createLegacyServer(
  service: Service,
  onCall: (id: RequestId, call: Promise<unknown>) => void = () => {},
  lasts = true,
): Server {
  const { name, version, title, instructions } = service;
  const updates = lasts ? service.updates : undefined;
  const capabilities = { tools: {}, logging: {}, ...declaredCapabilities(service.listed, updates !== undefined) };
  const options = { capabilities, instructions, jsonSchemaValidator: lazyValidator };
  const server = new Server({ name, version, ...(title === undefined ? {} : { title }) }, options);
  const connect = server.connect.bind(server);
  server.connect = (transport) => connect(withErrorSizeLimit(transport));
  const track: TrackCall = (extra, work) => {
    onCall(extra.requestId, work);
    return work;
  };
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [...service.tools] }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
    const call = service.call(params.name, params.arguments, askingOf(server, extra));
    return { ...(await track(extra, call)) };
  });
  if (capabilities.resources) serveResources(server, service, track);
  if (updates !== undefined) serveSubscriptions(server, updates);
  if (capabilities.prompts) servePrompts(server, service);
  if (capabilities.completions) {
    server.setRequestHandler(CompleteRequestSchema, async ({ params }, extra) => ({
      ...(await track(extra, service.complete(params))),
    }));
  }
  return server;
}

/** Serves one client of 2025-11-25 or earlier over a transport. */
export async function openConnection(service: Service, transport: MessageTransport, onerror: (error: Error) => void) {
  const server = createLegacyServer(service);
  server.onerror = onerror;
  await server.connect(transport);
  return { close: () => server.close() };
}
