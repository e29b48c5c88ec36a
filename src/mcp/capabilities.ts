import type { Catalog } from './catalog.ts';
import { describePrompt, type Prompt, type PromptDescription } from './prompt.ts';
import {
  describeResource,
  describeTemplate,
  isTemplate,
  type Resource,
  type ResourceDescription,
  type TemplateDescription,
} from './resources.ts';

/** What goes with a choice of tools. */
export interface Capabilities {
  readonly has: (tool: string) => boolean;
  readonly resources: readonly Resource[];
  readonly prompts: readonly Prompt[];
  readonly listed: {
    readonly resources: readonly ResourceDescription[];
    readonly resourceTemplates: readonly TemplateDescription[];
    readonly prompts: readonly PromptDescription[];
    /** Whether an argument of any of them can be completed. */
    readonly completions: boolean;
  };
}

/** A resource is there with its tool, a prompt with all that it speaks of. */
export function offeredWith(
  tools: ReadonlySet<string>,
  { prompts, resources }: Pick<Catalog, 'prompts' | 'resources'>,
): Capabilities {
  const has = (name: string) => tools.has(name);
  const shown = resources.filter(({ tool }) => has(tool));
  const asked = prompts.filter(({ needs }) => needs.every(has));
  return {
    has,
    resources: shown,
    prompts: asked,
    listed: {
      resources: shown.filter((one) => !isTemplate(one)).map(describeResource),
      resourceTemplates: shown.filter(isTemplate).map(describeTemplate),
      prompts: asked.map(describePrompt),
      completions: [...shown, ...asked].some(({ completes }) => completes !== undefined),
    },
  };
}

/** What a caller is offered besides tools, as capabilities: only what there is something of is declared. No list changes while it runs. */
export function declaredCapabilities({ resources, resourceTemplates, prompts, completions }: Capabilities['listed']) {
  return {
    ...(resources.length + resourceTemplates.length > 0 ? { resources: { listChanged: false } } : {}),
    ...(prompts.length > 0 ? { prompts: { listChanged: false } } : {}),
    ...(completions ? { completions: {} } : {}),
  };
}
