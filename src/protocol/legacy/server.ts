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
} from '@modelcontextprotocol/sdk/types.js';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import { declaredCapabilities } from '../../mcp/capabilities.ts';
import { agreementForm, readAgreement } from '../../mcp/confirmation/elicitation.ts';
import type { ProtocolContext, Service } from '../../mcp/service.ts';
import { withBoundedReplies } from '../error-size-limit.ts';

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

/** Progress, for those who asked for it; the others get its words as a message of the log. */
function progressTo(server: Server, extra: Extra): ProtocolContext['progress'] {
  const progressToken = extra._meta?.progressToken;
  if (progressToken === undefined) {
    return (_progress, _total, data) => {
      server.sendLoggingMessage({ level: 'info', logger: 'progress', data }).catch(() => {});
    };
  }
  return (progress, total, message) => {
    const params = { progressToken, progress, message, ...(total === undefined ? {} : { total }) };
    // A client that is gone cannot be told; its call ends by cancellation.
    extra.sendNotification({ method: 'notifications/progress', params }).catch(() => {});
  };
}

/** Ten minutes: a person may be away from the screen. */
const patience = 600_000;

/** Asks through the client (elicitation), where it can show a form. */
function askHumanThrough(server: Server, { requestId, signal }: Extra): ProtocolContext['askHuman'] {
  if (server.getClientCapabilities()?.elicitation?.form === undefined) return undefined;
  return async (message) => {
    const options = { relatedRequestId: requestId, signal, timeout: patience };
    const form = { mode: 'form', message, requestedSchema: agreementForm } as const;
    return readAgreement(await server.elicitInput(form, options));
  };
}

function askingOf(server: Server, extra: Extra): ProtocolContext {
  return {
    signal: extra.signal,
    progress: progressTo(server, extra),
    askHuman: askHumanThrough(server, extra),
  };
}

/** Tells of work for a request that begins, and hands it on. */
type Heard = <T>(extra: Extra, work: Promise<T>) => Promise<T>;

function serveResources(server: Server, service: Service, heard: Heard): void {
  const { resources, resourceTemplates } = service.listed;
  server.setRequestHandler(ListResourcesRequestSchema, () => ({ resources: [...resources] }));
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({ resourceTemplates: [...resourceTemplates] }));
  server.setRequestHandler(ReadResourceRequestSchema, async ({ params }, extra) => ({
    ...(await heard(extra, service.read(params.uri, askingOf(server, extra)))),
  }));
}

function servePrompts(server: Server, service: Service): void {
  server.setRequestHandler(ListPromptsRequestSchema, () => ({ prompts: [...service.listed.prompts] }));
  server.setRequestHandler(GetPromptRequestSchema, ({ params }) => ({
    ...service.prompt(params.name, params.arguments),
  }));
}

/** One for all servers: each would make its own, which costs more than the rest of a server. */
let validator: AjvJsonSchemaValidator | undefined;

/**
 * Speaks the protocol of 2025-11-25 and earlier for a service, on the SDK's plain `Server`: `McpServer` would convert
 * every schema anew for each tools/list, and words its refusals for programmers. docs/decisions/0002 says more.
 * `onCall` hears of each call that begins.
 */
export function createLegacyServer(
  service: Service,
  onCall: (id: RequestId, call: Promise<unknown>) => void = () => {},
): Server {
  const { name, version, instructions } = service;
  validator ??= new AjvJsonSchemaValidator();
  const capabilities = { tools: {}, logging: {}, ...declaredCapabilities(service.listed) };
  const options = { capabilities, instructions, jsonSchemaValidator: validator };
  const server = new Server({ name, version }, options);
  const connect = server.connect.bind(server);
  server.connect = (transport) => connect(withBoundedReplies(transport));
  const heard: Heard = (extra, work) => {
    onCall(extra.requestId, work);
    return work;
  };
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [...service.tools] }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
    const call = service.call(params.name, params.arguments, askingOf(server, extra));
    return { ...(await heard(extra, call)) };
  });
  if (capabilities.resources) serveResources(server, service, heard);
  if (capabilities.prompts) servePrompts(server, service);
  if (capabilities.completions) {
    server.setRequestHandler(CompleteRequestSchema, async ({ params }, extra) => ({
      ...(await heard(extra, service.complete(params))),
    }));
  }
  return server;
}
