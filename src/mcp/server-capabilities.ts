import type { Lists } from './listing.ts';

/** The capabilities besides tools. An empty list is not declared. No list changes while the program runs. */
export function declaredCapabilities({ resources, resourceTemplates, prompts, completions }: Omit<Lists, 'tools'>) {
  return {
    ...(resources.length + resourceTemplates.length > 0 ? { resources: { listChanged: false } } : {}),
    ...(prompts.length > 0 ? { prompts: { listChanged: false } } : {}),
    ...(completions ? { completions: {} } : {}),
  };
}
