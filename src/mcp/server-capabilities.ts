import { isObject } from '../shared/json.ts';
import type { Lists } from './listing.ts';
import { appsExtension } from './view.ts';

/**
 * The capabilities besides tools. An empty list is not declared. No list changes while the program runs. `subscribe`:
 * whether a client can subscribe to a resource.
 */
export function declaredCapabilities(
  { resources, resourceTemplates, prompts, views, completions }: Omit<Lists, 'tools'>,
  subscribe: boolean,
) {
  const ofResources = { listChanged: false, ...(subscribe ? { subscribe } : {}) };
  return {
    ...(resources.length + resourceTemplates.length + views.length > 0 ? { resources: ofResources } : {}),
    ...(prompts.length > 0 ? { prompts: { listChanged: false } } : {}),
    ...(completions ? { completions: {} } : {}),
    // Claude shows no view of a server that does not declare the extension itself.
    ...(views.length > 0 ? { extensions: { [appsExtension]: {} } } : {}),
  };
}

/** The listed resources for a client with these capabilities: one without MCP Apps cannot show views. */
export function resourcesFor(client: unknown, { resources, views }: Pick<Lists, 'resources' | 'views'>) {
  const extensions = isObject(client) && isObject(client.extensions) ? client.extensions : {};
  return appsExtension in extensions ? [...resources, ...views] : [...resources];
}
