import {
  inputRequired,
  inputResponse,
  Server,
  type ServerCapabilities,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { agreementForm, ElicitationRequired, readAgreement } from '../../mcp/confirmation/elicitation.ts';
import type { Service } from '../../mcp/service.ts';
import { isObject } from '../../shared/json.ts';
import { askingOf, createResponder, declaredCapabilities } from '../requests.ts';
import type { MessageTransport } from '../stdio-transport.ts';
import { asksForSkills, cacheHint, capabilitiesIn, skillHandlers, skillsExtension } from './skills.ts';

type Request = ServerContext['mcpReq'];

/** Name of the question in `inputRequests` and of its answer in `inputResponses`. */
const question = 'agreement';

function canShowForms(envelope: Record<string, unknown> | undefined): boolean {
  const capabilities = capabilitiesIn(envelope);
  const elicitation = isObject(capabilities) ? capabilities.elicitation : undefined;
  // Elicitation without a mode means forms.
  return isObject(elicitation) && ('form' in elicitation || !('url' in elicitation));
}

/** A call cannot wait: the client repeats it with the answer, which `requestState` binds to the facts of the question. */
function askHumanThrough({ envelope, inputResponses, requestState }: Request, { codes }: Service) {
  if (!canShowForms(envelope)) return undefined;
  const receivedAt = Date.now();
  return async (message: string, subject: string) => {
    const response = inputResponse(inputResponses, question);
    if (response.kind !== 'elicit' || (await codes.refuse(requestState(), subject, receivedAt)) !== undefined)
      throw new ElicitationRequired(message, subject);
    return readAgreement(response);
  };
}

function questionFor({ question: message, subject }: ElicitationRequired, { codes }: Service) {
  const request = inputRequired.elicit({ message, requestedSchema: agreementForm });
  return inputRequired({ inputRequests: { [question]: request }, requestState: codes.issue(subject) });
}

/** Skills are resources. Other clients get the same bytes as without them. */
function withSkills({ resources = { listChanged: false }, ...others }: ServerCapabilities): ServerCapabilities {
  return { ...others, resources, extensions: { ...others.extensions, [skillsExtension]: {} } };
}

interface ModernOptions {
  onCall?: (call: Promise<unknown>) => void;
  /** Whether to declare the skills, for a client that declares them too. */
  skills: boolean;
  /** The method of the only request that the server gets. The SDK answers an unknown one, over HTTP with status 404. */
  only?: unknown;
}

export function createModernServer(service: Service, { onCall = () => {}, skills, only }: ModernOptions): Server {
  const { name, version, title, instructions, lists } = service;
  const declared = { tools: {}, ...declaredCapabilities(lists, lists.updates !== undefined) };
  const capabilities: ServerCapabilities = skills ? withSkills(declared) : declared;
  const server = new Server(
    { name, version, ...(title === undefined ? {} : { title }) },
    { capabilities, instructions, cacheHints: { 'server/discover': cacheHint } },
  );
  const { handles, answer } = createResponder(service, skillHandlers(service));
  if (typeof only === 'string' && !handles(only)) return server;
  server.fallbackRequestHandler = async ({ method, params }, { mcpReq }) => {
    const asking = askingOf(mcpReq, mcpReq.notify, askHumanThrough(mcpReq, service));
    const call = answer(method, params, { asking, client: capabilitiesIn(mcpReq.envelope) });
    onCall(call);
    try {
      return { ...(await call), ...(method.endsWith('/list') ? cacheHint : {}) };
    } catch (error) {
      if (error instanceof ElicitationRequired) return questionFor(error, service);
      throw error;
    }
  };
  return server;
}

/** The SDK passes each notification to the subscriptions of this client that ask for its address. */
function sendUpdates(server: Server, { lists: { updates } }: Service): void {
  if (updates === undefined) return;
  server.onclose = updates.subscribe((uri) => {
    server.sendResourceUpdated({ uri }).catch(() => {});
  });
}

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
    transport,
    legacy: 'reject',
    onerror,
  });
}
