import * as z from 'zod';
import { idOrSlug } from '../../src/contract/schemas/input-fields.ts';
import { rowTimes, withRowTime } from '../../src/insights/api-time.ts';
import { channelDigests, newestPostFirst } from '../../src/insights/community/digest.ts';
import { asOf } from '../../src/insights/period.ts';
import { hasUnreadable, unreadableText } from '../../src/insights/unreadable.ts';
import { alteredKey } from '../../src/mcp/output/fence-free-text.ts';
import { anyRecord, listOutput, lists } from '../../src/mcp/output/output-schemas.ts';
import { counted, wholeTable } from '../../src/mcp/output/text-format.ts';
import { defineTool, type Presented, type ToolContext, withCut } from '../../src/mcp/tool.ts';
import { oneLine } from '../../src/shared/clean-text.ts';
import type { Json } from '../../src/shared/json.ts';
import { asValue, compact } from '../../src/shared/quote-text.ts';
import type { ChannelPost } from '../../src/workflows/community/channel-posts.ts';
import { maxChannels, readDigest } from '../../src/workflows/community/read-digest.ts';
import { moreRequests, requestsAllowed } from '../../src/workflows/requests-allowed.ts';
import { coverageOutput } from '../../src/workflows/sales/coverage.ts';
import { isRunning } from '../../src/workflows/sales/order-cursor.ts';
import { postColumns, postRow, presentPost } from '../community/post-row.ts';
import { incompleteBecause } from './coverage-text.ts';
import { clockNote, noteOf as joined, positive, salesPeriodFacts, salesPeriodText } from './sales-output.ts';
import * as common from './shared-arguments.ts';

/** Fields of a post that `search_posts` shows and a digest does not. */
const leftOut = { updated_at: true, published_at: true, topic_path: true, author_slug: true, share_url: true } as const;

const digestOutput = listOutput('posts', postRow.omit(leftOut).extend({ channel: z.string().optional() }), {
  period: anyRecord,
  totals: anyRecord,
  note: z.string(),
  ...lists('channels', 'unanswered'),
  coverage: coverageOutput,
});

function digestRow({ channel, record }: ChannelPost): Json {
  const { updated_at: _updated, published_at: _published, [alteredKey]: altered, ...post } = presentPost(record);
  return { channel, ...post, [alteredKey]: altered };
}

function topicOf({ channel, record }: ChannelPost): Json {
  const { topic_id, topic, author, created_at } = presentPost(record);
  return { channel, topic_id, topic, author, created_at };
}

interface Digest extends Awaited<ReturnType<typeof readDigest>> {
  maxRequests: number | undefined;
  named: readonly unknown[] | undefined;
  limit: number;
  context: Pick<ToolContext, 'spent' | 'readAt' | 'clockShiftMs'>;
}

/** Whether more requests would return more. */
function isLimited({ isCut, read, topicsLeft, stopped }: Digest): boolean {
  return isCut || read.left > 0 || topicsLeft > 0 || read.cutShort.length > 0 || stopped !== undefined;
}

/** Whether every post of the period was read: the topics may still be unchecked. */
function hasAllPosts({ read, nameless, isCut }: Digest): boolean {
  const unread = read.left + read.cutShort.length + read.refused.length + nameless;
  return unread === 0 && read.problem === undefined && !isCut && !hasUnreadable(read.unreadable);
}

function reasonsOf(digest: Digest): string[] {
  const { read, nameless, topicsLeft, topicsUnclear, stopped } = digest;
  const unreadable = read.refused.length + nameless;
  const isShort = read.cutShort.length > 0 && read.problem === undefined;
  const left = compact([
    read.left > 0 && `${counted(read.left, 'channel')} not read`,
    isShort && `older posts of ${firstTen(read.cutShort)} not read`,
    topicsLeft > 0 && `${counted(topicsLeft, 'topic')} not checked for answers`,
  ]);
  return compact([
    hasAllPosts(digest) && 'all posts read',
    ...left,
    left.length > 0 && (stopped ?? adviceOf(digest)),
    read.problem,
    unreadable > 0 && `${counted(unreadable, 'channel')} could not be read`,
    unreadableText(read.unreadable),
    topicsUnclear > 0 &&
      `it is not known whether ${counted(topicsUnclear, 'topic')} ${topicsUnclear === 1 ? 'was' : 'were'} answered`,
  ]);
}

function adviceOf({ maxRequests }: Digest): string {
  const next = maxRequests === undefined ? 'call again' : 'name fewer channels or use a shorter period';
  return moreRequests(maxRequests, next);
}

function firstTen(texts: readonly string[]): string | undefined {
  const shown = texts.slice(0, 10).map((text) => oneLine(text, 200));
  return compact([...shown, texts.length > 10 && `${texts.length - 10} more`]).join(', ') || undefined;
}

function coverageOf(digest: Digest): Json {
  const { isCut, read, topicsLeft, topicsUnclear, nameless, stopped, context } = digest;
  const { absent, cutShort, left } = read;
  return {
    complete: hasAllPosts(digest) && topicsUnclear === 0 && !isLimited(digest),
    channels_not_found: absent.join(', ') || undefined,
    channels_left: positive(left),
    channels_cut_short: cutShort.join(', ') || undefined,
    channels_unreadable: firstTen(compact([...read.refused, nameless > 0 && `${nameless} without id and slug`])),
    unreadable: hasUnreadable(read.unreadable) ? read.unreadable : undefined,
    discarded: positive(read.discarded),
    ignored_filters: read.ignored.length > 0 ? read.ignored : undefined,
    topics_not_checked: positive(topicsLeft + topicsUnclear),
    more_channels: isCut ? 'the API may have more channels than it listed: name them in channels' : undefined,
    requests_spent: context.spent(),
    as_of: asOf(context.readAt()),
    stopped: stopped ?? read.problem,
    next: isLimited(digest) ? adviceOf(digest) : undefined,
  };
}

