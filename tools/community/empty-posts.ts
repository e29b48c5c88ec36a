import { inline } from '../../src/mcp/output/text-format.ts';
import { emptyPeriodNote } from '../empty-period.ts';

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
  const names = ['query', 'topic_id', 'created_after', 'created_before'] as const;
  const given = names.flatMap((name) => (filters[name] === undefined ? [] : [`${name}=${inline(filters[name])}`]));
  const asked = given.length === 0 ? '' : ` that fits ${given.join('; ')}`;
  return `${id_or_slug === undefined ? 'no channel has a post' : `channel ${inline(id_or_slug)} has no post`}${asked}`;
}
