import type { Presented } from '../src/mcp/tool.ts';

interface SearchResult {
  /** The key of the rows in the answer, which is also their noun. */
  list: string;
  rows: readonly object[];
  limit: number;
  /** The largest limit that the API accepts. */
  largestLimit: number;
  /** How to get fewer matches. */
  narrow: string;
  /** Number of rows that the API returns when it ignores `limit`. */
  defaultCount: number;
  /** The count that the API reports, if any. */
  total?: number | undefined;
  /** Number of entries that are not records. */
  lost?: number;
}

/** The answer of a search whose API cuts the matches at a limit and does not say how many there are. */
export function presentSearchResult({
  list,
  rows,
  limit,
  largestLimit,
  narrow,
  defaultCount,
  total,
  lost = 0,
}: SearchResult): Presented {
  const count = Math.max(total ?? 0, rows.length);
  const isFull = rows.length >= limit || rows.length === defaultCount || count > rows.length;
  const advice = limit < largestLimit ? `raise limit (at most ${largestLimit}) or ${narrow}` : narrow;
  const more = isFull ? { more: `there may be more than these ${rows.length}: ${advice}` } : {};
  const problem = lost > 0 ? `${lost} entries are not records and could not be read` : undefined;
  return {
    summary: `${problem === undefined ? '' : `Incomplete (${problem}): `}${rows.length} ${list} found.`,
    data: {
      count,
      ...(problem === undefined ? {} : { coverage: { complete: false, stopped: problem } }),
      ...more,
      ...(rows.length > 0 ? { [list]: rows } : {}),
    },
  };
}
