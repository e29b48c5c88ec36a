import { newestPostFirst } from '../../src/insights/community/digest.ts';
import { asOf } from '../../src/insights/period.ts';
import { rowTimes, spanOf, withRowTime } from '../../src/insights/row-time.ts';
import { hasUnreadable, unreadableText } from '../../src/insights/unreadable.ts';
import { scannedTable } from '../../src/mcp/output/table-shape.ts';
import { counted } from '../../src/mcp/output/text-format.ts';
import type { Presented, ToolContext } from '../../src/mcp/tool.ts';
import type { AllChannelsReading } from '../../src/workflows/community/search-all-channels.ts';
import { moreRequests } from '../../src/workflows/requests-allowed.ts';
import { coverageFirst, incompleteBecause } from '../../src/workflows/sales/coverage.ts';
import { withCut } from '../cut-answer.ts';
import { definedFields } from '../defined-fields.ts';
import { emptyPostsNote, type PostQuestion } from './empty-posts.ts';
import { postColumns, presentPost } from './post-row.ts';

/** Why posts may be missing; empty if none are. */
function problemsOf({ read, found }: AllChannelsReading, given: number | undefined): string[] {
  const { left, cutShort, refused, stopped, problem, unreadable, ignored } = read;
  const unread = unreadableText(unreadable);
  const isShort = left > 0 || cutShort.length > 0;
  return [
    ...(left > 0 ? [`${counted(left, 'channel')} not read`] : []),
    ...(cutShort.length > 0 ? [`older posts of ${cutShort.join(', ')} not read`] : []),
    ...(isShort && stopped === undefined && problem === undefined
      ? [moreRequests(given, 'call again or use a shorter time')]
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

interface Asked {
  readonly page: number;
  readonly per_page: number;
  readonly question: PostQuestion;
  /** `max_requests` of the call. */
  readonly maxRequests: number | undefined;
}

/** Several people may have the name: their slugs differ. */
function sharedNameNote(posts: AllChannelsReading['read']['posts'], { author }: PostQuestion): string | undefined {
  const authors = new Set(posts.flatMap(({ author: slug }) => slug ?? []));
  if (author === undefined || authors.size < 2) return undefined;
  return `${authors.size} authors match: author_slug tells them apart`;
}

/** The posts of all channels, newest first, one page of them. */
export function presentAllChannels(
  reading: AllChannelsReading,
  { page, per_page, question, maxRequests }: Asked,
  { spent, now, readAt, timezone }: Pick<ToolContext, 'spent' | 'now' | 'readAt' | 'timezone'>,
): Presented {
  const { posts } = reading.read;
  const from = (page - 1) * per_page;
  const all = [...posts].sort(newestPostFirst).map(({ channel, record }) => ({ channel, ...presentPost(record) }));
  const rowTime = rowTimes(timezone, spanOf(question, now()));
  const rows = all.slice(from, from + per_page).map((post) => withRowTime(post, rowTime));
  const problems = problemsOf(reading, maxRequests);
  const problem = problems.length === 0 ? undefined : problems.join('; ');
  const channels = new Set(posts.map(({ channel }) => channel)).size;
  const part = rows.length === 0 ? 'none shown' : `shown ${from + 1} to ${from + rows.length}, newest first`;
  const found = `${counted(posts.length, 'post')} in ${channels} of ${counted(reading.found.channels.length, 'channel')}`;
  const hasMore = rows.length > 0 && from + rows.length < posts.length;
  const isEmpty = rows.length === 0 && problem === undefined;
  const note = isEmpty ? emptyNote(posts.length, page, question, now()) : sharedNameNote(posts, question);
  // A cut answer has no next_page: it would skip the posts that were cut.
  const answer = (most: number) => ({
    summary: `${problem === undefined ? '' : `${incompleteBecause(problem)}: at least `}${found}, ${part}.`,
    data: coverageFirst(
      {
        ...(note === undefined ? {} : { note }),
        page,
        ...(problem === undefined ? { total: posts.length } : { found: posts.length, counts_are: 'at least' }),
        ...(hasMore && most >= rows.length ? { next_page: page + 1 } : {}),
        ...(rows.length > 0 ? { posts: rows.slice(0, most) } : {}),
        coverage: definedFields({
          complete: problem === undefined,
          stopped: problem,
          channels: reading.found.channels.length,
          requests_spent: spent(),
          as_of: asOf(readAt()),
        }),
      },
      { complete: problem === undefined },
    ),
  });
  const tables = { posts: scannedTable(all, ['channel', ...postColumns], problem === undefined) };
  const short = { list: 'posts', usual: ['channel'] };
  return { ...withCut(answer, rows.length, 'use a smaller per_page'), tables, short };
}
