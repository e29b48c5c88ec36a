import { closeSync } from 'node:fs';
import { type AccountApp, type App, type AppOptions, createApp, exportPlaceOf } from '../app.ts';
import { accountsFileFields, namingFields } from '../config/field-names.ts';
import { secretsOf } from '../config/load.ts';
import type { EventFeed, EventInbox } from '../events/event-feed.ts';
import type { CallResult } from '../mcp/call-tool.ts';
import type { AccountFacts, AccountLister } from '../mcp/catalog.ts';
import { noCompletions } from '../mcp/completion.ts';
import { type ConfirmCodes, createConfirmCodes } from '../mcp/confirmation/confirm-code.ts';
import { describeTool, type ToolDescription } from '../mcp/describe-tool.ts';
import type { ObjectSchema } from '../mcp/input/json-schema.ts';
import { parseInput } from '../mcp/input/parse-input.ts';
import { createLists, type Lists } from '../mcp/listing.ts';
import { errorText, outcomeOf } from '../mcp/output/error-text.ts';
import { truncate } from '../mcp/output/truncate.ts';
import type { Principal, Scope } from '../mcp/principal.ts';
import { noResource, RpcError } from '../mcp/rpc-error.ts';
import { type ProtocolContext, type Service, unknownPrompt, unknownTool } from '../mcp/service.ts';
import type { Conversation } from '../mcp/tool.ts';
import { AcademyError } from '../shared/errors.ts';
import { firstOf, refuseInput } from '../shared/invalid-input.ts';
import { isObject, type Json } from '../shared/json.ts';
import { codeSecretOf, hashSecretOf } from '../shared/keyed-hash.ts';
import type { Meter } from '../shared/metrics.ts';
import { openPrivateFile } from '../shared/private-file.ts';
import { createTtlCache } from '../shared/ttl-cache.ts';
import { name, version } from '../version.ts';
import type { Accounts } from './load-accounts.ts';

type Account = Accounts['list'][number];

function accountFacts({ name, config: { timezone, readOnly, toolsets } }: Account): AccountFacts {
  return { name, timezone, read_only: readOnly, ...(toolsets === undefined ? {} : { toolsets }) };
}

const description = 'The academy of this call, by its name (list_accounts)';

/** Names in one error. The schema of the argument has all. */
const maxListedNames = 20;

/** `confirm` is a boolean or, with the policy `preview`, a code. Any other property is the same for every account. */
function jointProperty(variants: readonly unknown[]): unknown {
  const distinct = new Map(variants.map((variant) => [JSON.stringify(variant), variant]));
  return distinct.size === 1 ? variants[0] : { anyOf: [...distinct.values()] };
}

const propertiesOf = ({ properties }: ObjectSchema): Json => (isObject(properties) ? properties : {});

/** The tool with the required argument `account`: the accounts whose lists have it. Undefined if none has. */
function jointTool(name: string, all: readonly AccountLists[]): ToolDescription | undefined {
  const listed = all.flatMap(({ account, lists }) =>
    lists.tools.filter((tool) => tool.name === name).map((tool) => ({ account, ...tool })),
  );
  const [first] = listed;
  if (first === undefined) return undefined;
  const { account: _, inputSchema: schema, ...tool } = first;
  const own = Object.keys(propertiesOf(schema)).map((property) => {
    const variants = listed.map(({ inputSchema }) => propertiesOf(inputSchema)[property]);
    return [property, jointProperty(variants.filter((variant) => variant !== undefined))];
  });
  const account = { type: 'string', enum: listed.map(({ account }) => account), description };
  const properties = { account, ...Object.fromEntries(own) };
  const required: unknown[] = Array.isArray(schema.required) ? schema.required : [];
  const inputSchema = { ...schema, properties, required: ['account', ...required] };
  // What one account asks of a client, such as a person for each call, is asked for all.
  const meta = Object.assign({}, ...listed.map(({ _meta }) => _meta));
  return { ...tool, inputSchema, ...(Object.keys(meta).length === 0 ? {} : { _meta: meta }) };
}

/** Splits the account from the other arguments. Throws `invalid_input` if it is none of `names`. */
function takeAccount(args: unknown, names: readonly string[]): { account: string; rest: Json } {
  const { account, ...rest }: Json = isObject(args) ? args : {};
  if (typeof account === 'string' && names.includes(account)) return { account, rest };
  throw refuseInput([`account ${account === undefined ? 'is required:' : 'must be'} one of ${namesShown(names)}`]);
}

