import { createMemoryStore, type SharedStore } from '../shared/shared-store.ts';

/** Creates the state that a workflow keeps between calls. `now`: milliseconds of a monotonic clock. */
export type Store<Value> = (now?: () => number) => Value;

/** The state of workflows. Each store is created on first use: the framework knows none of them by name. */
export interface Stores {
  of<Value>(store: Store<Value>): Value;
  /** What every replica must know. */
  readonly shared: SharedStore;
}

/** The stores of one program; all its callers share them. */
export function createStores(now?: () => number, shared: SharedStore = createMemoryStore()): Stores {
  const made = new Map<Store<unknown>, unknown>();
  return {
    shared,
    of: <Value>(store: Store<Value>) => {
      if (!made.has(store)) made.set(store, store(now));
      // The value under a store was created by that store.
      return made.get(store) as Value;
    },
  };
}
