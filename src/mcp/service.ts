import { quotable } from '../shared/clean-text.ts';
import { AcademyError } from '../shared/errors.ts';
import { noMeter } from '../shared/metrics.ts';
import { asValue } from '../shared/quote-text.ts';
import { annotationsOf } from './annotations.ts';
import { type CallDependencies, type CallResult, type CallScope, callTool } from './call-tool.ts';
import { type Capabilities, offeredWith } from './capabilities.ts';
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
import type { Conversation, Tool } from './tool.ts';

/** What of a call is the business of the protocol: its end, its progress, the way to a person. */
export type Asking = Pick<CallScope, 'signal' | 'progress' | 'askHuman'>;

/**
 * What this program offers to one caller, in terms of no protocol era: `src/protocol/legacy` and `src/protocol/modern` put the protocol
 * around it, each with its own SDK.
 */
export interface Service {
  readonly name: string;
  readonly version: string;
  /** Told to the model once: what the tools are for, how they combine, what they cost. */
  readonly instructions: string;
  /** Signs what a client brings back with a person's answer. */
  readonly codes: ConfirmCodes;
  /** The same bytes on every call of one caller. */
  readonly tools: readonly ToolDescription[];
  /** Never rejects for what a tool does: failures are results. Throws for a tool that there is not (-32602). */
  call(name: string, given: unknown, asking: Asking): Promise<CallResult>;
  /** What there is besides tools; made for the same scopes, it is the same too. */
  readonly listed: Capabilities['listed'];
  /** Throws `RpcError`, also for what the tool behind a resource could not do. */
  read(uri: string, asking: Asking): Promise<ReadResult>;
  /** Throws `RpcError` for a prompt that there is not, and for wrong arguments (-32602). */
  prompt(name: string, given: Record<string, string> | undefined): PromptResult;
  /** Never waits for the account's limit, and never fails for what the API does. */
  complete(request: CompletionRequest): Promise<CompletionResult>;
}

export interface ServiceOptions extends CallDependencies, Pick<Service, 'name' | 'version' | 'instructions' | 'codes'> {
  catalog: Pick<Catalog, 'tools' | 'prompts' | 'resources'>;
}

export type ToolDescription = ReturnType<typeof describeTool>;

/** What tools/list says of a tool. */
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

/** Who may change what students can reach is trusted with more than who may edit a lesson. */
export function scopeOf({ effect, toolset, scope }: Pick<Tool, 'effect' | 'toolset' | 'scope'>): Scope {
  if (scope !== undefined) return scope;
  if (effect === 'read') return 'academy:read';
  return toolset === 'access' ? 'academy:access' : 'academy:write';
}

/** The tools page of the specification asks for -32602. */
function unknownTool(name: string): Error {
  const why = 'tools/list shows what there is; read-only mode or a choice of toolsets may have left this one out';
  return invalidRequest(`Unknown tool: ${asValue(quotable(name, 60))}. ${why}`);
}

function unknownPrompt(name: string): Error {
  return invalidRequest(`Unknown prompt: ${asValue(quotable(name, 60))}. prompts/list shows what there is`);
}

function outOfScope(tool: Tool, { meter = noMeter }: CallDependencies): CallResult {
  const code = tool.effect === 'read' ? 'forbidden' : 'read_only';
  meter.call(tool.name, code, 0);
  const message = `the token of this connection has no scope ${scopeOf(tool)}, which ${tool.name} needs`;
  const hint = 'Only the one who gave out the token can give it that scope.';
  const error = new AcademyError(code, message, {
    hint,
    ...(tool.effect === 'read' ? {} : { outcome: 'not_applied' }),
  });
  return { content: [{ type: 'text', text: errorText(error) }], isError: true, _meta: {} };
}

/** Gives each caller the service that is theirs. What is the same for all is made once. */
export function createServices({ catalog, name, version, instructions, codes, ...dependencies }: ServiceOptions) {
  const { tools } = catalog;
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const lists = createCachedLists(dependencies);
  const offeredByScopes = new Map<string, ReturnType<typeof capabilitiesFor>>();

  function capabilitiesFor(scopes: ReadonlySet<Scope>) {
    const allowed = tools.filter((tool) => scopes.has(scopeOf(tool)));
    let list: ToolDescription[] | undefined;
    // Listed only when asked for: schemas are slow to convert.
    return {
      ...offeredWith(new Set(allowed.map((tool) => tool.name)), catalog),
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
