import * as z from 'zod';
import { idOrSlug } from '../../src/contract/schemas/input-fields.ts';
import { rowTimes, withRowTime } from '../../src/insights/api-time.ts';
import { channelDigests, newestPostFirst } from '../../src/insights/community/digest.ts';
import { asOf, periodFacts, periodText } from '../../src/insights/period.ts';
import { hasUnreadable, unreadableText } from '../../src/insights/unreadable.ts';
import { alteredKey } from '../../src/mcp/output/fence-free-text.ts';
import { anyRecord, listOutput } from '../../src/mcp/output/output-schemas.ts';
import { counted, wholeTable } from '../../src/mcp/output/text-format.ts';
import { defineTool, type Presented, type ToolContext, withCut } from '../../src/mcp/tool.ts';
import { oneLine } from '../../src/shared/clean-text.ts';
import type { Json } from '../../src/shared/json.ts';
import { asValue } from '../../src/shared/quote-text.ts';
import type { ChannelPost } from '../../src/workflows/community/channel-posts.ts';
import { maxChannels, readDigest } from '../../src/workflows/community/read-digest.ts';
import { moreRequests, requestsAllowed } from '../../src/workflows/requests-allowed.ts';
import { coverageOutput } from '../../src/workflows/sales/coverage.ts';
import { isRunning } from '../../src/workflows/sales/order-cursor.ts';
import { postColumns, postRow, presentPost } from '../community/post-row.ts';
import { incompleteBecause } from './coverage-text.ts';
import { clockNote, noteOf as joined, periodOutput, positive } from './sales-output.ts';
import * as common from './shared-arguments.ts';

/** Fields of a post that `search_posts` shows and a digest does not. */
const leftOut = { updated_at: true, published_at: true, topic_path: true, author_slug: true, share_url: true } as const;

const digestOutput = listOutput('posts', postRow.omit(leftOut).extend({ channel: z.string().optional() }), {
  period: periodOutput,
  totals: anyRecord,
  note: z.string(),
  channels: z.array(anyRecord).optional(),
  unanswered: z.array(anyRecord).optional().describe('Topics in which the API shows one post'),
  coverage: coverageOutput,
});

