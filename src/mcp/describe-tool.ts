import { isObject, type Json } from '../shared/json.ts';
import { confirmArguments } from './confirmation/confirm.ts';
import { interactionKey, needsConsent } from './confirmation/policy.ts';
import { inputJsonSchema, type ObjectSchema, outputJsonSchema } from './input/json-schema.ts';
import { scopeOf } from './principal.ts';
import { describePrompt, type Prompt } from './prompt.ts';
import { withCost } from './request-cost.ts';
import { describeResource, type Resource } from './resources.ts';
import type { Tool } from './tool.ts';
import { describeView, uiKey, type View } from './view.ts';

/** The tools, prompts and resources of a program. Its entry point passes them in: the framework knows no single tool. */
export interface Definitions {
  readonly tools: readonly Tool[];
  readonly prompts: readonly Prompt[];
  readonly resources: readonly Resource[];
  readonly views: readonly View[];
}

export type DescribedTool = Omit<Tool, 'run' | 'example' | 'carriesUserContent'>;

export type ToolDescription = ReturnType<typeof describeTool>;

/** Without the argument `confirm`, unless the tool has it already. */
export function describeTool(tool: DescribedTool) {
  const outputSchema = outputJsonSchema(tool.output);
  const meta = clientMetaOf(tool, outputSchema);
  return {
    name: tool.name,
    title: tool.title,
    description: withCost(tool),
    inputSchema: inputJsonSchema(tool.input),
    outputSchema,
    annotations: annotationsOf(tool),
    ...(Object.keys(meta).length === 0 ? {} : { _meta: meta }),
  };
}

function annotationsOf({ effect, repeat }: Pick<Tool, 'effect' | 'repeat'>) {
  return {
    readOnlyHint: effect === 'read',
    destructiveHint: effect === 'update' || effect === 'destroy',
    idempotentHint: effect === 'read' || repeat === 'same_effect',
    // The tools reach one academy and not the open web.
    openWorldHint: false,
  };
}

/** A tool as tools/list describes it without `confirm`, and the facts that decide whether it is listed and with what. */
function listTool(tool: Tool) {
  const { toolset, effect, consent, needsEvents, needsJournal, runs } = tool;
  const facts = { toolset, effect, consent, needsEvents, needsJournal, runs, scope: scopeOf(tool) };
  return { ...facts, description: describeTool(tool) };
}

/** `changing`: its address, or its template, if it changes with events. */
function listResource(resource: Resource) {
  const { uri, tool, changesWithEvents } = resource;
  return { tool, changing: changesWithEvents && uri, description: describeResource(resource) };
}

export type Listing = ReturnType<typeof listDefinitions>;

/** What the program lists, for all settings and callers, as JSON: `npm run build` stores it, so that a start loads no definition. */
export function listDefinitions({ tools, prompts, resources, views }: Definitions) {
  return {
    tools: tools.map(listTool),
    prompts: prompts.map((prompt) => ({ needs: prompt.needs, description: describePrompt(prompt) })),
    resources: resources.map(listResource),
    views: views.map(describeView),
    /** JSON Schema of the argument `confirm`: a flag or, under ACADEMY_CONFIRM=preview, a code. */
    confirm: inputJsonSchema(confirmArguments).properties as { flag: Json; code: Json },
  };
}

// Keys in `_meta` of a tool. Claude Code reads those of `anthropic/` from tools/list; other clients ignore them. It compares the
// flags with true.

/** Loads the tool at once if the client loads the others only when it finds them by search. */
const alwaysLoadKey = 'anthropic/alwaysLoad';

/** Replaces the client's limits of an answer: 50,000 characters and, more important, 25,000 tokens. At most 500,000. */
const maxResultKey = 'anthropic/maxResultSizeChars';

/** Characters. Larger than any answer (`maxAnswer`), and not smaller than the client's own limit. */
const maxResultChars = 50_000;

/** Whether answers may be long. The client would write a long one to a file, and show the model only its beginning. */
function hasRecords({ properties }: ObjectSchema): boolean {
  const fields = isObject(properties) ? Object.values(properties) : [];
  return fields.some((field) => isObject(field) && isObject(field.items) && field.items.type === 'object');
}

function clientMetaOf(
  tool: Pick<Tool, 'alwaysLoad' | 'effect' | 'consent' | 'ui'>,
  output: ObjectSchema,
): Record<string, unknown> {
  return {
    ...(tool.alwaysLoad === true ? { [alwaysLoadKey]: true } : {}),
    ...(needsConsent(tool) ? { [interactionKey]: true } : {}),
    ...(tool.effect === 'read' && hasRecords(output) ? { [maxResultKey]: maxResultChars } : {}),
    ...(tool.ui === undefined ? {} : { [uiKey]: tool.ui }),
  };
}
