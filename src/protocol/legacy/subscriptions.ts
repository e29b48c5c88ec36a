import type { SharedStore } from '../../shared/shared-store.ts';

/** The addresses of resources that a client has subscribed to. */
export interface Subscriptions {
  add(uri: string): Promise<void>;
  remove(uri: string): Promise<void>;
  has(uri: string): Promise<boolean>;
}

/** Those of a connection that only this process serves. */
export function createSubscriptions(): Subscriptions {
  const subscribed = new Set<string>();
  return {
    add: async (uri) => void subscribed.add(uri),
    remove: async (uri) => void subscribed.delete(uri),
    has: async (uri) => subscribed.has(uri),
  };
}

/** Those of a session that any replica serves. They must be kept again before `ttlMs` have passed. */
export interface SharedSubscriptions extends Subscriptions {
  keep(): Promise<void>;
  end(): Promise<void>;
}

/**
 * The replica with the stream of the session may not be the one that took the subscription, so all read one list.
 * `isListening`: whether this replica has the stream. Any other has nothing to notify.
 */
export function createSharedSubscriptions(
  store: SharedStore,
  session: string,
  ttlMs: number,
  isListening: () => boolean,
): SharedSubscriptions {
  const key = `subscriptions ${session}`;
  const read = async () => JSON.parse((await store.get(key))?.value ?? '[]') as string[];
  const write = async (uris: readonly string[]) => await store.set(key, JSON.stringify(uris), ttlMs);
  return {
    add: async (uri) => await write([...new Set([...(await read()), uri])]),
    remove: async (uri) => await write((await read()).filter((other) => other !== uri)),
    has: async (uri) => isListening() && (await read()).includes(uri),
    keep: async () => {
      const uris = await read();
      if (uris.length > 0) await write(uris);
    },
    end: async () => await store.delete(key),
  };
}
