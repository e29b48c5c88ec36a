import type { Prompt } from './prompt.ts';
import type { Resource } from './resources.ts';
import type { Tool } from './tool.ts';

/** The tools, prompts and resources of a program. Its entry point passes them in: the framework knows no single tool. */
export interface Catalog {
  readonly tools: readonly Tool[];
  readonly prompts: readonly Prompt[];
  readonly resources: readonly Resource[];
  /** The text that the model reads once, about the available tools. */
  readonly instructions: (
    tools: readonly Pick<Tool, 'name'>[],
    mode: { sandbox: boolean; readOnly: boolean },
  ) => string;
}
