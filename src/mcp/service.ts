import { oneLine } from '../clean.ts';
import { AcademyError, rpcCodes } from '../errors.ts';
import { noMeter } from '../metrics.ts';
import { type CallDependencies, type CallResult, type CallScope, callTool } from './call.ts';
import type { ConfirmCodes } from './confirm-code.ts';
import { errorText } from './error-text.ts';
import { hintsOf } from './hints.ts';
import { inputJsonSchema, outputJsonSchema } from './json-schema.ts';
import type { Principal, Scope } from './principal.ts';
import type { Conversation, Tool } from './tool.ts';

/** What of a call is the business of the protocol: its end, its progress, the way to a person. */
export type Asking = Pick<CallScope, 'signal' | 'progress' | 'askHuman'>;

/**
 * What this program offers to one caller, in terms of no protocol era: `src/legacy` and `src/modern` put the protocol
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
}

export interface ServiceOptions extends CallDependencies, Pick<Service, 'name' | 'version' | 'instructions' | 'codes'> {
  tools: readonly Tool[];
}

export type ToolDescription = ReturnType<typeof describeTool>;

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

/** Who may change what students can reach is trusted with more than who may edit a lesson. */
export function scopeOf({ effect, toolset }: Pick<Tool, 'effect' | 'toolset'>): Scope {
  if (effect === 'read') return 'academy:read';
  return toolset === 'access' ? 'academy:access' : 'academy:write';
}

/** An error of the protocol, as the tools page of the specification asks for. */
function unknownTool(name: string): Error {
  const why = 'tools/list shows what there is; read-only mode or a choice of toolsets may have left this one out';
  return Object.assign(new Error(`Unknown tool: ${oneLine(name, 60)}. ${why}`), { code: rpcCodes.invalidParams });
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

/** Gives each caller the service that is theirs. What is the same for all is made once: schemas are slow to convert. */
export function createServices({ tools, name, version, instructions, codes, ...dependencies }: ServiceOptions) {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const described = new Map<Tool, ToolDescription>();
  const listed = new Map<string, ToolDescription[]>();

  function describe(tool: Tool): ToolDescription {
    const description = described.get(tool) ?? describeTool(tool);
    described.set(tool, description);
    return description;
  }

  function listFor(scopes: ReadonlySet<Scope>): ToolDescription[] {
    const key = [...scopes].sort().join(' ');
    const list = listed.get(key) ?? tools.filter((tool) => scopes.has(scopeOf(tool))).map(describe);
    listed.set(key, list);
    return list;
  }

  return function serviceFor({ caller, scopes }: Principal, conversation: Conversation): Service {
    return {
      name,
      version,
      instructions,
      codes,
      get tools() {
        return listFor(scopes);
      },
      call: async (toolName, given, asking) => {
        const tool = byName.get(toolName);
        if (tool === undefined) throw unknownTool(toolName);
        if (!scopes.has(scopeOf(tool))) return outOfScope(tool, dependencies);
        return await callTool(tool, given, dependencies, { ...asking, caller, conversation });
      },
    };
  };
}
