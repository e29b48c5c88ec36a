import type { InputOf, Operation } from '../../contract/operation.ts';
import type { ListResponse } from '../../contract/schemas/response.ts';
import type { CallDependencies } from '../call-tool.ts';
import { createListCache, type ListCache, listKey } from '../list-cache.ts';

export type ListOperation = Operation & { response: ListResponse };

/** A list that could not be had is not asked for again for this long, in milliseconds. */
const rest = 10_000;

/** Lists for completions. One that cannot be had is empty: nothing here fails, or begins to wait for a turn. */
export interface CachedLists {
  /** A list that the API sends whole. */
  whole<O extends ListOperation>(operation: O, input: InputOf<O>): Promise<object[]>;
  /** What a search found. */
  found<O extends ListOperation>(operation: O, input: InputOf<O>): Promise<object[]>;
  /** What a search found lately; undefined where it was not asked. */
  foundBefore<O extends ListOperation>(operation: O, input: InputOf<O>): object[] | undefined;
}

export function createCachedLists({
  api,
  lists,
  running,
}: Pick<CallDependencies, 'api' | 'lists' | 'running'>): CachedLists {
  // Searches have a store of their own: there are many, and they must not push out the lists that tools page through.
  const searches = createListCache();
  const underWay = new Map<string, Promise<object[]>>();

  async function ask<O extends ListOperation>(operation: O, input: InputOf<O>): Promise<object[]> {
    const leaving = new AbortController();
    // Not within the call itself, which does not listen yet.
    const onWait = () => queueMicrotask(() => leaving.abort());
    const answer = await api.call(operation, input, { signal: leaving.signal, onWait, priority: 'bulk' });
    return (answer as { items: object[] }).items;
  }

  /** Goes on when the keystroke that began it is cancelled: the next one would only ask again. */
  function begin<O extends ListOperation>(cache: ListCache, key: string, operation: O, input: InputOf<O>) {
    const list = ask(operation, input).then(
      (items) => {
        cache.set(key, items);
        underWay.delete(key);
        return items;
      },
      () => {
        setTimeout(() => underWay.delete(key), rest).unref();
        return [];
      },
    );
    underWay.set(key, list);
    running.add(list);
    void list.finally(() => running.delete(list));
    return list;
  }

  async function keep<O extends ListOperation>(cache: ListCache, operation: O, input: InputOf<O>): Promise<object[]> {
    const key = listKey(operation, input);
    const kept = cache.get(key);
    if (kept !== undefined) return kept;
    const begun = underWay.get(key);
    if (begun === undefined && api.budget().remaining === 0) return [];
    return await (begun ?? begin(cache, key, operation, input));
  }

  return {
    whole: (operation, input) => keep(lists, operation, input),
    found: (operation, input) => keep(searches, operation, input),
    foundBefore: (operation, input) => searches.get(listKey(operation, input)),
  };
}
