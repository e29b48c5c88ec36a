import { clientMetaOf } from './client-meta.ts';
import { inputJsonSchema, type ObjectSchema, outputJsonSchema } from './input/json-schema.ts';
import { withCost } from './request-cost.ts';
import type { Tool } from './tool.ts';

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

/** The parts of a tool that its description needs. */
export type DescribedTool = Omit<Tool, 'run' | 'example' | 'carriesUserContent'>;

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
