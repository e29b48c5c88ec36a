import {
  inputRequired,
  inputResponse,
  Server,
  type ServerCapabilities,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import {
  type AskHuman,
  agreementForm,
  ElicitationRequired,
  readAgreement,
} from '../../mcp/confirmation/elicitation.ts';
import { declaredCapabilities, resourcesFor } from '../../mcp/listing.ts';
import type { ProtocolContext, Service } from '../../mcp/service.ts';
import { isObject } from '../../shared/json.ts';
import { traceIdIn, withErrorSizeLimit } from '../error-size-limit.ts';
import type { MessageTransport } from '../stdio-transport.ts';
import { asksForSkills, readSkillFile, serveSkills, skillsExtension } from './skills.ts';

type Request = ServerContext['mcpReq'];

function progressTo({ _meta, notify }: Request): ProtocolContext['progress'] {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return () => {};
  return (progress, total, message) => {
    const params = { progressToken, progress, message, ...(total === undefined ? {} : { total }) };
    // Sending fails once the client has disconnected. Its call ends by cancellation.
    notify({ method: 'notifications/progress', params }).catch(() => {});
  };
}

const clientCapabilities = 'io.modelcontextprotocol/clientCapabilities';
/** Name of the question in `inputRequests` and of its answer in `inputResponses`. */
const question = 'agreement';

/** What the client can do, from its request: there is no session that would remember it. */
const capabilitiesIn = (envelope: Record<string, unknown> = {}) => envelope[clientCapabilities];

function canShowForms(envelope: Record<string, unknown> | undefined): boolean {
  const capabilities = capabilitiesIn(envelope);
  const elicitation = isObject(capabilities) ? capabilities.elicitation : undefined;
  // Elicitation without a mode means forms.
  return isObject(elicitation) && ('form' in elicitation || !('url' in elicitation));
}

/**
 * In this version a call cannot ask and wait: it ends with the question, and the client repeats it with the answer.
 * `requestState` binds the answer to the facts of the question. If they have changed since, the call asks again.
 */
function askHumanThrough(
  { envelope, inputResponses, requestState }: Request,
  { codes }: Service,
): AskHuman | undefined {
  if (!canShowForms(envelope)) return undefined;
  const receivedAt = Date.now();
  return async (message, subject) => {
    const response = inputResponse(inputResponses, question);
    if (response.kind !== 'elicit' || (await codes.refuse(requestState(), subject, receivedAt)) !== undefined) {
      throw new ElicitationRequired(message, subject);
    }
    return readAgreement(response);
  };
}

function questionFor({ question: message, subject }: ElicitationRequired, { codes }: Service) {
  const request = inputRequired.elicit({ message, requestedSchema: agreementForm });
  return inputRequired({ inputRequests: { [question]: request }, requestState: codes.issue(subject) });
}

/** How long a client may cache lists, which do not change while this program runs, in milliseconds. */
const cacheTtlMs = 3_600_000;
/** Private: lists depend on the caller. */
const cacheHint = { ttlMs: cacheTtlMs, cacheScope: 'private' } as const;

const cacheHints = {
  'tools/list': cacheHint,
  'resources/list': cacheHint,
  'resources/templates/list': cacheHint,
  'prompts/list': cacheHint,
  'server/discover': cacheHint,
};

function askingOf(mcpReq: Request, service: Service): ProtocolContext {
  const { signal, _meta } = mcpReq;
  return {
    signal,
    progress: progressTo(mcpReq),
    askHuman: askHumanThrough(mcpReq, service),
    traceId: traceIdIn(_meta),
  };
}

/** Reports the call that a request starts, and returns it. */
type TrackCall = <T>(work: Promise<T>) => Promise<T>;

function serveResources(server: Server, service: Service, track: TrackCall): void {
  const { resourceTemplates } = service.listed;
  server.setRequestHandler('resources/list', (_request, { mcpReq }) => ({
    resources: resourcesFor(capabilitiesIn(mcpReq.envelope), service.listed),
  }));
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [...resourceTemplates] }));
  server.setRequestHandler('resources/read', async ({ params }, { mcpReq }) => ({
    ...((await readSkillFile(service, params.uri)) ??
      (await track(service.read(params.uri, askingOf(mcpReq, service))))),
  }));
}

function servePrompts(server: Server, service: Service): void {
  server.setRequestHandler('prompts/list', () => ({ prompts: [...service.listed.prompts] }));
  server.setRequestHandler('prompts/get', async ({ params }) => ({
    ...(await service.prompt(params.name, params.arguments)),
  }));
}

/** Skills are resources. Other clients get the same bytes as without them. */
function withSkills({ resources = { listChanged: false }, ...others }: ServerCapabilities): ServerCapabilities {
  return { ...others, resources, extensions: { ...others.extensions, [skillsExtension]: {} } };
}

interface ModernOptions {
  onCall?: (call: Promise<unknown>) => void;
  /** Whether to declare the skills, for a client that declares them too. */
  skills: boolean;
}

/** Serves the protocol of 2026-07-28. */
export function createModernServer(service: Service, { onCall = () => {}, skills }: ModernOptions): Server {
  const { name, version, title, instructions } = service;
  const declared = { tools: {}, ...declaredCapabilities(service.listed, service.updates !== undefined) };
  const capabilities: ServerCapabilities = skills ? withSkills(declared) : declared;
  const server = new Server(
    { name, version, ...(title === undefined ? {} : { title }) },
    { capabilities, instructions, cacheHints },
  );
  const connect = server.connect.bind(server);
  server.connect = (transport) => connect(withErrorSizeLimit(transport));
  const track: TrackCall = (work) => {
    onCall(work);
    return work;
  };
  server.setRequestHandler('tools/list', () => ({ tools: [...service.tools] }));
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    try {
      return { ...(await track(service.call(params.name, params.arguments, askingOf(mcpReq, service)))) };
    } catch (error) {
      if (error instanceof ElicitationRequired) return questionFor(error, service);
      throw error;
    }
  });
  if (capabilities.resources) serveResources(server, service, track);
  serveSkills(server, service, cacheHint);
  if (capabilities.prompts) servePrompts(server, service);
  if (capabilities.completions) {
    server.setRequestHandler('completion/complete', async ({ params }) => ({
      ...(await track(service.complete(params))),
    }));
  }
  return server;
}

/** The SDK passes each notification to the subscriptions of this client that ask for its address. */
function sendUpdates(server: Server, { updates }: Service): void {
  if (updates === undefined) return;
  server.onclose = updates.subscribe((uri) => {
    server.sendResourceUpdated({ uri }).catch(() => {});
  });
}

/** Serves one client of 2026-07-28 over a transport. */
export async function openConnection(
  service: Service,
  transport: MessageTransport,
  onerror: (error: Error) => void,
  first: unknown,
) {
  const skills = asksForSkills(first);
  const createServer = () => {
    const server = createModernServer(service, { skills });
    sendUpdates(server, service);
    return server;
  };
  return serveStdio(createServer, {
    transport: withErrorSizeLimit(transport),
    legacy: 'reject',
    onerror,
  });
}
