import type { Prompt } from './prompt.ts';
import type { Resource } from './resources.ts';
import type { Tool } from './tool.ts';

/** What a program offers. It is handed in by whoever starts it: the framework knows no single tool. */
export interface Catalog {
  readonly tools: readonly Tool[];
  readonly prompts: readonly Prompt[];
  readonly resources: readonly Resource[];
  /** What the model is told once, of the tools that are offered. */
  readonly instructions: (tools: readonly Tool[], mode: { sandbox: boolean; readOnly: boolean }) => string;
}