/** Omits counts of what was not checked: a 0 would read as a result. */
function totalsOf(digest: Digest, { complete }: Json): Json {
  const { read, channels, unanswered } = digest;
  const active = new Set(read.posts.map(({ channel }) => channel));
  const existing = channels - read.absent.length - read.refused.length;
  const quiet = read.whole.filter((channel) => !active.has(channel));
  return {
    counts_are: hasAllPosts(digest) ? undefined : 'at least',
    posts: read.posts.length,
    not_published: positive(digest.unpublished),
    channels: existing,
    channels_read: read.left > 0 ? existing - read.left : undefined,
    quiet_channels: positive(quiet.length),
    quiet: firstTen(quiet),
    unanswered: complete ? unanswered.length : undefined,
  };
}

/** What posts lack, or why an answer may have none. */
function noteOf({ read, named }: Digest, { complete }: Json): string | undefined {
  if (read.posts.length > 0) return 'the API shows no likes or reply counts; for links and slugs use search_posts';
  if (!complete) return undefined;
  const where = named === undefined ? 'any channel that the API lists' : 'the named channels';
  return `no post in ${where} was created in this period; a longer period may have some`;
}

const askingNote =
  'last_post_asks: answered topics whose last post of the period has a question mark or asks ("could someone"), judged by its words; nothing marks posts of the academy';

function summaryOf(digest: Digest, active: number, totals: Json, { complete }: Json): string {
  const { read, unanswered, unpublished, period } = digest;
  const start = complete ? '' : `${incompleteBecause(reasonsOf(digest).join('; ') || undefined)}: `;
  const channels = `${active} of ${counted(Number(totals.channels_read ?? totals.channels), 'channel')}`;
  const posts = `${hasAllPosts(digest) ? '' : 'at least '}${counted(read.posts.length, 'post')} in ${channels}${read.left > 0 ? ' read' : ''}`;
  const topics = `${complete ? '' : 'at least '}${counted(unanswered.length, 'topic')} unanswered`;
  const parts = compact([
    `${start}${posts} ${salesPeriodText({ period, isRunning: isRunning(digest) })}`,
    (complete === true || unanswered.length > 0) && topics,
    unpublished > 0 && `${counted(unpublished, 'post')} not published, left out`,
  ]);
  return `${parts.join('; ')}.${read.absent.length === 0 ? '' : ` Not found: ${read.absent.map(asValue).join(', ')}.`}`;
}

function presentDigest(digest: Digest): Presented {
  const { period, limit, read, unanswered, asking } = digest;
  const channels = channelDigests(read.posts);
  const coverage = coverageOf(digest);
  const totals = totalsOf(digest, coverage);
  const note = joined(noteOf(digest, coverage), asking.length > 0 && askingNote, clockNote(digest.context));
  const rowTime = rowTimes(period.timezone, period);
  const shown = (row: Json) => withRowTime(row, rowTime);
  const posts = [...read.posts].sort(newestPostFirst).map((post) => shown(digestRow(post)));
  const topics = unanswered.map(topicOf).map(shown);
  const asks = asking.map(topicOf).map(shown);
  const rows = Math.min(posts.length, limit);
  const answer = (most: number) => ({
    summary: summaryOf(digest, channels.length, totals, coverage),
    data: {
      period: salesPeriodFacts({ period, isRunning: isRunning(digest) }),
      note,
      totals,
      channels,
      unanswered: topics.slice(0, most),
      last_post_asks: asks.slice(0, most),
      posts: posts.slice(0, Math.min(most, rows)),
      coverage: { ...coverage, posts_shown: Math.min(most, rows) },
    },
  });
  const tables = {
    posts: wholeTable(posts, ['channel', ...postColumns()]),
    unanswered: wholeTable(topics, []),
    last_post_asks: wholeTable(asks, []),
  };
  return { ...withCut(answer, [rows, topics.length, asks.length], 'read the others with search_posts'), tables };
}

export const communityDigest = defineTool({
  name: 'community_digest',
  toolset: 'insights',
  title: 'Digest the community',
  description:
    'Sums up (catches up on) what is new (happening, discussed, missed, most talked about) in the community (forum) in a week or period: posts, topics and authors across all channels, the newest posts, questions (topics) of members nobody answered yet (no reply). search_posts reads on.',
  cost: { 'per channel and page of 100 posts': 1, 'per topic that may be unanswered': 1, 'to list channels': [0, 2] },
  example: { channels: ['sql-databases', 'spreadsheet-help'], period: 'last_week' },
  effect: 'read',
  carriesUserContent: true,
  input: z.strictObject({
    channels: z
      .array(idOrSlug('Channel id or slug, from search_channels'))
      .min(1)
      .max(maxChannels)
      .describe('Default all channels')
      .optional(),
    ...common.periodArguments,
    period: common.periodArguments.period.describe('Default last_7_days'),
    limit: common.limit(20),
    max_requests: common.maxRequests,
  }),
  output: digestOutput,
  run: async ({ channels, limit = 20, max_requests, ...bounds }, context) => {
    const maxRequests = await requestsAllowed(max_requests, context);
    const digest = await readDigest({ channels, bounds, maxRequests }, context);
    return presentDigest({ ...digest, maxRequests: max_requests, named: channels, limit, context });
  },
});
