/** The encoded segments of the path, and the query. */
interface RequestTarget {
  segments: readonly string[];
  query: Record<string, string>;
}

/**
 * Splits a request target. `new URL` would resolve `..` and reject some targets. As in Rails, a trailing slash has no
 * meaning and the last of several query parameters of one name counts.
 */
export function parseRequestTarget(target: string): RequestTarget {
  const [path = '', ...rest] = target.split('?');
  const segments = path.replace(/\/$/, '').split('/').slice(1);
  return { segments, query: Object.fromEntries(new URLSearchParams(rest.join('?'))) };
}
