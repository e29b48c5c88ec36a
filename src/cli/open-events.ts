import type { Config } from '../config/load.ts';
import { type EventFeed, openEventFeed } from '../events/event-feed.ts';
import { openEventInbox } from '../events/event-inbox.ts';
import { defaultAccount } from '../events/webhook-address.ts';
import type { WebhookAccount } from '../server/http/webhook-routes.ts';

interface OpenEvents {
  /** Undefined if this process neither receives nor reads events. */
  readonly events: EventFeed | undefined;
  /** The account, if this process receives its webhooks. */
  readonly webhooks: readonly WebhookAccount[];
  close(): Promise<void>;
}

/** `pace` multiplies the pauses between notifications: 1, or less in tests. */
interface EventOptions {
  account?: string;
  pace?: number;
}

function opened(events: EventFeed | undefined, webhooks: readonly WebhookAccount[] = []): OpenEvents {
  return { events, webhooks, close: async () => events?.close() };
}

/** Opens ACADEMY_EVENTS_FILE for reading. Another process writes it, and checks its events. Throws `SettingsError`. */
export function openEventsToRead(
  { eventsFile: file }: Pick<Config, 'eventsFile'>,
  { account = defaultAccount, pace }: EventOptions = {},
): OpenEvents {
  return opened(file === undefined ? undefined : openEventFeed({ account, file, pace }));
}

/** Opens the events of a process that receives webhooks if ACADEMY_WEBHOOK_SECRET is set. Throws `SettingsError`. */
export function openEventsToReceive(
  config: Pick<Config, 'eventsFile' | 'webhookSecret'>,
  { account = defaultAccount, pace }: EventOptions = {},
): OpenEvents {
  if (config.webhookSecret.length === 0)
    return openEventsToRead(config, { account, ...(pace === undefined ? {} : { pace }) });
  const inbox = openEventInbox({ account, file: config.eventsFile, pace });
  return opened(inbox, [{ inbox, secrets: config.webhookSecret }]);
}
