import { isObject } from '../shared/json.ts';
import type { Catalog, DescribedTool } from './catalog.ts';
import { confirmArguments } from './confirmation/confirm.ts';
import { needsConsent } from './confirmation/policy.ts';
import { inputJsonSchema, type ObjectSchema, outputJsonSchema } from './input/json-schema.ts';
import { interactionKey, type Listing, type ToolDescription, uiKey } from './listing.ts';
import { scopeOf } from './principal.ts';
import { describePrompt } from './prompt.ts';
import { withCost } from './request-cost.ts';
import { describeResource, type Resource } from './resources.ts';
import type { Tool } from './tool.ts';
import { describeView } from './view.ts';

/** Without the argument `confirm`, unless the tool has it already. */
export function describeTool(tool: DescribedTool): ToolDescription {
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

function annotationsOf({ effect, repeat }: Pick<Tool, 'effect' | 'repeat'>): ToolDescription['annotations'] {
  return {
    readOnlyHint: effect === 'read',
    destructiveHint: effect === 'update' || effect === 'destroy',
    idempotentHint: effect === 'read' || repeat === 'same_effect',
    // The tools reach one academy and not the open web.
    openWorldHint: false,
  };
}

function listTool(tool: Tool) {
  const { toolset, effect, consent, needsEvents, needsJournal, runs } = tool;
  const facts = { toolset, effect, consent, needsEvents, needsJournal, runs, scope: scopeOf(tool) };
  return { ...facts, description: describeTool(tool) };
}

function listResource(resource: Resource) {
  const { uri, tool, changesWithEvents } = resource;
  return { tool, changing: changesWithEvents && uri, description: describeResource(resource) };
}

export function listDefinitions({
  tools,
  prompts,
  resources,
  views,
}: Pick<Catalog, 'tools' | 'prompts' | 'resources' | 'views'>): Listing {
  return {
    tools: tools.map(listTool),
    prompts: prompts.map((prompt) => ({ needs: prompt.needs, description: describePrompt(prompt) })),
    resources: resources.map(listResource),
    views: views.map(describeView),
    confirm: inputJsonSchema(confirmArguments).properties as Listing['confirm'],
  };
}

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
