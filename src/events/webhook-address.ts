import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { type EventName, eventNames } from '../contract/events.ts';

/** The account in the address if there is only one. */
export const defaultAccount = 'default';

/** The path that the platform posts an event to. */
export function webhookPath(account: string, event: EventName, secret: string): string {
  return `/webhooks/${account}/${event}/${secret}`;
}

/** The paths of all events, in the order of the API document. */
export function webhookPaths(account: string, secret: string): { event: EventName; path: string }[] {
  return eventNames.map((event) => ({ event, path: webhookPath(account, event, secret) }));
}

/** What a webhook address is for. */
export interface WebhookTarget {
  readonly account: string;
  readonly event: EventName;
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** Compared if the account is unknown, so that an unknown account takes as long as a wrong secret. */
const nobody = [digest(randomBytes(32).toString('hex'))];

/**
 * Returns the function that finds what a path is for; undefined for any path without a valid secret. `secrets` are those of
 * each account: the old one and the new one while it is replaced.
 */
export function createAddressMatcher(secrets: ReadonlyMap<string, readonly string[]>) {
  const digests = new Map([...secrets].map(([account, texts]) => [account, texts.map(digest)]));
  const names: ReadonlySet<string> = new Set(eventNames);
  return (path: string): WebhookTarget | undefined => {
    const match = /^\/webhooks\/([^/]+)\/([^/]+)\/([^/]+)$/.exec(path);
    const [, account = '', event = '', secret = ''] = match ?? [];
    const given = digest(secret);
    // Compares with each secret, so that the time shows nothing.
    const isRight = (digests.get(account) ?? nobody).map((known) => timingSafeEqual(known, given)).includes(true);
    if (match === null || !isRight || !names.has(event)) return undefined;
    return { account, event: event as EventName };
  };
}
