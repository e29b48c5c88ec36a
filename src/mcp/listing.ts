import type { EventFeed } from '../events/event-feed.ts';
import { isObject, type Json } from '../shared/json.ts';
import {
  type ConfirmPolicy,
  type InteractionPolicy,
  interactionKey,
  needsConsent,
  requiresInteraction,
  takesConfirm,
} from './confirmation/policy.ts';
import type { Listing, ToolDescription } from './describe-tool.ts';
import type { Scope, Toolset } from './principal.ts';
import type { PromptDescription } from './prompt.ts';
import type { ResourceDescription } from './resources.ts';
import type { Tool } from './tool.ts';
import { uiKey, type ViewDescription } from './view.ts';

export interface ListSettings extends Omit<ToolFilter, 'hasEvents'> {
  readonly confirm: ConfirmPolicy;
  readonly lockdown: boolean;
  readonly requireInteraction: InteractionPolicy;
  readonly ui: boolean;
}

export interface Lists {
  readonly tools: readonly ToolDescription[];
  readonly resources: readonly ResourceDescription[];
  readonly resourceTemplates: readonly ResourceDescription[];
  readonly prompts: readonly PromptDescription[];
  /** Listed only to clients with MCP Apps. */
  readonly views: readonly ViewDescription[];
  /** Whether there is a prompt or a template, whose arguments can be completed. */
  readonly completions: boolean;
  /** Undefined if no resource changes with events. */
  readonly updates: ResourceUpdates | undefined;
  /** Whether the caller has a tool. */
  readonly has: (tool: string) => boolean;
}

/** As a client sees the tool under these settings. `argument`: the schema of `confirm`. */
function describe(tool: Listing['tools'][number], settings: ListSettings, argument: Json): ToolDescription {
  const { _meta = {}, ...description } = tool.description;
  const isQuiet = needsConsent(tool) && !requiresInteraction(settings.requireInteraction, settings.confirm);
  const hidden = [settings.ui ? undefined : uiKey, isQuiet ? interactionKey : undefined];
  const meta = Object.entries(_meta).filter(([key]) => !hidden.includes(key));
  const confirm = takesConfirm(tool, settings.lockdown) ? { confirm: argument } : {};
  const { inputSchema } = description;
  return {
    ...description,
    inputSchema: { ...inputSchema, properties: { ...(inputSchema.properties as Json), ...confirm } },
    ...(meta.length === 0 ? {} : { _meta: Object.fromEntries(meta) }),
  };
}

/** Without the tools that the caller does not have, and without the argument if none is left. */
function offering(description: ToolDescription, runs: string, names: ReadonlySet<string>): ToolDescription {
  const { [runs]: argument, ...others } = description.inputSchema.properties as Json;
  const all = isObject(argument) && Array.isArray(argument.enum) ? argument.enum : [];
  const offered = all.filter((name) => names.has(String(name)));
  if (offered.length === all.length) return description;
  const own = offered.length === 0 ? {} : { [runs]: { ...(isObject(argument) ? argument : {}), enum: offered } };
  return { ...description, inputSchema: { ...description.inputSchema, properties: { ...others, ...own } } };
}

function viewOf({ _meta }: ToolDescription): unknown {
  const ui = _meta?.[uiKey];
  return isObject(ui) ? ui.resourceUri : undefined;
}

/** The listed tools under these settings, and the function that returns the lists of a caller with certain scopes. */
export function createLists(listing: Listing, settings: ListSettings, events: EventFeed | undefined) {
  const { tools, prompts, resources, views, confirm } = listing;
  const argument = settings.confirm === 'preview' ? confirm.code : confirm.flag;
  const enabled = filterTools(tools, { ...settings, hasEvents: events !== undefined }).map((tool) => ({
    scope: tool.scope,
    runs: tool.runs,
    description: describe(tool, settings, argument),
  }));
  const known = new Map<string, Lists>();

  /** A resource needs its tool, a view one of its tools; a prompt needs every tool that its text names. */
  function listsOf(scopes: ReadonlySet<Scope>): Lists {
    const open = enabled.filter(({ scope }) => scopes.has(scope));
    const names = new Set(open.map(({ description }) => description.name));
    const allowed = open.map(({ description, runs }) =>
      runs === undefined ? description : offering(description, runs, names),
    );
    const addresses = new Set(allowed.map(viewOf));
    const has = (tool: string) => names.has(tool);
    const shown = resources.filter(({ tool }) => has(tool));
    const described = shown.map(({ description }) => description);
    const resourceTemplates = described.filter(({ uriTemplate }) => uriTemplate !== undefined);
    const ownPrompts = prompts.filter(({ needs }) => needs.every(has));
    return {
      has,
      tools: allowed,
      resources: described.filter(({ uri }) => uri !== undefined),
      resourceTemplates,
      prompts: ownPrompts.map(({ description }) => description),
      views: views.filter(({ uri }) => addresses.has(uri)),
      completions: ownPrompts.length + resourceTemplates.length > 0,
      updates: createResourceUpdates(
        shown.flatMap(({ changing }) => changing ?? []),
        events,
      ),
    };
  }

  function listsFor(scopes: ReadonlySet<Scope>): Lists {
    const key = [...scopes].sort().join(' ');
    const lists = known.get(key) ?? listsOf(scopes);
    known.set(key, lists);
    return lists;
  }

  return { tools: enabled.map(({ description }) => description), listsFor };
}

interface ToolFilter {
  readOnly: boolean;
  /** Undefined: all toolsets. */
  toolsets: readonly Toolset[] | undefined;
  /** `off`: the tools of the mirror are not listed. */
  mirror: string;
  /** `off`: the tools that need the journal of changes are not listed. */
  journal: string;
  /** Whether the program has the events of the academy. */
  hasEvents: boolean;
}

/** The tools that a server lists and can call: in read-only mode none that writes, and none whose events, journal or mirror are missing. */
export function filterTools<Filtered extends Pick<Tool, 'effect' | 'toolset' | 'needsEvents' | 'needsJournal'>>(
  tools: readonly Filtered[],
  { readOnly, toolsets, mirror, journal, hasEvents }: ToolFilter,
): Filtered[] {
  return tools.filter(
    (tool) =>
      (!readOnly || tool.effect === 'read') &&
      (mirror !== 'off' || tool.toolset !== 'data') &&
      (toolsets === undefined || toolsets.includes(tool.toolset)) &&
      (journal !== 'off' || tool.needsJournal === undefined) &&
      (hasEvents || tool.needsEvents === undefined),
  );
}

/** Updates of the resources that a client can subscribe to. */
export interface ResourceUpdates {
  covers(uri: string): boolean;
  /** Calls back with the address of each resource that has changed. Returns the function that ends this. */
  subscribe(listener: (uri: string) => void): () => void;
}

const variable = '{event}';

/** `changing`: addresses, or templates with the variable `event`, of the resources that change with events. */
function createResourceUpdates(changing: readonly string[], feed: EventFeed | undefined): ResourceUpdates | undefined {
  if (feed === undefined || changing.length === 0) return undefined;
  const addressesOf = (name: string) => changing.map((uri) => uri.replace(variable, name));
  const all = new Set(feed.names.flatMap(addressesOf));
  return {
    covers: (uri) => all.has(uri),
    subscribe: (listener) =>
      feed.subscribe((names) => {
        for (const uri of new Set([...names].flatMap(addressesOf))) listener(uri);
      }),
  };
}
