import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import {
  ElicitResultSchema,
  type RequestId,
  type ServerNotification,
  type ServerRequest,
} from '@modelcontextprotocol/sdk/types.js';
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
    const params = { mode: 'form', message, requestedSchema: agreementForm } as const;
    // Not `elicitInput`, which also loads a validator of JSON Schema for the answer: `readAgreement` checks it.
    return readAgreement(await server.request({ method: 'elicitation/create', params }, ElicitResultSchema, options));
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

/** In place of the default of the SDK, which takes milliseconds to make: this server validates nothing by JSON Schema. */
const jsonSchemaValidator = {
  getValidator: () => {
    throw new Error('this server has no validator');
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
  const options = { capabilities, instructions, jsonSchemaValidator };
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
