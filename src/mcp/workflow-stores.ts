/** Makes what a workflow keeps between two calls. `now` in milliseconds, on any clock that goes forward. */
export type Store<Value> = (now?: () => number) => Value;

/** What workflows keep. Each store is made when it is first asked for: the framework knows none of them by name. */
export interface Stores {
  of<Value>(store: Store<Value>): Value;
}

/** The stores of one program; all its callers share them. */
export function createStores(now?: () => number): Stores {
  const made = new Map<Store<unknown>, unknown>();
  return {
    of: <Value>(store: Store<Value>) => {
      if (!made.has(store)) made.set(store, store(now));
      // What stands under a store was made by it.
      return made.get(store) as Value;
    },
  };
}
