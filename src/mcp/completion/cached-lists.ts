import type { InputOf, Operation } from '../../contract/operation.ts';
import type { ListResponse } from '../../contract/schemas/response.ts';
import type { CallDependencies } from '../call-tool.ts';
import { createListCache, type ListCache, listKey } from '../list-cache.ts';

export type ListOperation = Operation & { response: ListResponse };

/** After a failed request for a list, the time before the next one, in milliseconds. */
const retryAfterMs = 10_000;

/** Lists for completions. A list that cannot be fetched is empty: nothing here fails or waits for the request limit. */
export interface CachedLists {
  /** A list that the API sends whole. */
  whole<O extends ListOperation>(operation: O, input: InputOf<O>): Promise<object[]>;
  /** The results of a search. */
  found<O extends ListOperation>(operation: O, input: InputOf<O>): Promise<object[]>;
  /** The cached results of a search; undefined without any. */
  foundBefore<O extends ListOperation>(operation: O, input: InputOf<O>): object[] | undefined;
}

export function createCachedLists({
  api,
  lists,
  running,
}: Pick<CallDependencies, 'api' | 'lists' | 'running'>): CachedLists {
  // Searches have their own cache: there are many, and they must not evict the lists that tools page through.
  const searches = createListCache();
  const inFlight = new Map<string, Promise<object[]>>();

  async function ask<O extends ListOperation>(operation: O, input: InputOf<O>): Promise<object[]> {
    const controller = new AbortController();
    // Deferred: during `onWait` the call does not listen to the signal yet.
    const onWait = () => queueMicrotask(() => controller.abort());
    const answer = await api.call(operation, input, { signal: controller.signal, onWait, priority: 'bulk' });
    return (answer as { items: object[] }).items;
  }

  /** Continues after the keystroke that began it is cancelled: the next one needs the same list. */
  function begin<O extends ListOperation>(cache: ListCache, key: string, operation: O, input: InputOf<O>) {
    const list = ask(operation, input).then(
      (items) => {
        cache.set(key, items);
        inFlight.delete(key);
        return items;
      },
      () => {
        setTimeout(() => inFlight.delete(key), retryAfterMs).unref();
        return [];
      },
    );
    inFlight.set(key, list);
    running.add(list);
    void list.finally(() => running.delete(list));
    return list;
  }

  async function cachedList<O extends ListOperation>(
    cache: ListCache,
    operation: O,
    input: InputOf<O>,
  ): Promise<object[]> {
    const key = listKey(operation, input);
    const cached = cache.get(key);
    if (cached !== undefined) return cached;
    const begun = inFlight.get(key);
    if (begun === undefined && api.budget().remaining === 0) return [];
    return await (begun ?? begin(cache, key, operation, input));
  }

  return {
    whole: (operation, input) => cachedList(lists, operation, input),
    found: (operation, input) => cachedList(searches, operation, input),
    foundBefore: (operation, input) => searches.get(listKey(operation, input)),
  };
}
