import type { Accounts } from '../accounts/load-accounts.ts';
import type { Config } from '../config/load.ts';
import { type EventFeed, eventsFileSetting, openEventFeed, openEventInbox } from '../events/event-feed.ts';
import { defaultAccount } from '../events/webhooks.ts';
import type { WebhookAccount } from '../server/http/webhook-routes.ts';

interface EventOptions {
  readonly config: Pick<Config, 'eventsFile' | 'webhookSecret'>;
  readonly accounts?: Pick<Accounts, 'list'> | undefined;
  /** Whether this process serves webhooks. Otherwise another process writes the file, and checks its events. */
  readonly receives: boolean;
  /** Multiplies the pauses between notifications: 1, or less in tests. */
  readonly pace?: number | undefined;
}

export const eventsFileSettingOf = (account?: string) =>
  account === undefined ? eventsFileSetting : `the events file of the account ${account}`;

/** Opens the events of the only account, or of each account of an accounts file. Throws `SettingsError`. */
export function openEvents({ config, accounts, receives, pace }: EventOptions) {
  const feeds = new Map<string, EventFeed>();
  const webhooks: WebhookAccount[] = [];
  for (const { name: account, config: own } of accounts?.list ?? [{ name: defaultAccount, config }]) {
    const { eventsFile: file, webhookSecret: secrets } = own;
    const setting = accounts && eventsFileSettingOf(account);
    if (receives && secrets.length > 0) {
      const inbox = openEventInbox({ account, file, setting, pace });
      webhooks.push({ inbox, secrets });
      feeds.set(account, inbox);
    } else if (file !== undefined) feeds.set(account, openEventFeed({ account, file, setting, pace }));
  }
  return {
    /** Undefined if this process neither receives nor reads events of the account. */
    eventsOf: (account: string = defaultAccount) => feeds.get(account),
    webhooks,
    close: async () => void (await Promise.all([...feeds.values()].map((feed) => feed.close()))),
  };
}