/** Without what `search_posts` shows: times of changes, slugs and links. */
function digestRow({ channel, record }: ChannelPost): Json {
  const { [alteredKey]: altered, ...post } = presentPost(record);
  const fields = Object.entries({ channel, ...post }).filter(([name]) => !Object.hasOwn(leftOut, name));
  const names = Array.isArray(altered) ? altered.filter((name) => !Object.hasOwn(leftOut, name)) : [];
  return { ...Object.fromEntries(fields), ...(names.length > 0 ? { [alteredKey]: names } : {}) };
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

function isComplete(digest: Digest): boolean {
  const { read, nameless, topicsUnclear } = digest;
  const isRead = read.problem === undefined && read.refused.length === 0 && nameless === 0 && topicsUnclear === 0;
  return isRead && !isLimited(digest) && !hasUnreadable(read.unreadable);
}

/** Whether every post of the period was read: the topics may still be unchecked. */
function hasAllPosts({ read, nameless, isCut }: Digest): boolean {
  const isRead = read.left === 0 && read.cutShort.length === 0 && read.refused.length === 0;
  return isRead && read.problem === undefined && nameless === 0 && !isCut && !hasUnreadable(read.unreadable);
}

function leftOf(digest: Digest): string[] {
  const { read, topicsLeft } = digest;
  const isShort = read.cutShort.length > 0 && read.problem === undefined;
  return [
    ...(read.left > 0 ? [`${counted(read.left, 'channel')} not read`] : []),
    ...(isShort ? [`older posts of ${firstTen(read.cutShort)} not read`] : []),
    ...(topicsLeft > 0 ? [`${counted(topicsLeft, 'topic')} not checked for answers`] : []),
  ];
}

function reasonsOf(digest: Digest): string[] {
  const { read, nameless, topicsUnclear, stopped } = digest;
  const unreadable = read.refused.length + nameless;
  const left = leftOf(digest);
  return [
    hasAllPosts(digest) ? 'all posts read' : '',
    ...left,
    left.length > 0 ? (stopped ?? adviceOf(digest)) : '',
    read.problem ?? '',
    unreadable > 0 ? `${counted(unreadable, 'channel')} could not be read` : '',
    unreadableText(read.unreadable),
    topicsUnclear > 0
      ? `it is not known whether ${counted(topicsUnclear, 'topic')} ${topicsUnclear === 1 ? 'was' : 'were'} answered`
      : '',
  ].filter((reason) => reason !== '');
}

function adviceOf({ maxRequests }: Digest): string {
  const next = maxRequests === undefined ? 'call again' : 'name fewer channels or use a shorter period';
  return moreRequests(maxRequests, next);
}

function firstTen(texts: readonly string[]): string | undefined {
  const shown = texts.slice(0, 10).map((text) => oneLine(text, 200));
  return texts.length === 0
    ? undefined
    : [...shown, ...(texts.length > 10 ? [`${texts.length - 10} more`] : [])].join(', ');
}

function coverageOf(digest: Digest): Json {
  const { isCut, read, topicsLeft, topicsUnclear, nameless, stopped, context } = digest;
  const { absent, cutShort, left } = read;
  const complete = isComplete(digest);
  return {
    complete,
    channels_not_found: absent.length > 0 ? absent.join(', ') : undefined,
    channels_left: left > 0 ? left : undefined,
    channels_cut_short: cutShort.length > 0 ? cutShort.join(', ') : undefined,
    channels_unreadable: firstTen([...read.refused, ...(nameless > 0 ? [`${nameless} without id and slug`] : [])]),
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

function unansweredText({ length }: readonly ChannelPost[], { complete }: Json): string {
  if (complete) return `; ${counted(length, 'topic')} unanswered`;
  return length === 0 ? '' : `; at least ${counted(length, 'topic')} unanswered`;
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

function summaryOf(digest: Digest, active: number, totals: Json, coverage: Json): string {
  const { read, unanswered, period } = digest;
  const channels = `${active} of ${counted(Number(totals.channels_read ?? totals.channels), 'channel')}`;
  const posts = `${hasAllPosts(digest) ? '' : 'at least '}${counted(read.posts.length, 'post')} in ${channels}${read.left > 0 ? ' read' : ''}`;
  const hidden = digest.unpublished === 0 ? '' : `; ${counted(digest.unpublished, 'post')} not published, left out`;
  const absent = read.absent.length === 0 ? '' : ` Not found: ${read.absent.map(asValue).join(', ')}.`;
  const start = coverage.complete ? '' : `${incompleteBecause(reasonsOf(digest).join('; ') || undefined)}: `;
  return `${start}${posts} ${periodText(period)}${isRunning(digest) ? ', still running' : ''}${unansweredText(unanswered, coverage)}${hidden}.${absent}`;
}

function presentDigest(digest: Digest): Presented {
  const { period, limit, read, unanswered, asking } = digest;
  const channels = channelDigests(read.posts);
  const coverage = coverageOf(digest);
  const totals = totalsOf(digest, coverage);
  const note = joined(noteOf(digest, coverage), asking.length > 0 ? askingNote : undefined, clockNote(digest.context));
  const rowTime = rowTimes(period.timezone, period);
  const shown = (row: Json) => withRowTime(row, rowTime);
  const all = [...read.posts].sort(newestPostFirst).map((post) => shown(digestRow(post)));
  const rows = all.slice(0, limit);
  const topics = unanswered.map(topicOf).map(shown);
  const asks = asking.map(topicOf).map(shown);
  const answer = (most: number) => ({
    summary: summaryOf(digest, channels.length, totals, coverage),
    data: {
      period: { ...periodFacts(period), ...(isRunning(digest) ? { running: true } : {}) },
      note,
      totals,
      channels,
      unanswered: topics.slice(0, most),
      last_post_asks: asks.slice(0, most),
      posts: rows.slice(0, most),
      coverage: { ...coverage, posts_shown: Math.min(most, rows.length) },
    },
  });
  const tables = {
    posts: wholeTable(all, ['channel', ...postColumns()]),
    unanswered: wholeTable(topics, []),
    last_post_asks: wholeTable(asks, []),
  };
  return {
    ...withCut(answer, [rows.length, topics.length, asks.length], 'read the others with search_posts'),
    tables,
  };
}

export const communityDigest = defineTool({
  name: 'community_digest',
  toolset: 'insights',
  title: 'Digest the community',
  description:
    'Sums up (catches up on) what is new (happening, discussed, missed, most talked about) in the community (forum) in a week or period: posts, topics and authors across all channels, the newest posts, questions (topics) of members nobody answered yet (no reply). search_posts reads on.',
  cost: {
    requests: 1,
    per: 'channel and page of 100 posts',
    plus: [
      { requests: 1, per: 'topic that may be unanswered' },
      { requests: [0, 2], when: 'to list channels' },
    ],
  },
  example: { channels: ['sql-databases', 'spreadsheet-help'], period: 'last_week' },
  effect: 'read',
  repeat: 'safe',
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
