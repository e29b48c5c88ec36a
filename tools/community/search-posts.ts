import * as z from 'zod';
import { unreadableEntries } from '../../src/api/http/answer-facts.ts';
import * as community from '../../src/contract/community.ts';
import { describedOnce, flag, idOrSlug, limitedText } from '../../src/contract/schemas/input-fields.ts';
import { rowTimes, spanOf, timeOf, withRowTime } from '../../src/insights/api-time.ts';
import { newestPostFirst } from '../../src/insights/community/digest.ts';
import * as periods from '../../src/insights/period.ts';
import { mergeUnreadable, unreadableText } from '../../src/insights/unreadable.ts';
import { defineApiTool } from '../../src/mcp/define-api-tool.ts';
import { listOutput, pageOutput, recordOutput } from '../../src/mcp/output/output-schemas.ts';
import { presentPage, verifyPage } from '../../src/mcp/output/pagination.ts';
import { sanitizeRecord } from '../../src/mcp/output/sanitize.ts';
import { counted, inline, scannedTable } from '../../src/mcp/output/text-format.ts';
import { defineTool, type Presented, type ToolContext, withCut } from '../../src/mcp/tool.ts';
import { compact } from '../../src/shared/quote-text.ts';
import { type ChannelPost, postOf } from '../../src/workflows/community/channel-posts.ts';
import {
  type AllChannelsReading,
  isSelectedHere,
  searchAllChannels,
} from '../../src/workflows/community/read-digest.ts';
import { moreRequests, requestsAllowed } from '../../src/workflows/requests-allowed.ts';
import { shownPages } from '../../src/workflows/scan-store.ts';
import { incompleteBecause } from '../insights/coverage-text.ts';
import * as common from '../insights/shared-arguments.ts';
import { postColumns, postRow, presentPost } from './post-row.ts';

type Post = ChannelPost['record'];

const timeIn = (post: Post) => postOf('', post).at;

function filtersFor({ topic_id, created_after, created_before }: PostQuestion) {
  return [
    ...periods.filterBy('topic_id', topic_id, (post: Post) => postOf('', post).topicId, periods.isSame),
    ...periods.filterBy('created_after', timeOf(created_after), timeIn, periods.isAtLeast),
    ...periods.filterBy('created_before', timeOf(created_before), timeIn, periods.isAtMost),
  ];
}

/** Applies the filters again: the API may ignore one or read it differently. A value that a post does not have passes. */
function filterPosts(posts: readonly Post[], filters: PostQuestion) {
  const { passed: kept, ignored } = periods.applyFilters(posts, filtersFor(filters));
  const facts = ignored.length === 0 ? {} : { discarded: posts.length - kept.length, ignored_filters: ignored };
  // A post outside one bound shows that the API reads times differently, so posts near the other may be missing.
  const isShifted = ignored.some((name) => name.startsWith('created_'));
  const problem = isShifted ? 'the API reads the time bounds differently: posts near them may be missing' : undefined;
  return { kept, facts, problem };
}

const linksWanted = describedOnce(flag('Adds share_url and slugs')).optional();

/** API document: "Limits". */
const defaultPerPage = 25;

/** The posts of one channel, as the API pages them. */
const oneChannel = defineApiTool({
  name: 'search_posts',
  toolset: 'community',
  title: 'Search posts',
  description:
    'Finds posts (comments) of members: what they write, mention or complain about in the community (forum), newest first, by words (a OR b), author, topic, time: of one channel or, without id_or_slug, all. Summary: community_digest.',
  cost: { 'per page (for all channels 2, and per channel and page of 100 posts)': 1 },
  example: { id_or_slug: 'photo-critique', per_page: 5 },
  operation: community.searchPosts,
  extra: { links: linksWanted },
  around: async ({ links: _links, ...question }, _context, send) => [await send(question), {}],
  output: listOutput('posts', postRow.extend({ channel: z.string().optional() }), {
    channel: recordOutput(community.channelItem.shape),
    ...pageOutput,
    note: z.string(),
  }),
  present: (answer, input, _titles, _facts, { stores, now, timezone }) => {
    const { page = 1, per_page = defaultPerPage } = input;
    const { items, channel, meta } = answer;
    const size = meta?.per_page ?? per_page;
    const { kept, facts: strays, problem } = filterPosts(items, input);
    const lost = unreadableEntries(answer);
    const question = { page, size, meta, total: meta?.total_posts, records: items, lost };
    const key = `search_posts ${JSON.stringify({ ...input, page: undefined })}`;
    const proved = verifyPage(question, shownPages(stores, key));
    const rowTime = rowTimes(timezone, spanOf(input, now()));
    return presentPage({
      list: 'posts',
      rows: kept.map((post) => withRowTime(presentPost(post, input.links), rowTime)),
      columns: postColumns(input.links),
      facts: proved.facts,
      problem: proved.problem ?? problem,
      size,
      unreadable: mergeUnreadable({
        posts: lost,
        dates: kept.filter((post) => timeIn(post) === undefined).length,
      }),
      beside: {
        channel: channel && sanitizeRecord(community.channelItem, channel),
        note: page === 1 && items.length === 0 ? emptyPostsNote(input, now()) : undefined,
        ...strays,
      },
    });
  },
});

