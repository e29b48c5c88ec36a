import { quotable } from '../shared/clean-text.ts';
import { AcademyError } from '../shared/errors.ts';
import { noMeter } from '../shared/metrics.ts';
import { asValue } from '../shared/quote-text.ts';
import { type CallDependencies, type CallResult, type CallScope, callTool } from './call-tool.ts';
import { type CompletionRequest, complete, createListReader } from './completion.ts';
import type { ConfirmCodes } from './confirmation/confirm-code.ts';
import type { Definitions } from './describe-tool.ts';
import type { Lists } from './listing.ts';
import { errorText, outcomeOf } from './output/error-text.ts';
import { type Principal, type Scope, scopeOf } from './principal.ts';
import { writePrompt } from './prompt.ts';
import { type ReadResult, readResource } from './resources.ts';
import { invalidRequest } from './rpc-error.ts';
import type { Conversation, Tool } from './tool.ts';
import { readView } from './view.ts';

/** The parts of a call that the protocol supplies. `account`: what the call named, if the caller has several. */
export type ProtocolContext = Pick<CallScope, 'signal' | 'progress' | 'askHuman' | 'account' | 'traceId'>;

/** The parts of a service that answer initialize and the lists. */
export interface ServiceFront {
  readonly name: string;
  readonly version: string;
  /** Names the academy, for a person who has several servers. */
  readonly title?: string | undefined;
  /** For the model, once: what the tools are for, how they combine, what they cost. */
  readonly instructions: string;
  /** Signs the state that a client returns with a person's answer. */
  readonly codes: ConfirmCodes;
  /** One caller always gets the same bytes. Callers with the same scopes get the same lists. */
  readonly lists: Lists;
  /** Learns that a client has asked for the tools. */
  readonly onListed?: (() => void) | undefined;
}

/** This program as one caller may use it. `src/protocol/legacy` and `src/protocol/modern` each wrap it with their own SDK. */
export interface Service extends ServiceFront {
  /** A failure of the tool is a result, not a rejection. Throws `RpcError` (-32602) for an unknown tool. */
  call(name: string, args: unknown, asking: ProtocolContext): Promise<CallResult>;
  /** Throws `RpcError`, also for a failure of the tool behind the resource. */
  read(uri: string, asking: ProtocolContext): Promise<ReadResult>;
  /** Throws `RpcError` (-32602) for an unknown prompt and for invalid arguments. */
  prompt(name: string, args: Record<string, string> | undefined): Promise<ReturnType<typeof writePrompt>>;
  /** Never waits for the account's limit. An error of the API gives no values. */
  complete(request: CompletionRequest): ReturnType<typeof complete>;
}

interface ServiceOptions extends CallDependencies, Omit<ServiceFront, 'lists'> {
  catalog: Definitions;
  listsFor: (scopes: ReadonlySet<Scope>) => Lists;
}

/** -32602, by the tools page of the specification. */
export function unknownTool(name: string): Error {
  const why = 'tools/list shows the available tools; read-only mode or the choice of toolsets may exclude this one';
  return invalidRequest(`Unknown tool: ${asValue(quotable(name, 60))}. ${why}`);
}

export function unknownPrompt(name: string): Error {
  return invalidRequest(`Unknown prompt: ${asValue(quotable(name, 60))}. prompts/list shows the available prompts`);
}

function outOfScope(tool: Tool, { meter = noMeter }: CallDependencies, caller: string): CallResult {
  const isWrite = tool.effect !== 'read';
  const code = isWrite ? 'read_only' : 'forbidden';
  meter.call(tool.name, code, 0, caller);
  const message = `${tool.name} needs the scope ${scopeOf(tool)}, which the token of this connection does not have`;
  const error = new AcademyError(code, message, { hint: 'Only the issuer of the token can add that scope.' });
  return { content: [{ type: 'text', text: errorText(error, outcomeOf(error, isWrite)) }], isError: true, _meta: {} };
}

/** Makes a service for each caller. Callers share what does not depend on them. */
export function createServices(options: ServiceOptions) {
  const { catalog, listsFor, name, version, title, instructions, codes, onListed, ...dependencies } = options;
  const front = { name, version, title, instructions, codes, onListed };
  const byName = new Map(catalog.tools.map((tool) => [tool.name, tool]));
  const list = createListReader(dependencies);

  return function serviceFor({ caller, scopes }: Principal, conversation: Conversation): Service {
    const lists = listsFor(scopes);
    const { has } = lists;
    const callScope = (asking: ProtocolContext): CallScope => ({ caller, conversation, has, ...asking });
    const resources = () => catalog.resources.filter(({ tool }) => has(tool));
    const prompts = () => catalog.prompts.filter(({ needs }) => needs.every(has));
    return {
      call: async (toolName, args, asking) => {
        const tool = byName.get(toolName);
        if (tool === undefined) throw unknownTool(toolName);
        if (!scopes.has(scopeOf(tool))) return outOfScope(tool, dependencies, caller);
        return (await callTool(tool, args, dependencies, callScope(asking))).result;
      },
      read: async (uri, asking) => {
        const view = catalog.views.find((one) => one.uri === uri);
        if (view !== undefined && lists.views.some((one) => one.uri === uri)) return await readView(view);
        const toolOf = (toolName: string) => byName.get(toolName);
        return await readResource(uri, resources(), toolOf, dependencies, callScope(asking));
      },
      prompt: async (promptName, args) => {
        const prompt = prompts().find((one) => one.name === promptName);
        if (prompt === undefined) throw unknownPrompt(promptName);
        return writePrompt(prompt, args);
      },
      complete: async (request) => {
        const offered = { resources: resources(), prompts: prompts() };
        return dependencies.redact(await complete(request, offered, { list, has }));
      },
      lists,
      ...front,
    };
  };
}
