import * as z from 'zod';
import { channelDigests, newestPostFirst } from '../../src/insights/community/digest.ts';
import { asOf, type Period, periodFacts, periodText } from '../../src/insights/period.ts';
import { hasUnreadable, unreadableText } from '../../src/insights/unreadable.ts';
import { anyRecord, listOutput } from '../../src/mcp/output/output-schemas.ts';
import { counted } from '../../src/mcp/output/text-format.ts';
import type { Presented, ToolContext } from '../../src/mcp/tool.ts';
import { oneLine } from '../../src/shared/clean-text.ts';
import type { Json } from '../../src/shared/json.ts';
import { asValue } from '../../src/shared/quote-text.ts';
import type { ChannelsRead } from '../../src/workflows/community/channel-posts.ts';
import type { ChannelPost } from '../../src/workflows/community/post-pages.ts';
import { coverageOutput, incompleteBecause } from '../../src/workflows/sales/resumable-scan.ts';
import { postRow, presentPost } from '../community/post-row.ts';
import { definedFields, periodOutput, positive } from './sales-output.ts';

export const digestOutput = listOutput('posts', postRow.extend({ channel: z.string().optional() }), {
  period: periodOutput,
  totals: anyRecord,
  channels: z.array(anyRecord).optional(),
  unanswered: z.array(anyRecord).optional().describe('Topics in which the API shows one post'),
  coverage: coverageOutput,
});

function topicOf({ channel, record }: ChannelPost): Json {
  const { topic_id, topic, author, created_at } = presentPost(record);
  return definedFields({ channel, topic_id, topic, author, created_at });
}

interface Digest {
  period: Period;
  limit: number;
  read: ChannelsRead;
  unanswered: readonly ChannelPost[];
  /** Number of channels asked for, those that there are not included. */
  channels: number;
  /** There may be more channels than the API lists at once. */
  isCut: boolean;
  /** Entries of the list of channels that no channel can be read by. */
  nameless: number;
  /** Topics that may be unanswered and were not looked at. */
  topicsLeft: number;
  /** Topics of which the API did not tell whether they are unanswered. */
  topicsUnclear: number;
  stopped: string | undefined;
  context: Pick<ToolContext, 'spent' | 'now'>;
}

/** Whether asking for more would bring more. */
function isCutHere({ isCut, read, topicsLeft, stopped }: Digest): boolean {
  return isCut || read.left > 0 || topicsLeft > 0 || read.cutShort.length > 0 || stopped !== undefined;
}

function isWhole(digest: Digest): boolean {
  const { read, nameless, topicsUnclear } = digest;
  const isRead = read.problem === undefined && read.refused.length === 0 && nameless === 0 && topicsUnclear === 0;
  return isRead && !isCutHere(digest) && !hasUnreadable(read.unreadable);
}

/** Why the answer is not whole, where more requests would not help. */
function reasonsOf({ read, nameless, topicsUnclear }: Digest): string[] {
  const silent = read.refused.length + nameless;
  return [
    read.problem ?? '',
    silent > 0 ? `${counted(silent, 'channel')} could not be read` : '',
    unreadableText(read.unreadable),
    topicsUnclear > 0 ? `of ${counted(topicsUnclear, 'topic')} it is not known whether they were answered` : '',
  ].filter((reason) => reason !== '');
}

/** As many as fit, and how many more there are. */
function named(texts: readonly string[]): string | undefined {
  const shown = texts.slice(0, 10).map((text) => oneLine(text, 200));
  return texts.length === 0
    ? undefined
    : [...shown, ...(texts.length > 10 ? [`${texts.length - 10} more`] : [])].join(', ');
}

function coverageOf(digest: Digest): Json {
  const { isCut, read, topicsLeft, topicsUnclear, nameless, stopped, context } = digest;
  const { absent, cutShort, left } = read;
  const complete = isWhole(digest);
  return definedFields({
    complete,
    channels_not_found: absent.length > 0 ? absent.join(', ') : undefined,
    channels_left: left > 0 ? left : undefined,
    channels_cut_short: cutShort.length > 0 ? cutShort.join(', ') : undefined,
    channels_unreadable: named([...read.refused, ...(nameless > 0 ? [`${nameless} without id and slug`] : [])]),
    unreadable: hasUnreadable(read.unreadable) ? read.unreadable : undefined,
    discarded: positive(read.discarded),
    ignored_filters: read.ignored.length > 0 ? read.ignored : undefined,
    topics_not_checked: positive(topicsLeft + topicsUnclear),
    more_channels: isCut ? 'there may be more channels than the API listed: name them in channels' : undefined,
    requests_spent: context.spent(),
    as_of: asOf(context.now()),
    stopped: stopped ?? read.problem,
    next: isCutHere(digest) ? 'raise max_requests, name fewer channels or ask for a shorter period' : undefined,
  });
}

/** Counts of what was not looked at are left out: a zero there would read as one that was found. */
function totalsOf({ read, channels, unanswered }: Digest, { complete }: Json): Json {
  const lively = new Set(read.posts.map(({ channel }) => channel));
  const there = channels - read.absent.length - read.refused.length;
  return definedFields({
    posts: read.posts.length,
    channels: there,
    channels_read: read.left > 0 ? there - read.left : undefined,
    quiet_channels: positive(read.whole.filter((channel) => !lively.has(channel)).length),
    unanswered: complete ? unanswered.length : undefined,
  });
}

function unansweredText({ length }: readonly ChannelPost[], { complete }: Json): string {
  if (complete) return `; ${counted(length, 'topic')} unanswered`;
  return length === 0 ? '' : `; at least ${counted(length, 'topic')} unanswered`;
}

function summaryOf(digest: Digest, lively: number, totals: Json, coverage: Json): string {
  const { read, unanswered, period } = digest;
  const channels = `${lively} of ${counted(Number(totals.channels_read ?? totals.channels), 'channel')}`;
  const posts = `${counted(read.posts.length, 'post')} in ${channels}${read.left > 0 ? ' read' : ''}`;
  const absent = read.absent.length === 0 ? '' : ` Not found: ${read.absent.map(asValue).join(', ')}.`;
  const start = coverage.complete ? '' : `${incompleteBecause(reasonsOf(digest).join('; ') || undefined)}: `;
  return `${start}${posts} ${periodText(period)}${unansweredText(unanswered, coverage)}.${absent}`;
}

export function presentDigest(digest: Digest): Presented {
  const { period, limit, read, unanswered } = digest;
  const channels = channelDigests(read.posts);
  const coverage = coverageOf(digest);
  const totals = totalsOf(digest, coverage);
  const newest = [...read.posts].sort(newestPostFirst).slice(0, limit);
  const rows = newest.map(({ channel, record }) => ({ channel, ...presentPost(record) }));
  const answer = (most: number) => ({
    summary: summaryOf(digest, channels.length, totals, coverage),
    data: {
      period: periodFacts(period),
      totals,
      ...(channels.length > 0 ? { channels } : {}),
      ...(unanswered.length > 0 ? { unanswered: unanswered.slice(0, most).map(topicOf) } : {}),
      ...(rows.length > 0 ? { posts: rows.slice(0, most) } : {}),
      coverage: { ...coverage, posts_shown: Math.min(most, rows.length) },
    },
  });
  const how = 'read the others with search_posts';
  const to = (most: number) => ({ ...answer(most), shown: most, how });
  const records = Math.max(rows.length, unanswered.length);
  return { ...answer(records), cut: { records, to } };
}
