import { emptyPeriodNote, filtersText } from '../../src/insights/empty-period.ts';
import { inline } from '../../src/mcp/output/text-format.ts';

export interface PostQuestion {
  id_or_slug?: unknown;
  query?: string | undefined;
  topic_id?: number | undefined;
  created_after?: string | undefined;
  created_before?: string | undefined;
}

/** What an answer without posts was asked, and why it may be empty. */
export function emptyPostsNote({ id_or_slug, ...filters }: PostQuestion, now: Date): string {
  const impossible = emptyPeriodNote(filters, now);
  if (impossible !== undefined) return impossible;
  const { query, topic_id, created_after, created_before } = filters;
  const given = filtersText({ query, topic_id, created_after, created_before }, inline);
  const asked = given === '' ? '' : ` that fits ${given}`;
  return `${id_or_slug === undefined ? 'no channel has a post' : `channel ${inline(id_or_slug)} has no post`}${asked}`;
}
