import type { Lists } from './listing.ts';

/**
 * The capabilities besides tools. An empty list is not declared. No list changes while the program runs. `subscribe`:
 * whether a client can subscribe to a resource.
 */
export function declaredCapabilities(
  { resources, resourceTemplates, prompts, completions }: Omit<Lists, 'tools'>,
  subscribe: boolean,
) {
  const ofResources = { listChanged: false, ...(subscribe ? { subscribe } : {}) };
  return {
    ...(resources.length + resourceTemplates.length > 0 ? { resources: ofResources } : {}),
    ...(prompts.length > 0 ? { prompts: { listChanged: false } } : {}),
    ...(completions ? { completions: {} } : {}),
  };
}
