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

/** The resources and prompts that a choice of tools makes available. */
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

/** A resource needs its tool; a prompt needs every tool that its text names. */
export function capabilitiesOf(
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

/** The capabilities besides tools. An empty list is not declared. No list changes while the program runs. */
export function declaredCapabilities({ resources, resourceTemplates, prompts, completions }: Capabilities['listed']) {
  return {
    ...(resources.length + resourceTemplates.length > 0 ? { resources: { listChanged: false } } : {}),
    ...(prompts.length > 0 ? { prompts: { listChanged: false } } : {}),
    ...(completions ? { completions: {} } : {}),
  };
}
