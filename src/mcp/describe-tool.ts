import { isObject, type Json } from '../shared/json.ts';
import type { Catalog, DescribedTool } from './catalog.ts';
import { clientMetaOf } from './client-meta.ts';
import { confirmArguments } from './confirmation/confirm.ts';
import { inputJsonSchema, type ObjectSchema, outputJsonSchema } from './input/json-schema.ts';
import type { Listing } from './listing.ts';
import { scopeOf } from './principal.ts';
import { describePrompt } from './prompt.ts';
import { withCost } from './request-cost.ts';
import { describeResource, describeTemplate, isTemplate, type Resource } from './resources.ts';
import type { Tool } from './tool.ts';
import { describeView } from './view.ts';

/** A tool as tools/list describes it. */
export interface ToolDescription {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: ObjectSchema;
  readonly outputSchema: ObjectSchema;
  readonly annotations: ToolAnnotations;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

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

interface ToolAnnotations {
  readOnlyHint: boolean;
  destructiveHint: boolean;
  idempotentHint: boolean;
  openWorldHint: boolean;
}

/** `effect` and `repeat` determine the four hints. */
function annotationsOf({ effect, repeat }: Pick<Tool, 'effect' | 'repeat'>): ToolAnnotations {
  return {
    readOnlyHint: effect === 'read',
    destructiveHint: effect === 'update' || effect === 'destroy',
    idempotentHint: repeat === 'safe' || repeat === 'same_effect',
    // The tools reach one academy and not the open web.
    openWorldHint: false,
  };
}

function listTool(tool: Tool) {
  const { toolset, effect, consent, needsEvents, needsJournal, runs } = tool;
  const needs = { ...(needsEvents && { needsEvents }), ...(needsJournal && { needsJournal }), ...(runs && { runs }) };
  const facts = { toolset, effect, ...(consent === undefined ? {} : { consent }), ...needs, scope: scopeOf(tool) };
  return { ...facts, description: describeTool(tool) };
}

function listResource<Description>(resource: Resource, describe: (resource: Resource) => Description) {
  const { uri, tool, completes, changesWithEvents } = resource;
  const changing = changesWithEvents ? { changing: uri } : {};
  return { tool, completes: completes !== undefined, ...changing, description: describe(resource) };
}

/** The JSON Schema of one argument. */
function argumentSchema(schema: Tool['input'], name: string): Json {
  const { properties } = inputJsonSchema(schema);
  return isObject(properties) && isObject(properties[name]) ? properties[name] : {};
}

const confirm = {
  flag: argumentSchema(confirmArguments.flag, 'confirm'),
  code: argumentSchema(confirmArguments.code, 'confirm'),
};

/** Computes what a program with these definitions lists. */
export function listDefinitions({
  tools,
  prompts,
  resources,
  views,
}: Pick<Catalog, 'tools' | 'prompts' | 'resources' | 'views'>): Listing {
  return {
    tools: tools.map(listTool),
    prompts: prompts.map((prompt) => ({
      needs: prompt.needs,
      completes: prompt.completes !== undefined,
      description: describePrompt(prompt),
    })),
    resources: resources.filter((one) => !isTemplate(one)).map((one) => listResource(one, describeResource)),
    templates: resources.filter(isTemplate).map((one) => listResource(one, describeTemplate)),
    views: views.map(describeView),
    confirm,
  };
}
