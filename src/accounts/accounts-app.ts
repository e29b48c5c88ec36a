import { openAppendOnlyFile } from '../api/writes/audit-log.ts';
import { type AccountApp, type App, type AppOptions, createApp, exportPlaceOf } from '../app.ts';
import { accountsFileFields, namingFields } from '../config/field-names.ts';
import { secretsOf } from '../config/load.ts';
import { stateOf } from '../events/event.ts';
import type { EventFeed } from '../events/event-feed.ts';
import type { EventInbox } from '../events/event-inbox.ts';
import { createConfirmCodes } from '../mcp/confirmation/confirm-code.ts';
import { withOnListed } from '../mcp/lazy-service.ts';
import type { Listing } from '../mcp/listing.ts';
import type { Principal } from '../mcp/principal.ts';
import { codeSecretOf, hashSecretOf } from '../shared/keyed-hash.ts';
import type { Meter } from '../shared/metrics.ts';
import { createTtlCache } from '../shared/ttl-cache.ts';
import { hasJournalFile } from '../start-parts.ts';
import { name, version } from '../version.ts';
import {
  type Account,
  type Accounts,
  createJointOffer,
  createJointService,
  createListsOf,
  type JointOffer,
  openAccounts,
} from './several-accounts.ts';

export interface AccountsAppOptions
  extends Omit<AppOptions, 'account' | 'secrets' | 'running' | 'meter' | 'sandbox' | 'parts' | 'events'> {
  accounts: Accounts;
  listing: Listing;
  /** Measures the calls and requests of one account. */
  meterOf?: ((account: string) => Meter) | undefined;
  /** The events of one account, if the program has them. The caller closes them. */
  eventsOf?: ((account: string) => EventFeed | EventInbox | undefined) | undefined;
}

/** Offers are kept because a list takes long to make. OAuth tokens may open any choice of accounts, so not all are kept. */
const offerLimits = { ttlMs: 3_600_000, maxEntries: 100 };

/** The secrets of all accounts: the answer of one must not show a key of another. */
export function secretsOfAll({ list }: Pick<Accounts, 'list'>): string[] {
  return [...new Set(list.flatMap(({ config }) => secretsOf(config)))];
}

/** The apps of the accounts, each made on first use. After `close`, a new one is closed at once: its calls end unsent. */
function createApps(options: AccountsAppOptions, running: Set<Promise<unknown>>) {
  const { accounts, meterOf, eventsOf, log, ...shared } = options;
  const apps = new Map<string, AccountApp>();
  const secrets = secretsOfAll(accounts);
  const exportPlace = exportPlaceOf(options);
  let isClosed = false;

  function create({ name: account, config }: Account): AccountApp {
    const meter = meterOf?.(account);
    const events = eventsOf?.(account);
    const app = createApp({
      ...shared,
      config,
      account,
      secrets,
      running,
      meter,
      events,
      exportPlace,
      log: log.child({ account }),
    });
    if (isClosed) void app.close();
    return { ...app, serviceFor: (...of) => namingFields(app.serviceFor(...of), accountsFileFields) };
  }

  return {
    appOf: (account: Account) => {
      const app = apps.get(account.name) ?? create(account);
      apps.set(account.name, app);
      return app;
    },
    all: () => [...apps.values()],
    close: async () => {
      isClosed = true;
      await Promise.all([...apps.values()].map((app) => app.close()));
    },
  };
}

/** An account whose events wait for a check is opened without a caller. */
function openForChecks({ accounts, eventsOf }: AccountsAppOptions, open: (account: Account) => void): void {
  for (const account of accounts.list) {
    const events = eventsOf?.(account.name);
    if (events === undefined || !('receive' in events)) continue;
    events.onArrival(() => open(account));
    if (events.events().some((event) => stateOf(event) === 'not_read_yet')) open(account);
  }
}

/** Each mirror has a thread of its own, so those of many accounts are opened by the first question to each. */
const openedAtOnce = 5;
/** Between the first tools/list and opening the accounts, in milliseconds: its answer goes out first. */
const listedDelayMs = 100;

function openListed(open: readonly Account[], appOf: (account: Account) => AccountApp): void {
  const opening = () => {
    for (const account of open.slice(0, openedAtOnce)) appOf(account).listed();
  };
  setTimeout(opening, listedDelayMs).unref();
}

/** The program for the accounts of an accounts file. Each has an app of its own: nothing of one is shared with another. */
export function createAccountsApp(options: AccountsAppOptions): App {
  const { accounts, config } = options;
  // A log that cannot be written ends the program at its start, not the first write.
  if (config.auditLog !== undefined) openAppendOnlyFile(config.auditLog).close();
  const running = new Set<Promise<unknown>>();
  const { appOf, all, close } = createApps(options, running);
  const codes = createConfirmCodes(codeSecretOf(config));
  if (options.shared !== undefined) codes.useStore(options.shared.storeOf('codes', hashSecretOf(config)));
  const offerOptions = { ...options, listsOf: createListsOf(options) };
  openForChecks(options, appOf);
  const offers = createTtlCache<JointOffer>(offerLimits);

  function offerFor(open: readonly Account[], { scopes: granted }: Principal): JointOffer {
    const key = JSON.stringify([open.map((account) => account.name), [...granted].sort()]);
    const offer = offers.get(key) ?? createJointOffer(offerOptions, open, granted);
    offers.set(key, offer);
    return offer;
  }

  return {
    name,
    tools: [...options.tools, options.listAccounts],
    updatesFor: (principal) => {
      const open = openAccounts(accounts, principal.accounts);
      const [only] = open;
      if (only !== undefined && open.length === 1) return appOf(only).updatesFor(principal);
      return { name: '', updates: undefined };
    },
    running,
    serviceFor: (principal, conversation) => {
      const open = openAccounts(accounts, principal.accounts);
      const [only] = open;
      if (only !== undefined && open.length === 1) return appOf(only).serviceFor(principal, conversation);
      const joint = { offer: offerFor(open, principal), appOf, lister: options.listAccounts, name, version, codes };
      const service = createJointService(joint, principal, conversation);
      const opens = config.mirror !== 'off' || hasJournalFile(config);
      return withOnListed(service, opens ? () => openListed(open, appOf) : undefined);
    },
    budgets: () => all().flatMap((app) => app.budgets()),
    problem: () => {
      const problems = all().flatMap((app) => app.problem() ?? []);
      return problems.length < accounts.list.length ? undefined : problems[0];
    },
    endReads: () => {
      for (const app of all()) app.endReads();
    },
    close,
  };
}
