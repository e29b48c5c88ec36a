import type { Accounts } from '../accounts/accounts.ts';
import type { Config } from '../config/load.ts';
import { type EventFeed, type EventFeedOptions, openEventFeed } from '../events/event-feed.ts';
import { openEventInbox } from '../events/event-inbox.ts';
import { defaultAccount } from '../events/webhooks.ts';
import type { WebhookAccount } from '../server/http/webhook-routes.ts';

/** The events of the accounts of an accounts file. */
interface OpenEventsOfAccounts {
  /** Undefined if this process neither receives nor reads events of the account. */
  readonly eventsOf: (account: string) => EventFeed | undefined;
  /** The accounts whose webhooks this process receives. */
  readonly webhooks: readonly WebhookAccount[];
  close(): Promise<void>;
}

interface OpenEvents {
  /** Undefined if this process neither receives nor reads events. */
  readonly events: EventFeed | undefined;
  /** The account, if this process receives its webhooks. */
  readonly webhooks: readonly WebhookAccount[];
  close(): Promise<void>;
}

/** `pace` multiplies the pauses between notifications: 1, or less in tests. */
interface EventOptions extends Pick<EventFeedOptions, 'setting' | 'pace'> {
  account?: string;
}

/** Names the events file of an account in errors. */
export function eventsFileSettingOf(account: string): string {
  return `the events file of the account ${account}`;
}

function opened(events: EventFeed | undefined, webhooks: readonly WebhookAccount[] = []): OpenEvents {
  return { events, webhooks, close: async () => events?.close() };
}

/** Opens ACADEMY_EVENTS_FILE for reading. Another process writes it, and checks its events. Throws `SettingsError`. */
export function openEventsToRead(
  { eventsFile: file }: Pick<Config, 'eventsFile'>,
  { account = defaultAccount, ...more }: EventOptions = {},
): OpenEvents {
  return opened(file === undefined ? undefined : openEventFeed({ account, file, ...more }));
}

/** Opens the events of a process that receives webhooks if ACADEMY_WEBHOOK_SECRET is set. Throws `SettingsError`. */
export function openEventsToReceive(
  config: Pick<Config, 'eventsFile' | 'webhookSecret'>,
  options: EventOptions = {},
): OpenEvents {
  if (config.webhookSecret.length === 0) return openEventsToRead(config, options);
  const inbox = openEventInbox({ account: defaultAccount, file: config.eventsFile, ...options });
  return opened(inbox, [{ inbox, secrets: config.webhookSecret }]);
}

/** Opens the events of each account. `receives`: whether this process serves webhooks. Throws `SettingsError`. */
export function openEventsOfAccounts(
  { list }: Pick<Accounts, 'list'>,
  receives: boolean,
  pace?: number,
): OpenEventsOfAccounts {
  const open = receives ? openEventsToReceive : openEventsToRead;
  const all = list.map(({ name, config }) => {
    const setting = eventsFileSettingOf(name);
    return [name, open(config, { account: name, setting, pace })] as const;
  });
  const byName = new Map(all);
  return {
    eventsOf: (account) => byName.get(account)?.events,
    webhooks: all.flatMap(([, { webhooks }]) => webhooks),
    close: async () => {
      await Promise.all(all.map(([, { close }]) => close()));
    },
  };
}
