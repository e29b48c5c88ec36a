import { withConfirmation } from '../../src/mcp/confirmation/confirm.ts';
import { createConfirmCodes } from '../../src/mcp/confirmation/confirm-code.ts';
import { documentedInput, outputJsonSchema } from '../../src/mcp/input/json-schema.ts';
import { toolsets } from '../../src/mcp/principal.ts';
import { costFigures, withCost } from '../../src/mcp/request-cost.ts';
import type { Tool } from '../../src/mcp/tool.ts';
import { code, codeBlock, table } from './markdown.ts';

const defaultConsent = { policy: 'auto', codes: createConfirmCodes(), lockdown: false } as const;

/** The arguments as a client sees them, `confirm` included, in words. */
export function argumentsOf(tool: Tool) {
  const { properties, required } = documentedInput(withConfirmation(tool, defaultConsent).input) as JsonSchema;
  return Object.entries(properties ?? {}).map(([name, schema]) => ({
    name,
    isRequired: required?.includes(name) === true,
    /** In JSON Schema; the first, if there are several. */
    type: [schema.type ?? 'string'].flat()[0] ?? 'string',
    limits: limitsOf(schema),
    meaning: schema.description ?? '',
  }));
}

/** The part of JSON Schema that the schemas of tools use. */
interface JsonSchema {
  type?: string | readonly string[];
  enum?: readonly string[];
  anyOf?: readonly JsonSchema[];
  items?: JsonSchema;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  properties?: Record<string, JsonSchema>;
  required?: readonly string[];
  description?: string;
}

function numberWords({ minimum, maximum }: JsonSchema): string {
  if (minimum === undefined) return maximum === undefined ? 'integer' : `integer up to ${maximum}`;
  return maximum === undefined ? `integer from ${minimum}` : `integer from ${minimum} to ${maximum}`;
}

function typeWords(schema: JsonSchema, type: string): string {
  if (type === 'integer' || type === 'number') return numberWords(schema);
  if (type !== 'string') return type;
  return schema.maxLength === undefined ? 'string' : `string, at most ${schema.maxLength} characters`;
}

/** What a value may be: "integer from 1 to 25", "`paid` or `all`". */
function limitsOf(schema: JsonSchema): string {
  if (schema.anyOf !== undefined) return [...new Set(schema.anyOf.map(limitsOf))].join(' or ');
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${value}\``).join(', ');
  const types = [schema.type ?? 'string'].flat();
  return types.map((type) => typeWords(schema, type)).join(' or ');
}

const membersOf = (tools: readonly Tool[], toolset: string) => tools.filter((tool) => tool.toolset === toolset);

/** docs/internals/tools.md: the names of all tools, each with a link to its section. */
export function toolIndex(tools: readonly Tool[]): string {
  const rows = toolsets.map((toolset) => {
    const links = membersOf(tools, toolset).map(({ name }) => `[${code(name)}](#${name})`);
    return [code(toolset), links.join(', ')];
  });
  return table(['Toolset', 'Tools'], rows);
}

function argumentTable(tool: Tool): string {
  const rows = argumentsOf(tool).map(({ name, isRequired, limits, meaning }) => {
    return [code(name), isRequired ? 'yes' : 'no', limits, meaning];
  });
  return rows.length === 0 ? 'No arguments.' : table(['Argument', 'Required', 'Value', 'Meaning'], rows);
}

/** The fields of an object, and in brackets those of the objects and lists of objects in it. */
function fieldWords({ properties = {} }: JsonSchema): string {
  return Object.entries(properties).map(namedField).join(', ');
}

function namedField([name, { items, ...schema }]: [string, JsonSchema]): string {
  const inner = fieldWords(items ?? schema);
  return inner === '' ? code(name) : `${code(name)} (${items === undefined ? '' : 'each: '}${inner})`;
}

function section(tool: Tool): string {
  const { example } = tool;
  const isEmpty = Object.keys(example).length === 0;
  const shown = isEmpty ? [] : [`Example:\n\n${codeBlock('json', JSON.stringify(example))}`];
  const effect = `Toolset ${code(tool.toolset)}, ${tool.effect}s, requests: ${costFigures(tool.cost)}.`;
  const answer = `Answer: ${fieldWords(outputJsonSchema(tool.output) as JsonSchema)}.`;
  const parts = [effect, withCost(tool), argumentTable(tool), ...shown, answer];
  return [`### ${tool.name}`, ...parts].join('\n\n');
}

/** docs/internals/tools.md: every tool with its whole description and each argument. */
export function toolReference(tools: readonly Tool[]): string {
  const parts = toolsets.flatMap((toolset) => [`## ${toolset}`, ...membersOf(tools, toolset).map(section)]);
  return parts.join('\n\n');
}
