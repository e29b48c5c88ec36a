import type { AccountApp } from '../app.ts';
import type { Config } from '../config/load.ts';
import type { EventFeed } from '../events/event-feed.ts';
import type { CallResult } from '../mcp/call-tool.ts';
import type { AccountFacts, AccountLister, Catalog } from '../mcp/catalog.ts';
import { noCompletions } from '../mcp/completion.ts';
import type { ConfirmCodes } from '../mcp/confirmation/confirm-code.ts';
import { describeTool } from '../mcp/describe-tool.ts';
import type { ObjectSchema } from '../mcp/input/json-schema.ts';
import { parseInput } from '../mcp/input/parse-input.ts';
import { createLists, type Listing, type Lists, type ToolDescription } from '../mcp/listing.ts';
import { errorText, outcomeOf } from '../mcp/output/error-text.ts';
import { truncate } from '../mcp/output/truncate.ts';
import type { Principal, Scope } from '../mcp/principal.ts';
import { noResource, RpcError } from '../mcp/rpc-error.ts';
import { type ProtocolContext, type Service, unknownPrompt, unknownTool } from '../mcp/service.ts';
import type { Conversation } from '../mcp/tool.ts';
import { AcademyError } from '../shared/errors.ts';
import { firstOf, refuseInput } from '../shared/invalid-input.ts';
import { isObject, type Json } from '../shared/json.ts';

export interface Account {
  readonly name: string;
  /** The settings of the program with those of this account. */
  readonly config: Config;
}

/** A bearer token, and the accounts that it opens. */
export interface CallerToken {
  readonly token: string;
  /** What the audit log, the log and the metrics call its caller. */
  readonly name?: string | undefined;
  /** Undefined: all. */
  readonly accounts?: readonly string[] | undefined;
}

/** A loaded accounts file. */
export interface Accounts {
  /** In the order of the file. */
  readonly list: readonly Account[];
  /** Empty unless the program serves HTTP. */
  readonly callers: readonly CallerToken[];
  /** The claim of OAuth access tokens that names the accounts that a token opens. */
  readonly oauthClaim: string;
}

/** What list_accounts shows of an account. */
function accountFacts({ name, config: { timezone, readOnly, toolsets } }: Account): AccountFacts {
  return { name, timezone, read_only: readOnly, ...(toolsets === undefined ? {} : { toolsets }) };
}

/** The accounts of one caller, in the order of the file. `names` undefined: all. */
export function openAccounts({ list }: Pick<Accounts, 'list'>, names: readonly string[] | undefined): Account[] {
  return list.filter(({ name }) => names === undefined || names.includes(name));
}

const description = 'The academy of this call, by its name (list_accounts)';

/** Names in one error. The schema of the argument has all. */
const maxListedNames = 20;

/** `confirm` is a boolean or, with the policy `preview`, a code. Any other property is the same for every account. */
function jointProperty(variants: readonly unknown[]): unknown {
  const distinct = new Map(variants.map((variant) => [JSON.stringify(variant), variant]));
  return distinct.size === 1 ? variants[0] : { anyOf: [...distinct.values()] };
}

function propertiesOf({ properties }: ObjectSchema): Json {
  return isObject(properties) ? properties : {};
}

/**
 * The JSON Schema of a tool with the required argument `account`. `schemas` are those of the tool at each account, and
 * `names` the accounts that allow it.
 */
function withAccountArgument(
  schemas: readonly [ObjectSchema, ...ObjectSchema[]],
  names: readonly string[],
): ObjectSchema {
  const [schema] = schemas;
  const own = Object.keys(propertiesOf(schema)).map((name) => {
    const variants = schemas.map((each) => propertiesOf(each)[name]).filter((variant) => variant !== undefined);
    return [name, jointProperty(variants)];
  });
  const required: unknown[] = Array.isArray(schema.required) ? schema.required : [];
  const account = { type: 'string', enum: names, description };
  return { ...schema, properties: { account, ...Object.fromEntries(own) }, required: ['account', ...required] };
}

