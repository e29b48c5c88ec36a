import { openAppendOnlyFile } from '../api/writes/audit-file.ts';
import { type AccountApp, type App, type AppOptions, createApp } from '../app.ts';
import { secretsOf } from '../config/load.ts';
import { createConfirmCodes } from '../mcp/confirmation/confirm-code.ts';
import type { Listing } from '../mcp/listing.ts';
import type { Principal } from '../mcp/principal.ts';
import type { Meter } from '../shared/metrics.ts';
import { createTtlCache } from '../shared/ttl-cache.ts';
import { name, version } from '../version.ts';
import { type Account, type Accounts, openAccounts } from './accounts.ts';
import { createJointOffer, createListsOf, type JointOffer } from './joint-offer.ts';
import { createJointService } from './joint-service.ts';

export interface AccountsAppOptions
  extends Omit<AppOptions, 'account' | 'secrets' | 'running' | 'meter' | 'sandbox' | 'front'> {
  accounts: Accounts;
  listing: Listing;
  /** Measures the calls and requests of one account. */
  meterOf?: ((account: string) => Meter) | undefined;
}

/** Offers are kept because a list takes long to make. OAuth tokens may open any choice of accounts, so not all are kept. */
const offerLimits = { ttlMs: 3_600_000, maxEntries: 100 };

/** The secrets of all accounts: the answer of one must not show a key of another. */
export function secretsOfAll({ list }: Pick<Accounts, 'list'>): string[] {
  return [...new Set(list.flatMap(({ config }) => secretsOf(config)))];
}

/** The apps of the accounts, each made on first use. After `close`, a new one is closed at once: its calls end unsent. */
function createApps(options: AccountsAppOptions, running: Set<Promise<unknown>>) {
  const { accounts, meterOf, log, ...shared } = options;
  const apps = new Map<string, AccountApp>();
  const secrets = secretsOfAll(accounts);
  let isClosed = false;

  function create({ name: account, config }: Account): AccountApp {
    const meter = meterOf?.(account);
    const app = createApp({ ...shared, config, account, secrets, running, meter, log: log.child({ account }) });
    if (isClosed) void app.close();
    return app;
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

/** The program for the accounts of an accounts file. Each has an app of its own: nothing of one is shared with another. */
export function createAccountsApp(options: AccountsAppOptions): App {
  const { accounts, config } = options;
  // A log that cannot be written ends the program at its start, not the first write.
  if (config.auditLog !== undefined) openAppendOnlyFile(config.auditLog).close();
  const running = new Set<Promise<unknown>>();
  const { appOf, all, close } = createApps(options, running);
  const codes = createConfirmCodes(config.confirmSecret);
  const listsOf = createListsOf(options.listing);
  const offers = createTtlCache<JointOffer>(offerLimits);

  function offerFor(open: readonly Account[], { scopes }: Principal): JointOffer {
    const key = JSON.stringify([open.map((account) => account.name), [...scopes].sort()]);
    const offer = offers.get(key) ?? createJointOffer({ ...options, listsOf }, open, scopes);
    offers.set(key, offer);
    return offer;
  }

  return {
    name,
    tools: [...options.tools, options.listAccounts],
    running,
    serviceFor: (principal, conversation) => {
      const open = openAccounts(accounts, principal.accounts);
      const [only] = open;
      if (only !== undefined && open.length === 1) return appOf(only).serviceFor(principal, conversation);
      const joint = { offer: offerFor(open, principal), appOf, lister: options.listAccounts, name, version, codes };
      return createJointService(joint, principal, conversation);
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
