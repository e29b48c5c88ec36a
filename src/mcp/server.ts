import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import {
  CallToolRequestSchema,
  ErrorCode,
  ListToolsRequestSchema,
  type ServerNotification,
  type ServerRequest,
} from '@modelcontextprotocol/sdk/types.js';
import { oneLine } from '../clean.ts';
import { type CallDependencies, callTool } from './call.ts';
import { hintsOf } from './hints.ts';
import { inputJsonSchema, outputJsonSchema } from './json-schema.ts';
import type { Conversation, Tool, ToolContext } from './tool.ts';

export interface ServerOptions extends CallDependencies {
  tools: readonly Tool[];
  name: string;
  version: string;
  /** Who calls, for the audit log. */
  caller: string;
  /** Told to the model once, at the start: what the tools are for, how they combine, what they cost. */
  instructions: string;
}

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

/** What tools/list says of a tool. */
export function describeTool(tool: Tool) {
  return {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: inputJsonSchema(tool.input),
    outputSchema: outputJsonSchema(tool.output),
    annotations: hintsOf(tool),
  };
}

function progressTo(extra: Extra): ToolContext['progress'] {
  const progressToken = extra._meta?.progressToken;
  if (progressToken === undefined) return () => {};
  return (progress, total, message) => {
    const params = { progressToken, progress, message, ...(total === undefined ? {} : { total }) };
    // A client that is gone cannot be told; its call ends by cancellation.
    extra.sendNotification({ method: 'notifications/progress', params }).catch(() => {});
  };
}

/** Ten minutes: a person may be away from the screen. */
const patience = 600_000;

const agreement = {
  type: 'object' as const,
  properties: { agree: { type: 'boolean' as const, title: 'Do it', description: 'Leave it off to refuse.' } },
  required: ['agree'],
};

/** Asks through the client (elicitation), where it can show a form. */
function askHumanThrough(server: Server, { requestId, signal }: Extra): ToolContext['askHuman'] {
  if (server.getClientCapabilities()?.elicitation?.form === undefined) return undefined;
  return async (message) => {
    const options = { relatedRequestId: requestId, signal, timeout: patience };
    const form = { mode: 'form', message, requestedSchema: agreement } as const;
    const { action, content } = await server.elicitInput(form, options);
    return action === 'accept' && content?.agree === true ? 'agreed' : 'declined';
  };
}

/** No `McpError`: it writes its code into its message, as the client does once more. */
function unknownTool(name: string): Error {
  const why = 'tools/list shows what there is; read-only mode or a choice of toolsets may have left this one out';
  return Object.assign(new Error(`Unknown tool: ${oneLine(name, 60)}. ${why}`), { code: ErrorCode.InvalidParams });
}

/**
 * The protocol side of the program, on the SDK's plain `Server`: `McpServer` would convert every schema anew for each
 * tools/list, and words its refusals for programmers. docs/decisions/0002 says more.
 */
export function createMcpServer(options: ServerOptions): Server {
  const { tools, name, version, instructions, caller, ...dependencies } = options;
  const server = new Server({ name, version }, { capabilities: { tools: {} }, instructions });
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const conversation: Conversation = { hasMemberText: false };
  let list: ReturnType<typeof describeTool>[] | undefined;

  server.setRequestHandler(ListToolsRequestSchema, () => {
    list ??= tools.map(describeTool);
    return { tools: list };
  });
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
    const tool = byName.get(params.name);
    if (tool === undefined) throw unknownTool(params.name);
    const { signal } = extra;
    const asking = { progress: progressTo(extra), askHuman: askHumanThrough(server, extra) };
    return await callTool(tool, params.arguments, dependencies, { signal, caller, conversation, ...asking });
  });
  return server;
}
