import { inputRequired, inputResponse, Server, type ServerContext } from '@modelcontextprotocol/server';
import { declaredCapabilities } from '../../mcp/capabilities.ts';
import {
  type AskHuman,
  agreementForm,
  ElicitationRequired,
  readAgreement,
} from '../../mcp/confirmation/elicitation.ts';
import type { ProtocolContext, Service } from '../../mcp/service.ts';
import { isObject } from '../../shared/json.ts';
import { withBoundedReplies } from '../error-size-limit.ts';

type Request = ServerContext['mcpReq'];

function progressTo({ _meta, notify }: Request): ProtocolContext['progress'] {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return () => {};
  return (progress, total, message) => {
    const params = { progressToken, progress, message, ...(total === undefined ? {} : { total }) };
    // A client that is gone cannot be told; its call ends by cancellation.
    notify({ method: 'notifications/progress', params }).catch(() => {});
  };
}

const clientCapabilities = 'io.modelcontextprotocol/clientCapabilities';
/** By this name the question goes out and its answer comes back. */
const question = 'agreement';

function canShowForms(envelope: Record<string, unknown> = {}): boolean {
  const capabilities = envelope[clientCapabilities];
  const elicitation = isObject(capabilities) ? capabilities.elicitation : undefined;
  // Elicitation without a mode means forms.
  return isObject(elicitation) && ('form' in elicitation || !('url' in elicitation));
}

/**
 * There is no asking in the midst of a call any more: the call ends with the question, and is made anew with the answer.
 * `requestState` binds the answer to what was asked about: facts that have changed since are asked about anew.
 */
function askHumanThrough(
  { envelope, inputResponses, requestState }: Request,
  { codes }: Service,
): AskHuman | undefined {
  if (!canShowForms(envelope)) return undefined;
  const cameAt = Date.now();
  return async (message, subject) => {
    const said = inputResponse(inputResponses, question);
    if (said.kind !== 'elicit' || codes.refuse(requestState(), subject, cameAt) !== undefined) {
      throw new ElicitationRequired(message, subject);
    }
    return readAgreement(said);
  };
}

function questionFor({ question: message, subject }: ElicitationRequired, { codes }: Service) {
  const request = inputRequired.elicit({ message, requestedSchema: agreementForm });
  return inputRequired({ inputRequests: { [question]: request }, requestState: codes.issue(subject) });
}

/** How long a client may keep what does not change while this program runs, in milliseconds. */
const keepFor = 3_600_000;
/** What is listed depends on who asks. */
const cacheHint = { ttlMs: keepFor, cacheScope: 'private' } as const;

const cacheHints = {
  'tools/list': cacheHint,
  'resources/list': cacheHint,
  'resources/templates/list': cacheHint,
  'prompts/list': cacheHint,
  'server/discover': cacheHint,
};

function askingOf(mcpReq: Request, service: Service): ProtocolContext {
  return { signal: mcpReq.signal, progress: progressTo(mcpReq), askHuman: askHumanThrough(mcpReq, service) };
}

/** Tells of work for a request that begins, and hands it on. */
type Heard = <T>(work: Promise<T>) => Promise<T>;

function serveResources(server: Server, service: Service, heard: Heard): void {
  const { resources, resourceTemplates } = service.listed;
  server.setRequestHandler('resources/list', () => ({ resources: [...resources] }));
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [...resourceTemplates] }));
  server.setRequestHandler('resources/read', async ({ params }, { mcpReq }) => ({
    ...(await heard(service.read(params.uri, askingOf(mcpReq, service)))),
  }));
}

function servePrompts(server: Server, service: Service): void {
  server.setRequestHandler('prompts/list', () => ({ prompts: [...service.listed.prompts] }));
  server.setRequestHandler('prompts/get', ({ params }) => ({ ...service.prompt(params.name, params.arguments) }));
}

/** Speaks the protocol of 2026-07-28 for a service. `onCall` hears of each call that begins. */
export function createModernServer(service: Service, onCall: (call: Promise<unknown>) => void = () => {}): Server {
  const { name, version, instructions } = service;
  const capabilities = { tools: {}, ...declaredCapabilities(service.listed) };
  const server = new Server({ name, version }, { capabilities, instructions, cacheHints });
  const connect = server.connect.bind(server);
  server.connect = (transport) => connect(withBoundedReplies(transport));
  const heard: Heard = (work) => {
    onCall(work);
    return work;
  };
  server.setRequestHandler('tools/list', () => ({ tools: [...service.tools] }));
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    try {
      return { ...(await heard(service.call(params.name, params.arguments, askingOf(mcpReq, service)))) };
    } catch (error) {
      if (error instanceof ElicitationRequired) return questionFor(error, service);
      throw error;
    }
  });
  if (capabilities.resources) serveResources(server, service, heard);
  if (capabilities.prompts) servePrompts(server, service);
  if (capabilities.completions) {
    server.setRequestHandler('completion/complete', async ({ params }) => ({
      ...(await heard(service.complete(params))),
    }));
  }
  return server;
}
