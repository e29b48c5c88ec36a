import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type { RequestId, ServerNotification, ServerRequest } from '@modelcontextprotocol/sdk/types.js';
import type { jsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/types.js';
import { agreementForm, readAgreement } from '../../mcp/confirmation/elicitation.ts';
import type { ResourceUpdates } from '../../mcp/listing.ts';
import { noUpdates } from '../../mcp/rpc-error.ts';
import type { ProtocolContext, Service } from '../../mcp/service.ts';
import { askingOf, createResponder, declaredCapabilities, handler, resourceParams } from '../requests.ts';
import type { MessageTransport } from '../stdio-transport.ts';

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

/** Ten minutes in milliseconds: a person may be away from the screen. */
const elicitationTimeoutMs = 600_000;

/** Asks a person through the client (elicitation). Undefined if the client cannot show a form. */
function askHumanThrough(server: Server, { requestId, signal }: Extra): ProtocolContext['askHuman'] {
  if (server.getClientCapabilities()?.elicitation?.form === undefined) return undefined;
  return async (message) => {
    const options = { relatedRequestId: requestId, signal, timeout: elicitationTimeoutMs };
    const { AjvJsonSchemaValidator } = await import('@modelcontextprotocol/sdk/validation/ajv');
    validator ??= new AjvJsonSchemaValidator();
    const form = { mode: 'form', message, requestedSchema: agreementForm } as const;
    return readAgreement(await server.elicitInput(form, options));
  };
}

/** Sends a notification for each update of a resource that the client has subscribed to, until the connection closes. */
function subscriptionsOf(server: Server, updates: ResourceUpdates) {
  const subscribed = new Set<string>();
  server.onclose = updates.subscribe((uri) => {
    if (subscribed.has(uri)) server.sendResourceUpdated({ uri }).catch(() => {});
  });
  return {
    'resources/subscribe': handler(resourceParams, ({ uri }) => {
      if (!updates.covers(uri)) throw noUpdates(uri);
      subscribed.add(uri);
      return {};
    }),
    'resources/unsubscribe': handler(resourceParams, ({ uri }) => {
      subscribed.delete(uri);
      return {};
    }),
  };
}

/** Shared by all servers. Loading it takes as long as starting the rest of a server. */
let validator: jsonSchemaValidator | undefined;

/** The SDK validates only the answers to questions, and each question loads the validator first. */
const lazyValidator: jsonSchemaValidator = {
  getValidator: (schema) => {
    if (validator === undefined) throw new Error('the validator is not loaded');
    return validator.getValidator(schema);
  },
};

/** Not `McpServer`: docs/internals/decisions/0002. `lasts`: whether the connection lasts, so that a client can subscribe. */
export function createLegacyServer(
  service: Service,
  onCall: (id: RequestId, call: Promise<unknown>) => void = () => {},
  lasts = true,
): Server {
  const { name, version, title, instructions, lists } = service;
  const updates = lasts ? lists.updates : undefined;
  const capabilities = { tools: {}, logging: {}, ...declaredCapabilities(lists, updates !== undefined) };
  const options = { capabilities, instructions, jsonSchemaValidator: lazyValidator };
  const server = new Server({ name, version, ...(title === undefined ? {} : { title }) }, options);
  const { answer } = createResponder(service, updates && subscriptionsOf(server, updates));
  const log: ProtocolContext['progress'] = (_done, _total, data) => {
    server.sendLoggingMessage({ level: 'info', logger: 'progress', data }).catch(() => {});
  };
  server.fallbackRequestHandler = ({ method, params }, extra) => {
    // A client that has not asked for progress gets it as log messages.
    const asking = askingOf(extra, extra.sendNotification, askHumanThrough(server, extra), log);
    const call = answer(method, params, { asking, client: server.getClientCapabilities() });
    onCall(extra.requestId, call);
    return call;
  };
  return server;
}

export async function openConnection(service: Service, transport: MessageTransport, onerror: (error: Error) => void) {
  const server = createLegacyServer(service);
  server.onerror = onerror;
  await server.connect(transport);
  return { close: () => server.close() };
}
