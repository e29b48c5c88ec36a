/** What a request is about: the path in its segments, still encoded, and the query. */
export interface RequestTarget {
  segments: readonly string[];
  query: Record<string, string>;
}

/**
 * Splits the target of a request. It is not put through `new URL`, which would resolve `..` and refuse some
 * targets. A trailing slash means nothing; of a repeated query parameter the last counts, as in Rails.
 */
export function parseRequestTarget(target: string): RequestTarget {
  const [path = '', ...rest] = target.split('?');
  const segments = path.replace(/\/$/, '').split('/').slice(1);
  return { segments, query: Object.fromEntries(new URLSearchParams(rest.join('?'))) };
}
