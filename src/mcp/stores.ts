/** Makes what a workflow keeps between two calls. `now` in milliseconds, on any clock that goes forward. */
export type Store<Kept> = (now?: () => number) => Kept;

/** What workflows keep. Each store is made when it is first asked for: the framework knows none of them by name. */
export interface Stores {
  of<Kept>(store: Store<Kept>): Kept;
}

/** The stores of one program; all its callers share them. */
export function createStores(now?: () => number): Stores {
  const made = new Map<Store<unknown>, unknown>();
  return {
    of: <Kept>(store: Store<Kept>) => {
      if (!made.has(store)) made.set(store, store(now));
      // What stands under a store was made by it.
      return made.get(store) as Kept;
    },
  };
}
