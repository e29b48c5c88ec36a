import type { Presented } from '../src/mcp/tool.ts';

interface Matches {
  /** The key of the rows, which also names them in a sentence. */
  list: string;
  rows: readonly object[];
  limit: number;
  /** The largest limit that the API takes. */
  largestLimit: number;
  /** How to ask for fewer. */
  narrow: string;
  /** What the API gives where it takes no notice of the limit. */
  usual: number;
  /** The API's own count, where it gives one. */
  total?: number | undefined;
  /** Entries that came and are no records. */
  lost?: number;
}

/** The answer of a search that the API cuts at a limit without saying how many matches there are. */
export function presentMatches({
  list,
  rows,
  limit,
  largestLimit,
  narrow,
  usual,
  total,
  lost = 0,
}: Matches): Presented {
  const count = Math.max(total ?? 0, rows.length);
  const isFull = rows.length >= limit || rows.length === usual || count > rows.length;
  const advice = limit < largestLimit ? `raise limit (at most ${largestLimit}) or ${narrow}` : narrow;
  const more = isFull ? { more: `there may be more than these ${rows.length}: ${advice}` } : {};
  const lack = lost > 0 ? `${lost} of the entries are no records and could not be read` : undefined;
  return {
    summary: `${lack === undefined ? '' : `Incomplete (${lack}): `}${rows.length} ${list} found.`,
    data: {
      count,
      ...(lack === undefined ? {} : { coverage: { complete: false, stopped: lack } }),
      ...more,
      ...(rows.length > 0 ? { [list]: rows } : {}),
    },
  };
}
