import type { EventFeed } from '../events/event-feed.ts';
import type { Catalog } from '../mcp/catalog.ts';
import type { ToolDescription } from '../mcp/describe-tool.ts';
import { createLists, type Listing, type Lists } from '../mcp/listing.ts';
import type { Scope } from '../mcp/principal.ts';
import { createResourceUpdates, jointUpdates, type ResourceUpdates } from '../mcp/resource-updates.ts';
import type { Account } from './accounts.ts';
import { jointPrompts } from './joint-prompts.ts';
import { jointResources, type ListsOf, withAccount } from './joint-resources.ts';
import { describeJointTools, type JointTools, jointTools } from './joint-tools.ts';

/** What several accounts offer to a caller with these scopes. Needs no request and no connection. */
export interface JointOffer {
  readonly accounts: readonly Account[];
  readonly names: readonly string[];
  readonly title: string;
  readonly instructions: string;
  /** The tools of the accounts, whatever the scopes. */
  readonly allowed: JointTools;
  readonly all: readonly ListsOf[];
  readonly tools: readonly ToolDescription[];
  readonly listed: Omit<Lists, 'tools'>;
  /** Undefined if none of the accounts has events, or the caller may not read them. */
  readonly updates: ResourceUpdates | undefined;
  /** Whether this account does not have the tool because it has no events. */
  readonly lacksEvents: (tool: string, account: string) => boolean;
}

/** Names in a title, which a client shows in one line. */
const maxNames = 3;

function titleOf(names: readonly string[]): string {
  return names.length > maxNames ? `${names.length} academies` : names.join(', ');
}

/** The account of every prompt and template can be completed. */
function listedBy(all: readonly ListsOf[]): Omit<Lists, 'tools'> {
  const resources = jointResources(all);
  const prompts = jointPrompts(all);
  const completions = resources.resourceTemplates.length + prompts.length > 0;
  const changing = all.flatMap(({ account, lists }) => lists.changing.map((uri) => withAccount(uri, account)));
  return { ...resources, prompts, changing, completions };
}

/** Lists of an account. Accounts with the same restrictions share them. */
export function createListsOf({ listing, eventsOf }: Pick<OfferOptions, 'listing' | 'eventsOf'>) {
  const made = new Map<string, ReturnType<typeof createLists>>();
  return ({ name, config }: Account) => {
    const hasEvents = eventsOf?.(name) !== undefined;
    const key = JSON.stringify([config.readOnly, config.toolsets, config.confirm, config.mirror, hasEvents]);
    const known = made.get(key) ?? createLists(listing, { ...config, hasEvents });
    made.set(key, known);
    return known;
  };
}

interface OfferOptions extends Pick<Catalog, 'listAccounts' | 'instructions'> {
  readonly listing: Listing;
  readonly listsOf: ReturnType<typeof createListsOf>;
  readonly eventsOf?: ((account: string) => EventFeed | undefined) | undefined;
}

/** The updates of each account, under the addresses that have its name. */
function updatesOf(all: readonly ListsOf[], eventsOf: OfferOptions['eventsOf']): ResourceUpdates | undefined {
  return jointUpdates(
    all.map(({ account, lists }) => {
      const changing = lists.changing.map((uri) => withAccount(uri, account));
      return createResourceUpdates(changing, eventsOf?.(account));
    }),
  );
}

export function createJointOffer(
  { listing, listsOf, listAccounts, instructions, eventsOf }: OfferOptions,
  accounts: readonly Account[],
  scopes: ReadonlySet<Scope>,
): JointOffer {
  const names = accounts.map(({ name }) => name);
  const order = listing.tools.map(({ description }) => description.name);
  const allowed = jointTools(
    order,
    accounts.map((account) => ({ account: account.name, tools: listsOf(account).tools })),
  );
  const all = accounts.map((account) => ({ account: account.name, lists: listsOf(account).listsFor(scopes) }));
  const inScope = jointTools(
    order,
    all.map(({ account, lists }) => ({ account, tools: lists.tools })),
  );
  const readOnly = accounts.every(({ config }) => config.readOnly);
  return {
    accounts,
    names,
    title: titleOf(names),
    instructions: instructions(
      [...allowed.keys()].map((name) => ({ name })),
      { sandbox: false, readOnly, accounts: names },
    ),
    allowed,
    all,
    tools: describeJointTools(inScope, listAccounts),
    listed: listedBy(all),
    updates: updatesOf(all, eventsOf),
    lacksEvents: (tool, account) =>
      eventsOf?.(account) === undefined &&
      listing.tools.some(({ description, needsEvents }) => needsEvents && description.name === tool),
  };
}
