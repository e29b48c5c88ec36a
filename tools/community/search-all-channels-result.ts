import { newestPostFirst } from '../../src/insights/community/digest.ts';
import { asOf } from '../../src/insights/period.ts';
import { rowTimes, spanOf, withRowTime } from '../../src/insights/row-time.ts';
import { hasUnreadable, unreadableText } from '../../src/insights/unreadable.ts';
import { scannedTable } from '../../src/mcp/output/table-shape.ts';
import { counted } from '../../src/mcp/output/text-format.ts';
import type { Presented, ToolContext } from '../../src/mcp/tool.ts';
import type { AllChannelsReading } from '../../src/workflows/community/search-all-channels.ts';
import { moreRequests } from '../../src/workflows/requests-allowed.ts';
import { incompleteBecause } from '../../src/workflows/sales/resumable-scan.ts';
import { withCut } from '../cut-answer.ts';
import { definedFields } from '../defined-fields.ts';
import { emptyPostsNote, type PostQuestion } from './empty-posts.ts';
import { postColumns, presentPost } from './post-row.ts';

/** Why posts may be missing; empty if none are. */
function problemsOf({ read, found }: AllChannelsReading): string[] {
  const { left, cutShort, refused, stopped, problem, unreadable, ignored } = read;
  const unread = unreadableText(unreadable);
  return [
    ...(left > 0 ? [`${counted(left, 'channel')} not read: ${moreRequests}`] : []),
    ...(cutShort.length > 0
      ? [`older posts of ${cutShort.join(', ')} not read: ${moreRequests}, or use a shorter time`]
      : []),
    ...(refused.length > 0 ? [`could not be read: ${refused.slice(0, 5).join('; ')}`] : []),
    ...[stopped, problem].filter((why) => why !== undefined),
    ...(hasUnreadable(unreadable) ? [unread] : []),
    ...(found.isCut ? ['the API may have more channels than it listed'] : []),
    ...(ignored.length > 0 ? [`the API ignored ${ignored.join(' and ')}`] : []),
  ];
}

/** Why a page without posts has none. */
function emptyNote(found: number, page: number, question: PostQuestion, now: Date): string {
  return found > 0 ? `page ${page} is beyond the last post` : emptyPostsNote(question, now);
}

/** The posts of all channels, newest first, one page of them. */
export function presentAllChannels(
  reading: AllChannelsReading,
  { page, per_page, question }: { page: number; per_page: number; question: PostQuestion },
  { spent, now, timezone }: Pick<ToolContext, 'spent' | 'now' | 'timezone'>,
): Presented {
  const { posts } = reading.read;
  const from = (page - 1) * per_page;
  const all = [...posts].sort(newestPostFirst).map(({ channel, record }) => ({ channel, ...presentPost(record) }));
  const rowTime = rowTimes(timezone, spanOf(question, now()));
  const rows = all.slice(from, from + per_page).map((post) => withRowTime(post, rowTime));
  const problems = problemsOf(reading);
  const problem = problems.length === 0 ? undefined : problems.join('; ');
  const channels = new Set(posts.map(({ channel }) => channel)).size;
  const part = rows.length === 0 ? 'none shown' : `shown ${from + 1} to ${from + rows.length}, newest first`;
  const found = `${counted(posts.length, 'post')} in ${channels} of ${counted(reading.found.channels.length, 'channel')}`;
  const hasMore = rows.length > 0 && from + rows.length < posts.length;
  const note = rows.length > 0 || problem !== undefined ? undefined : emptyNote(posts.length, page, question, now());
  // A cut answer has no next_page: it would skip the posts that were cut.
  const answer = (most: number) => ({
    summary: `${problem === undefined ? '' : `${incompleteBecause(problem)}: `}${found}, ${part}.`,
    data: {
      ...(note === undefined ? {} : { note }),
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
  const tables = { posts: scannedTable(all, ['channel', ...postColumns], problem === undefined) };
  return { ...withCut(answer, rows.length, 'use a smaller per_page'), tables };
}