const input = z.strictObject({
  id_or_slug: idOrSlug('Channel, from search_channels; default all').optional(),
  author: limitedText(200).trim().min(1).describe('Part of a name, or slug').optional(),
  ...community.searchPosts.query,
  links: linksWanted,
  max_requests: common.maxRequests,
});

type PostQuestion = z.output<typeof input>;

export const searchPosts = defineTool({
  ...oneChannel,
  input,
  run: async (input, context) => {
    const { id_or_slug, max_requests, ...question } = input;
    if (id_or_slug !== undefined && !isSelectedHere(question)) return await oneChannel.run(input, context);
    const channel = id_or_slug === undefined ? undefined : String(id_or_slug);
    const maxRequests = await requestsAllowed(max_requests, context);
    return presentAllChannels(await searchAllChannels({ ...question, channel, maxRequests }, context), input, context);
  },
});

/** Why posts may be missing; undefined if none are. */
function readingProblem({ read, found }: AllChannelsReading, maxRequests: number | undefined): string | undefined {
  const { left, cutShort, refused, stopped, problem, unreadable, ignored } = read;
  const isShort = left > 0 || cutShort.length > 0;
  const advice = moreRequests(maxRequests, 'call again or use a shorter time');
  const problems = compact([
    left > 0 && `${counted(left, 'channel')} not read`,
    cutShort.length > 0 && `older posts of ${cutShort.join(', ')} not read`,
    isShort && stopped === undefined && problem === undefined && advice,
    refused.length > 0 && `could not be read: ${refused.slice(0, 5).join('; ')}`,
    stopped,
    problem,
    unreadableText(unreadable),
    found.isCut && 'the API may have more channels than it listed',
    ignored.length > 0 && `the API ignored ${ignored.join(' and ')}`,
  ]);
  return problems.join('; ') || undefined;
}

/** Several people may have the name: their slugs differ. */
function sharedNameNote(posts: AllChannelsReading['read']['posts'], { author }: PostQuestion): string | undefined {
  const authors = new Set(posts.flatMap(({ author: slug }) => slug ?? []));
  if (author === undefined || authors.size < 2) return undefined;
  return `${authors.size} authors match: author_slug distinguishes them`;
}

function presentAllChannels(
  reading: AllChannelsReading,
  question: PostQuestion,
  { spent, now, readAt, timezone }: Pick<ToolContext, 'spent' | 'now' | 'readAt' | 'timezone'>,
): Presented {
  const { posts } = reading.read;
  const { page = 1, per_page = defaultPerPage, links, author, max_requests } = question;
  // The slugs tell namesakes apart.
  const hasLinks = links === true || author !== undefined;
  const from = (page - 1) * per_page;
  const newest = [...posts].sort(newestPostFirst);
  const all = newest.map(({ channel, record }) => ({ channel, ...presentPost(record, hasLinks) }));
  const rowTime = rowTimes(timezone, spanOf(question, now()));
  const rows = all.slice(from, from + per_page).map((post) => withRowTime(post, rowTime));
  const problem = readingProblem(reading, max_requests);
  const channels = new Set(posts.map(({ channel }) => channel)).size;
  const part = rows.length === 0 ? 'none shown' : `shown ${from + 1} to ${from + rows.length}, newest first`;
  const found = `${counted(posts.length, 'post')} in ${channels} of ${counted(reading.found.channels.length, 'channel')}`;
  const hasMore = rows.length > 0 && from + rows.length < posts.length;
  const isEmpty = rows.length === 0 && problem === undefined;
  const empty = posts.length > 0 ? `page ${page} is beyond the last post` : emptyPostsNote(question, now());
  const note = isEmpty ? empty : sharedNameNote(posts, question);
  // A cut answer has no next_page: it would skip the posts that were cut.
  const answer = (most: number) => ({
    summary: `${problem === undefined ? '' : `${incompleteBecause(problem)}: at least `}${found}, ${part}.`,
    data: {
      note,
      page,
      [problem === undefined ? 'total' : 'found']: posts.length,
      counts_are: problem && 'at least',
      next_page: hasMore && most >= rows.length ? page + 1 : undefined,
      posts: rows.slice(0, most),
      coverage: {
        complete: problem === undefined,
        stopped: problem,
        channels: reading.found.channels.length,
        requests_spent: spent(),
        as_of: periods.asOf(readAt()),
      },
    },
  });
  const tables = { posts: scannedTable(all, ['channel', ...postColumns(hasLinks)], problem === undefined) };
  const short = { list: 'posts', usual: ['channel'] };
  return { ...withCut(answer, rows.length, 'use a smaller per_page'), tables, short };
}

/** Why a search may miss a person. */
function hintOf({ query, author }: PostQuestion): string {
  if (author !== undefined) return '; a post shows the name and slug of its author, no email';
  return query === undefined ? '' : '; query does not search authors: use author';
}

function emptyPostsNote({ id_or_slug, ...filters }: PostQuestion, now: Date): string {
  const impossible = periods.emptyPeriodNote(filters, now);
  if (impossible !== undefined) return impossible;
  const { query, author, topic_id, created_after, created_before } = filters;
  const filterText = periods.filtersText({ query, author, topic_id, created_after, created_before }, inline);
  const fit = filterText === '' ? '' : ` that fits ${filterText}`;
  const none = id_or_slug === undefined ? 'no channel has a post' : `channel ${inline(id_or_slug)} has no post`;
  return `${none}${fit}${hintOf(filters)}`;
}
