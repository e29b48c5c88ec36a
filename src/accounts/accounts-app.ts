import { closeSync } from 'node:fs';
import { type AccountApp, type App, type AppOptions, createApp, exportPlaceOf } from '../app.ts';
import { accountsFileFields, namingFields } from '../config/field-names.ts';
import { secretsOf } from '../config/load.ts';
import type { EventFeed, EventInbox } from '../events/event-feed.ts';
import { createConfirmCodes } from '../mcp/confirmation/confirm-code.ts';
import type { Principal } from '../mcp/principal.ts';
import { codeSecretOf, hashSecretOf } from '../shared/keyed-hash.ts';
import type { Meter } from '../shared/metrics.ts';
import { openPrivateFile } from '../shared/private-file.ts';
import { createTtlCache } from '../shared/ttl-cache.ts';
import { name } from '../version.ts';
import {
  type Account,
  type Accounts,
  createJointOffer,
  createJointService,
  type JointOffer,
  openAccounts,
} from './several-accounts.ts';

export interface AccountsAppOptions
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
      const open = openAccounts(accounts, principal.accounts);
      const [only, ...others] = open;
      if (only !== undefined && others.length === 0) return appOf(only).serviceFor(principal, conversation);
      const joint = { offer: offerFor(open, principal), appOf, lister: options.listAccounts, codes };
      return createJointService(joint, principal, conversation);
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