const namesShown = (names: readonly string[]) => firstOf(names, maxListedNames, ', ');

/** An account does not allow a tool that another account of the caller allows. Nothing is sent. */
function notAvailable(tool: string, account: string, allowed: readonly string[], isWrite: boolean): AcademyError {
  const why = 'its read-only mode, toolsets or missing events exclude it';
  return new AcademyError(
    isWrite ? 'read_only' : 'forbidden',
    `${tool} is not available in the account ${account}: ${why}`,
    { hint: `It is available in ${namesShown(allowed)}.`, ...(isWrite ? { outcome: 'not_applied' } : {}) },
  );
}

interface AccountLists {
  readonly account: string;
  readonly lists: Lists;
}

type JointOffer = ReturnType<typeof createJointOffer>;

/** Names in a title, which a client shows in one line. */
const maxNames = 3;

/** A page belongs to no account, the link of an export names one, and the rest needs one open account. */
function jointLists(tools: Lists['tools'], all: readonly AccountLists[]): Lists {
  const templates = all.flatMap(({ lists }) => lists.resourceTemplates);
  const exported = templates.filter(({ uriTemplate }) => uriTemplate === 'academy://exports/{id}').slice(0, 1);
  const resourceTemplates = exported.map((one) => ({ ...one, uriTemplate: 'academy://{account}/exports/{id}' }));
  const views = [...new Map(all.flatMap(({ lists }) => lists.views).map((one) => [one.uri, one])).values()];
  const has = (tool: string) => tools.some(({ name }) => name === tool);
  return { tools, views, resources: [], resourceTemplates, prompts: [], completions: false, updates: undefined, has };
}

/** What several accounts offer to a caller with these scopes. Needs no request and no connection. */
function createJointOffer(
  { listing, listAccounts, instructions, eventsOf }: AccountsAppOptions,
  accounts: readonly Account[],
  scopes: ReadonlySet<Scope>,
) {
  const names = accounts.map(({ name }) => name);
  const all = accounts.map(({ name: account, config }) => {
    const { tools, listsFor } = createLists(listing, config, eventsOf?.(account));
    return { account, allowed: new Set(tools.map(({ name }) => name)), lists: listsFor(scopes) };
  });
  /** The accounts that allow a tool, if the scopes do too. */
  const allowing = (tool: string) => all.filter(({ allowed }) => allowed.has(tool)).map(({ account }) => account);
  const known = listing.tools.map(({ description }) => description).filter(({ name }) => allowing(name).length > 0);
  const readOnly = accounts.every(({ config }) => config.readOnly);
  return {
    accounts,
    names,
    allowing,
    isWrite: (tool: string) => known.some(({ name, annotations }) => name === tool && !annotations.readOnlyHint),
    all,
    front: {
      ...{ name, version },
      title: names.length > maxNames ? `${names.length} academies` : names.join(', '),
      instructions: instructions(known, { sandbox: false, readOnly, accounts: names }),
      lists: jointLists([describeTool(listAccounts), ...known.flatMap(({ name }) => jointTool(name, all) ?? [])], all),
    },
  };
}

/** The link of an export in an answer. It has the name of its account. */
const exportLink = /^academy:\/\/([^/]+)\/(exports\/[^/]+)$/;

