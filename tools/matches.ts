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
  /** The API's own count, where it gives one. */
  total?: number | undefined;
}

/** The answer of a search that the API cuts at a limit without saying how many matches there are. */
export function presentMatches({ list, rows, limit, largestLimit, narrow, total }: Matches): Presented {
  const count = Math.max(total ?? 0, rows.length);
  const isFull = rows.length >= limit || count > rows.length;
  const advice = limit < largestLimit ? `raise limit (at most ${largestLimit}) or ${narrow}` : narrow;
  const more = isFull ? { more: `there may be more than these ${rows.length}: ${advice}` } : {};
  return {
    summary: `${rows.length} ${list} found.`,
    data: { count, ...more, ...(rows.length > 0 ? { [list]: rows } : {}) },
  };
}
