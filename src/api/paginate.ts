import type { ListAnswer, ParsedAnswer } from '../contract/answer.ts';
import type { InputOf, Operation } from '../contract/operation.ts';
import type { Api, CallOptions } from './client.ts';
import { isObject } from './tolerate.ts';

type PagedOperation = Operation & { response: ListAnswer; query: { page: unknown } };

function totalPages(answer: object): number | undefined {
  const meta: unknown = 'meta' in answer ? answer.meta : undefined;
  const total: unknown = isObject(meta) ? meta.total_pages : undefined;
  return typeof total === 'number' ? total : undefined;
}

/**
 * The pages of a list, from `input.page` (or 1) on, one request each and only when asked for. Ends after the last page
 * that the answer's meta names; where it names none, after the first page that is empty.
 */
export async function* pages<O extends PagedOperation>(
  api: Api,
  operation: O,
  input: InputOf<O>,
  options: CallOptions = {},
): AsyncGenerator<ParsedAnswer<O['response']>> {
  const first = 'page' in input && typeof input.page === 'number' ? input.page : 1;
  for (let page = first; ; page += 1) {
    const answer = await api.call(operation, { ...input, page }, options);
    yield answer;
    const last = totalPages(answer);
    const isEmpty = (answer as { items: unknown[] }).items.length === 0;
    if (isEmpty || (last !== undefined && page >= last)) return;
  }
}