/** Splits the account from the other arguments. Throws `invalid_input` if it is none of `names`. */
function takeAccount(given: unknown, names: readonly string[]): { account: string; rest: Json } {
  const { account, ...rest }: Json = isObject(given) ? given : {};
  if (typeof account === 'string' && names.includes(account)) return { account, rest };
  throw refuseInput([`account ${account === undefined ? 'is required:' : 'must be'} one of ${namesShown(names)}`]);
}

function namesShown(names: readonly string[]): string {
  return firstOf(names, maxListedNames, ', ');
}

interface ListedBy {
  readonly account: string;
  readonly description: ToolDescription;
}

/** Tools by name, each with the accounts that list it. */
type JointTools = ReadonlyMap<string, readonly [ListedBy, ...ListedBy[]]>;

/** The tools of several accounts, in the order of `names`. */
function jointTools(
  names: readonly string[],
  accounts: readonly { readonly account: string; readonly tools: readonly ToolDescription[] }[],
): JointTools {
  const listed = accounts.flatMap(({ account, tools }) => tools.map((description) => ({ account, description })));
  const joint = new Map<string, [ListedBy, ...ListedBy[]]>();
  for (const name of names) {
    const [first, ...others] = listed.filter(({ description }) => description.name === name);
    if (first !== undefined) joint.set(name, [first, ...others]);
  }
  return joint;
}

function jointDescription(listed: readonly [ListedBy, ...ListedBy[]]): ToolDescription {
  const [first, ...others] = listed;
  const schemas = others.map(({ description }) => description.inputSchema);
  const inputSchema = withAccountArgument(
    [first.description.inputSchema, ...schemas],
    listed.map(({ account }) => account),
  );
  // What one account asks of a client, such as a person for each call, is asked for all.
  const meta = Object.assign({}, ...listed.map(({ description }) => description._meta));
  return { ...first.description, inputSchema, ...(Object.keys(meta).length === 0 ? {} : { _meta: meta }) };
}

function reasonOf({ config }: Account, isWrite: boolean): string {
  if (isWrite && config.readOnly) return 'which is read-only';
  return `whose toolsets are ${config.toolsets?.join(', ') ?? 'all'}`;
}

/** Throws if an account does not allow a tool that another account of the caller allows. Nothing is sent. */
function refuseAccount(
  allowed: NonNullable<ReturnType<JointTools['get']>>,
  account: string,
  accounts: readonly Account[],
  lacksEvents: boolean,
): void {
  const names = allowed.map((one) => one.account);
  const [first] = allowed;
  const refusing = accounts.find(({ name }) => name === account);
  if (names.includes(account) || refusing === undefined) return;
  const { name, annotations } = first.description;
  const isWrite = !annotations.readOnlyHint;
  const message = `${name} is not available in the account ${account}, ${lacksEvents ? 'which has no events' : reasonOf(refusing, isWrite)}`;
  throw new AcademyError(isWrite ? 'read_only' : 'forbidden', message, {
    hint: `It is available in ${namesShown(names)}.`,
    ...(isWrite ? { outcome: 'not_applied' } : {}),
  });
}

interface ListsOf {
  readonly account: string;
  readonly lists: Lists;
}

export type JointOffer = ReturnType<typeof createJointOffer>;

/** Names in a title, which a client shows in one line. */
const maxNames = 3;

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

/** What several accounts offer to a caller with these scopes. Needs no request and no connection. */
export function createJointOffer(
  { listing, listsOf, listAccounts, instructions, eventsOf }: OfferOptions,
  accounts: readonly Account[],
  scopes: ReadonlySet<Scope>,
) {
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
    title: names.length > maxNames ? `${names.length} academies` : names.join(', '),
    instructions: instructions(
      [...allowed.keys()].map((name) => ({ name })),
      { sandbox: false, readOnly, accounts: names },
    ),
    /** The tools of the accounts, whatever the scopes. */
    allowed,
    all,
    // The enum of a tool's `account` has only accounts that allow the tool.
    tools: [describeTool(listAccounts), ...[...inScope.values()].map(jointDescription)],
    listed: listedBy(all),
    /** Whether this account does not have the tool because it has no events. */
    lacksEvents: (tool: string, account: string) =>
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
        const { text, data } = truncate(lister.present(accounts.map(accountFacts)));
        return { content: [{ type: 'text', text }], structuredContent: data, _meta: {} };
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
