import { newestPostFirst } from '../../src/insights/community/digest.ts';
import { asOf } from '../../src/insights/period.ts';
import { hasUnreadable, unreadableText } from '../../src/insights/unreadable.ts';
import { counted } from '../../src/mcp/output/text-format.ts';
import type { Presented, ToolContext } from '../../src/mcp/tool.ts';
import type { AllChannelsReading } from '../../src/workflows/community/search-all-channels.ts';
import { incompleteBecause } from '../../src/workflows/sales/resumable-scan.ts';
import { withCut } from '../cut-answer.ts';
import { definedFields } from '../defined-fields.ts';
import { presentPost } from './post-row.ts';

/** Why posts may be missing; empty if none are. */
function problemsOf({ read, found }: AllChannelsReading): string[] {
  const { left, cutShort, refused, stopped, problem, unreadable, ignored } = read;
  const unread = unreadableText(unreadable);
  return [
    ...(left > 0 ? [`${counted(left, 'channel')} not read: raise max_requests`] : []),
    ...(cutShort.length > 0
      ? [`older posts of ${cutShort.join(', ')} not read: raise max_requests or use a shorter time`]
      : []),
    ...(refused.length > 0 ? [`could not be read: ${refused.slice(0, 5).join('; ')}`] : []),
    ...[stopped, problem].filter((why) => why !== undefined),
    ...(hasUnreadable(unreadable) ? [unread] : []),
    ...(found.isCut ? ['the API may have more channels than it listed'] : []),
    ...(ignored.length > 0 ? [`the API ignored ${ignored.join(' and ')}`] : []),
  ];
}

/** The posts of all channels, newest first, one page of them. */
export function presentAllChannels(
  reading: AllChannelsReading,
  { page, per_page }: { page: number; per_page: number },
  { spent, now }: Pick<ToolContext, 'spent' | 'now'>,
): Presented {
  const { posts } = reading.read;
  const from = (page - 1) * per_page;
  const shown = [...posts].sort(newestPostFirst).slice(from, from + per_page);
  const rows = shown.map(({ channel, record }) => ({ channel, ...presentPost(record) }));
  const problems = problemsOf(reading);
  const problem = problems.length === 0 ? undefined : problems.join('; ');
  const channels = new Set(posts.map(({ channel }) => channel)).size;
  const part = rows.length === 0 ? 'none shown' : `shown ${from + 1} to ${from + rows.length}, newest first`;
  const found = `${counted(posts.length, 'post')} in ${channels} of ${counted(reading.found.channels.length, 'channel')}`;
  const hasMore = rows.length > 0 && from + rows.length < posts.length;
  // A cut answer has no next_page: it would skip the posts that were cut.
  const answer = (most: number) => ({
    summary: `${problem === undefined ? '' : `${incompleteBecause(problem)}: `}${found}, ${part}.`,
    data: {
      page,
      total: posts.length,
      ...(hasMore && most >= rows.length ? { next_page: page + 1 } : {}),
      ...(rows.length > 0 ? { posts: rows.slice(0, most) } : {}),
      coverage: definedFields({
        complete: problem === undefined,
        stopped: problem,
        channels: reading.found.channels.length,
        requests_spent: spent(),
        as_of: asOf(now()),
      }),
    },
  });
  return withCut(answer, rows.length, 'use a smaller per_page');
}
