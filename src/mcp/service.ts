import { quotable } from '../shared/clean-text.ts';
import { AcademyError } from '../shared/errors.ts';
import { noMeter } from '../shared/metrics.ts';
import { asValue } from '../shared/quote-text.ts';
import { annotationsOf } from './annotations.ts';
import { type CallDependencies, type CallResult, type CallScope, callTool } from './call-tool.ts';
import type { Catalog } from './catalog.ts';
import { createCachedLists } from './completion/cached-lists.ts';
import { type CompletionRequest, type CompletionResult, complete } from './completion/complete.ts';
import type { ConfirmCodes } from './confirmation/confirm-code.ts';
import { inputJsonSchema, outputJsonSchema } from './input/json-schema.ts';
import { errorText } from './output/error-text.ts';
import type { Principal, Scope } from './principal.ts';
import { type PromptResult, writePrompt } from './prompt.ts';
import { withCost } from './request-cost.ts';
import { type ReadResult, readResource } from './resources.ts';
import { invalidRequest } from './rpc-error.ts';
import { type Capabilities, capabilitiesOf } from './server-capabilities.ts';
import type { Conversation, Tool } from './tool.ts';

/** The parts of a call that the protocol supplies: cancellation, progress and questions to a person. */
export type ProtocolContext = Pick<CallScope, 'signal' | 'progress' | 'askHuman'>;

/**
 * This program as one caller may use it, independent of the protocol version: `src/protocol/legacy` and
 * `src/protocol/modern` each wrap it with their own SDK.
 */
export interface Service {
  readonly name: string;
  readonly version: string;
  /** For the model, once: what the tools are for, how they combine, what they cost. */
  readonly instructions: string;
  /** Signs the state that a client returns with a person's answer. */
  readonly codes: ConfirmCodes;
  /** One caller always gets the same bytes. */
  readonly tools: readonly ToolDescription[];
  /** A failure of the tool is a result, not a rejection. Throws `RpcError` (-32602) for an unknown tool. */
  call(name: string, given: unknown, asking: ProtocolContext): Promise<CallResult>;
  /** The lists besides tools. Callers with the same scopes get the same lists. */
  readonly listed: Capabilities['listed'];
  /** Throws `RpcError`, also for a failure of the tool behind the resource. */
  read(uri: string, asking: ProtocolContext): Promise<ReadResult>;
  /** Throws `RpcError` (-32602) for an unknown prompt and for invalid arguments. */
  prompt(name: string, given: Record<string, string> | undefined): PromptResult;
  /** Never waits for the account's limit. An error of the API gives no values. */
  complete(request: CompletionRequest): Promise<CompletionResult>;
}

export interface ServiceOptions extends CallDependencies, Pick<Service, 'name' | 'version' | 'instructions' | 'codes'> {
  catalog: Pick<Catalog, 'tools' | 'prompts' | 'resources'>;
}

export type ToolDescription = ReturnType<typeof describeTool>;

/** A tool as tools/list describes it. */
export function describeTool(tool: Tool) {
  return {
    name: tool.name,
    title: tool.title,
    description: withCost(tool),
    inputSchema: inputJsonSchema(tool.input),
    outputSchema: outputJsonSchema(tool.output),
    annotations: annotationsOf(tool),
  };
}

/** Changing what students can access needs more trust than editing a lesson. */
export function scopeOf({ effect, toolset, scope }: Pick<Tool, 'effect' | 'toolset' | 'scope'>): Scope {
  if (scope !== undefined) return scope;
  if (effect === 'read') return 'academy:read';
  return toolset === 'access' ? 'academy:access' : 'academy:write';
}

/** -32602, by the tools page of the specification. */
function unknownTool(name: string): Error {
  const why = 'tools/list shows the available tools; read-only mode or the choice of toolsets may exclude this one';
  return invalidRequest(`Unknown tool: ${asValue(quotable(name, 60))}. ${why}`);
}

function unknownPrompt(name: string): Error {
  return invalidRequest(`Unknown prompt: ${asValue(quotable(name, 60))}. prompts/list shows the available prompts`);
}

function outOfScope(tool: Tool, { meter = noMeter }: CallDependencies): CallResult {
  const code = tool.effect === 'read' ? 'forbidden' : 'read_only';
  meter.call(tool.name, code, 0);
  const message = `${tool.name} needs the scope ${scopeOf(tool)}, which the token of this connection does not have`;
  const hint = 'Only the issuer of the token can add that scope.';
  const error = new AcademyError(code, message, {
    hint,
    ...(tool.effect === 'read' ? {} : { outcome: 'not_applied' }),
  });
  return { content: [{ type: 'text', text: errorText(error) }], isError: true, _meta: {} };
}

/** Makes a service for each caller. Callers share what does not depend on them. */
export function createServices({ catalog, name, version, instructions, codes, ...dependencies }: ServiceOptions) {
  const { tools } = catalog;
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const lists = createCachedLists(dependencies);
  const offeredByScopes = new Map<string, ReturnType<typeof capabilitiesFor>>();

  function capabilitiesFor(scopes: ReadonlySet<Scope>) {
    const allowed = tools.filter((tool) => scopes.has(scopeOf(tool)));
    let list: ToolDescription[] | undefined;
    // Converted on first use, since converting schemas is slow.
    return {
      ...capabilitiesOf(new Set(allowed.map((tool) => tool.name)), catalog),
      tools: () => (list ??= allowed.map(describeTool)),
    };
  }

  function capabilitiesForCaller(scopes: ReadonlySet<Scope>) {
    const key = [...scopes].sort().join(' ');
    const offered = offeredByScopes.get(key) ?? capabilitiesFor(scopes);
    offeredByScopes.set(key, offered);
    return offered;
  }

  return function serviceFor({ caller, scopes }: Principal, conversation: Conversation): Service {
    const offered = capabilitiesForCaller(scopes);
    const { redact } = dependencies;
    return {
      name,
      version,
      instructions,
      codes,
      listed: offered.listed,
      get tools() {
        return offered.tools();
      },
      call: async (toolName, given, asking) => {
        const tool = byName.get(toolName);
        if (tool === undefined) throw unknownTool(toolName);
        if (!scopes.has(scopeOf(tool))) return outOfScope(tool, dependencies);
        return (await callTool(tool, given, dependencies, { ...asking, caller, conversation })).result;
      },
      read: (uri, asking) => {
        const toolOf = (toolName: string) => byName.get(toolName);
        return readResource(uri, offered.resources, toolOf, dependencies, { ...asking, caller, conversation });
      },
      prompt: (promptName, given) => {
        const prompt = offered.prompts.find((one) => one.name === promptName);
        if (prompt === undefined) throw unknownPrompt(promptName);
        return writePrompt(prompt, given);
      },
      complete: async (request) => redact(await complete(request, offered, { lists, has: offered.has })),
    };
  };
}
