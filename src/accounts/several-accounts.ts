import type { AccountApp } from '../app.ts';
import type { EventFeed } from '../events/event-feed.ts';
import type { CallResult } from '../mcp/call-tool.ts';
import type { AccountLister, Catalog } from '../mcp/catalog.ts';
import { noCompletions } from '../mcp/completion/complete.ts';
import type { ConfirmCodes } from '../mcp/confirmation/confirm-code.ts';
import type { ToolDescription } from '../mcp/describe-tool.ts';
import { parseInput } from '../mcp/input/parse-input.ts';
import { createLists, type Listing, type Lists } from '../mcp/listing.ts';
import { errorText, outcomeOf } from '../mcp/output/error-text.ts';
import { type Truncated, truncate } from '../mcp/output/truncate.ts';
import type { Principal, Scope } from '../mcp/principal.ts';
import { noResource, RpcError } from '../mcp/rpc-error.ts';
import { type ProtocolContext, type Service, unknownPrompt, unknownTool } from '../mcp/service.ts';
import type { Conversation } from '../mcp/tool.ts';
import { AcademyError } from '../shared/errors.ts';
import { type Account, accountFacts } from './accounts.ts';
import { describeJointTools, type JointTools, jointTools, refuseAccount, takeAccount } from './shared-tools.ts';

/** What an account lists for a caller. */
interface ListsOf {
  readonly account: string;
  readonly lists: Lists;
}

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
  /** Whether this account does not have the tool because it has no events. */
  readonly lacksEvents: (tool: string, account: string) => boolean;
}

/** Names in a title, which a client shows in one line. */
const maxNames = 3;

function titleOf(names: readonly string[]): string {
  return names.length > maxNames ? `${names.length} academies` : names.join(', ');
}

/**
 * A page belongs to no account: the arguments of its tool name one. The link of an export names its account. Prompts and
 * other resources need one open account.
 */
function listedBy(all: readonly ListsOf[]): Omit<Lists, 'tools'> {
  const templates = all.flatMap(({ lists }) => lists.resourceTemplates);
  const exported = templates.filter(({ uriTemplate }) => uriTemplate === 'academy://exports/{id}').slice(0, 1);
  const resourceTemplates = exported.map((one) => ({ ...one, uriTemplate: 'academy://{account}/exports/{id}' }));
  const views = [...new Map(all.flatMap(({ lists }) => lists.views).map((one) => [one.uri, one])).values()];
  return { views, resources: [], resourceTemplates, prompts: [], changing: [], completions: false };
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
    lacksEvents: (tool, account) =>
      eventsOf?.(account) === undefined &&
      listing.tools.some(({ description, needsEvents }) => needsEvents && description.name === tool),
  };
}

interface JointServiceOptions {
  readonly offer: JointOffer;
  readonly appOf: (account: Account) => AccountApp;
  readonly lister: AccountLister;
  readonly name: string;
  readonly version: string;
  readonly codes: ConfirmCodes;
}

function resultOf({ text, data }: Truncated): CallResult {
  return { content: [{ type: 'text', text }], structuredContent: data, _meta: {} };
}

/** Turns an error of the arguments into a result, as for every other argument. */
function failure(error: unknown, isWrite: boolean): CallResult {
  if (!(error instanceof AcademyError)) throw error;
  const text = errorText(error, outcomeOf(error, isWrite));
  return { content: [{ type: 'text', text }], isError: true, _meta: {} };
}

/** The link of an export in an answer. It has the name of its account. */
const exportLink = /^academy:\/\/([^/]+)\/(exports\/[^/]+)$/;

/** Several accounts as one service: each call goes to the account that it names, and to no other. */
export function createJointService(
  { offer, appOf, lister, name, version, codes }: JointServiceOptions,
  principal: Principal,
  conversation: Conversation,
): Service {
  const { names, accounts, allowed, title, instructions, tools, listed, lacksEvents } = offer;
  const services = new Map<string, Service>();

  function serviceOf(account: string): Service | undefined {
    const found = accounts.find((one) => one.name === account);
    if (found === undefined) return undefined;
    const service = services.get(account) ?? appOf(found).serviceFor(principal, conversation);
    services.set(account, service);
    return service;
  }

  async function call(tool: string, given: unknown, asking: ProtocolContext): Promise<CallResult> {
    const known = allowed.get(tool);
    try {
      if (tool === lister.name) {
        parseInput(lister.input, given);
        return resultOf(truncate(lister.present(accounts.map(accountFacts))));
      }
      if (known === undefined) throw unknownTool(tool);
      const { account, rest } = takeAccount(given, names);
      const service = serviceOf(account);
      if (service === undefined) throw new Error('an open account has no service');
      refuseAccount(known, account, accounts, lacksEvents(tool, account));
      return await service.call(tool, rest, { ...asking, account });
    } catch (error) {
      return failure(error, known?.[0].description.annotations.readOnlyHint === false);
    }
  }

  async function read(sent: string, asking: ProtocolContext) {
    const shown = offer.all.find(({ lists }) => lists.views.some(({ uri }) => uri === sent));
    const viewer = shown && serviceOf(shown.account);
    if (viewer !== undefined) return await viewer.read(sent, asking);
    const [, account = '', own = ''] = exportLink.exec(sent) ?? [];
    const service = serviceOf(account);
    if (service === undefined) throw noResource(sent);
    try {
      const { contents, _meta } = await service.read(`academy://${own}`, asking);
      return { contents: contents.map((part) => ({ ...part, uri: sent })), _meta };
    } catch (error) {
      // The address of the account's own server would name no account.
      throw error instanceof RpcError && error.data !== undefined ? noResource(sent) : error;
    }
  }

  return {
    name,
    version,
    title,
    instructions,
    codes,
    listed,
    updates: undefined,
    tools,
    call,
    read,
    prompt: (promptName) => Promise.reject(unknownPrompt(promptName)),
    complete: ({ ref }) => Promise.reject(noCompletions(ref)),
  };
}
