import type { Accounts } from '../accounts/several-accounts.ts';
import type { Config } from '../config/load.ts';
import { type EventFeed, openEventFeed, openEventInbox } from '../events/event-feed.ts';
import { defaultAccount } from '../events/webhooks.ts';
import type { WebhookAccount } from '../server/http/webhook-routes.ts';

interface OpenEvents {
  /** The events of the only account; undefined if this process neither receives nor reads events. */
  readonly events?: EventFeed | undefined;
  /** The events of an account of an accounts file; undefined as above. */
  readonly eventsOf?: (account: string) => EventFeed | undefined;
  /** The accounts whose webhooks this process receives. */
  readonly webhooks: readonly WebhookAccount[];
  close(): Promise<void>;
}

interface EventOptions {
  readonly config: Pick<Config, 'eventsFile' | 'webhookSecret'>;
  readonly accounts?: Pick<Accounts, 'list'> | undefined;
  /** Whether this process serves webhooks. Otherwise another process writes the file, and checks its events. */
  readonly receives: boolean;
  /** Multiplies the pauses between notifications: 1, or less in tests. */
  readonly pace?: number | undefined;
}

/** Names the events file of an account in errors. */
export function eventsFileSettingOf(account: string): string {
  return `the events file of the account ${account}`;
}

/** Opens the events of the only account, or of each account of an accounts file. Throws `SettingsError`. */
export function openEvents({ config, accounts, receives, pace }: EventOptions): OpenEvents {
  const feeds = new Map<string, EventFeed>();
  const webhooks: WebhookAccount[] = [];

  function open(account: string, { eventsFile: file, webhookSecret: secrets }: typeof config, setting?: string): void {
    if (receives && secrets.length > 0) {
      const inbox = openEventInbox({ account, file, setting, pace });
      webhooks.push({ inbox, secrets });
      feeds.set(account, inbox);
    } else if (file !== undefined) feeds.set(account, openEventFeed({ account, file, setting, pace }));
  }

  if (accounts === undefined) open(defaultAccount, config);
  for (const { name, config: own } of accounts?.list ?? []) open(name, own, eventsFileSettingOf(name));
  const own = accounts === undefined ? { events: feeds.get(defaultAccount) } : { eventsOf: feeds.get.bind(feeds) };
  const close = async () => void (await Promise.all([...feeds.values()].map((feed) => feed.close())));
  return { ...own, webhooks, close };
}