/** Several accounts as one service: each call goes to the account that it names, and to no other. */
function createJointService(
  { offer, appOf, codes }: { offer: JointOffer; appOf: (account: Account) => AccountApp; codes: ConfirmCodes },
  lister: AccountLister,
  principal: Principal,
  conversation: Conversation,
): Service {
  const { names, accounts, allowing, isWrite, front } = offer;
  const services = new Map<string, Service>();

  function serviceOf(account: string): Service | undefined {
    const found = accounts.find((one) => one.name === account);
    if (found === undefined || services.has(account)) return services.get(account);
    const app = appOf(found);
    app.listed();
    const service = app.serviceFor(principal, conversation);
    services.set(account, service);
    return service;
  }

  async function call(tool: string, args: unknown, asking: ProtocolContext): Promise<CallResult> {
    try {
      if (tool === lister.name) {
        parseInput(lister.input, args);
        const { text, data } = truncate(lister.present(accounts.map(accountFacts)));
        return { content: [{ type: 'text', text }], structuredContent: data, _meta: {} };
      }
      const allowed = allowing(tool);
      if (allowed.length === 0) throw unknownTool(tool);
      const { account, rest } = takeAccount(args, names);
      const service = serviceOf(account);
      if (service === undefined) throw new Error('an open account has no service');
      if (!allowed.includes(account)) throw notAvailable(tool, account, allowed, isWrite(tool));
      return await service.call(tool, rest, { ...asking, account });
    } catch (error) {
      // An error of the arguments is a result, as for every other argument.
      if (!(error instanceof AcademyError)) throw error;
      const text = errorText(error, outcomeOf(error, isWrite(tool)));
      return { content: [{ type: 'text', text }], isError: true, _meta: {} };
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
    ...front,
    codes,
    call,
    read,
    prompt: (promptName) => Promise.reject(unknownPrompt(promptName)),
    complete: ({ ref }) => Promise.reject(noCompletions(ref)),
  };
}

interface AccountsAppOptions
  extends Omit<AppOptions, 'account' | 'secrets' | 'running' | 'meter' | 'sandbox' | 'parts' | 'events'> {
  accounts: Accounts;
  meterOf?: ((account: string) => Meter) | undefined;
  /** The events of one account, if the program has them. The caller closes them. */
  eventsOf?: ((account: string) => EventFeed | EventInbox | undefined) | undefined;
}

/** Offers are kept because a list takes long to make. OAuth tokens may open any choice of accounts, so not all are kept. */
const offerLimits = { ttlMs: 3_600_000, maxEntries: 100 };

/** The program for the accounts of an accounts file. Each has an app of its own: nothing of one is shared with another. */
export function createAccountsApp(options: AccountsAppOptions): App {
  const { accounts, config, meterOf, eventsOf, log, ...same } = options;
  // A log that cannot be written ends the program at its start, not the first write.
  if (config.auditLog !== undefined) closeSync(openPrivateFile(config.auditLog, 'ACADEMY_AUDIT_LOG'));
  const running = new Set<Promise<unknown>>();
  const secrets = secretsOf(...accounts.list.map((account) => account.config));
  const shared = { ...same, secrets, exportPlace: exportPlaceOf(options), running };
  const apps = new Map<string, AccountApp>();
  const offers = createTtlCache<JointOffer>(offerLimits);
  const codes = createConfirmCodes(codeSecretOf(config));
  if (options.shared !== undefined) codes.useStore(options.shared.storeOf('codes', hashSecretOf(config)));
  let isClosed = false;

  /** Each is made on first use. After `close`, a new one is closed at once: its calls end unsent. */
  function appOf({ name: account, config }: Account): AccountApp {
    const known = apps.get(account);
    if (known !== undefined) return known;
    const own = { config, account, meter: meterOf?.(account), events: eventsOf?.(account) };
    const app = createApp({ ...shared, ...own, log: log.child({ account }) });
    if (isClosed) void app.close();
    const opened = {
      ...app,
      serviceFor: (...of: Parameters<App['serviceFor']>) => namingFields(app.serviceFor(...of), accountsFileFields),
    };
    apps.set(account, opened);
    return opened;
  }

  // An account whose events wait for a check is opened without a caller.
  for (const account of accounts.list) {
    const events = eventsOf?.(account.name);
    if (events === undefined || !('receive' in events)) continue;
    const openIfNeeded = () => {
      if (events.events().some(({ finding }) => finding === undefined)) appOf(account);
    };
    openIfNeeded();
    events.subscribe(openIfNeeded);
  }

  function offerFor(open: readonly Account[], { scopes: granted }: Principal): JointOffer {
    const key = JSON.stringify([open.map((account) => account.name), [...granted].sort()]);
    const offer = offers.get(key) ?? createJointOffer(options, open, granted);
    offers.set(key, offer);
    return offer;
  }

  return {
    name,
    tools: [...options.tools, options.listAccounts],
    running,
    serviceFor: (principal, conversation) => {
      const open = accounts.list.filter((account) => principal.accounts?.includes(account.name) ?? true);
      const [only, ...others] = open;
      if (only !== undefined && others.length === 0) return appOf(only).serviceFor(principal, conversation);
      const joint = { offer: offerFor(open, principal), appOf, codes };
      return createJointService(joint, options.listAccounts, principal, conversation);
    },
    budgets: () => [...apps.values()].flatMap((app) => app.budgets()),
    problem: () => {
      const problems = [...apps.values()].flatMap((app) => app.problem() ?? []);
      return problems.length < accounts.list.length ? undefined : problems[0];
    },
    shared: options.shared,
    endReads: () => {
      for (const app of apps.values()) app.endReads();
    },
    close: async () => {
      isClosed = true;
      await Promise.all([...apps.values()].map((app) => app.close()));
      await options.shared?.close();
    },
  };
}
