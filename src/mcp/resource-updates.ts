import type { EventFeed } from '../events/event-feed.ts';

/** Updates of the resources that a client can subscribe to. */
export interface ResourceUpdates {
  /** Whether a client can subscribe to this address. */
  covers(uri: string): boolean;
  /** Calls back with the address of each resource that has changed. Returns the function that ends this. */
  subscribe(listener: (uri: string) => void): () => void;
}

const variable = '{event}';

/**
 * `changing`: addresses, or templates with the variable `event`, of the resources that change with events. Undefined if
 * there are none.
 */
export function createResourceUpdates(
  changing: readonly string[],
  feed: EventFeed | undefined,
): ResourceUpdates | undefined {
  if (feed === undefined || changing.length === 0) return undefined;
  const addressesOf = (name: string) => changing.map((uri) => uri.replace(variable, name));
  const all = new Set(feed.names.flatMap(addressesOf));
  return {
    covers: (uri) => all.has(uri),
    subscribe: (listener) =>
      feed.subscribe((names) => {
        for (const uri of new Set([...names].flatMap(addressesOf))) listener(uri);
      }),
  };
}
