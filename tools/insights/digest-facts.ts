import * as z from 'zod';
import { channelDigests, newestPostFirst } from '../../src/insights/community/digest.ts';
import { asOf, type Period, periodFacts, periodText } from '../../src/insights/period.ts';
import { anyRecord, listOutput } from '../../src/mcp/output/output-schemas.ts';
import { counted } from '../../src/mcp/output/text-format.ts';
import type { Presented, ToolContext } from '../../src/mcp/tool.ts';
import type { Json } from '../../src/shared/json.ts';
import { asValue } from '../../src/shared/quote.ts';
import type { ChannelPost, ChannelsRead } from '../../src/workflows/community/channel-posts.ts';
import { coverageOutput, incompleteBecause } from '../../src/workflows/sales/resumable-scan.ts';
import { postRow, presentPost } from '../community/post-row.ts';
import { defined, periodOutput, someOf } from './sales-facts.ts';

export const digestOutput = listOutput('posts', postRow.extend({ channel: z.string().optional() }), {
  period: periodOutput,
  totals: anyRecord,
  channels: z.array(anyRecord).optional(),
  unanswered: z.array(anyRecord).optional().describe('Topics in which the API shows one post'),
  coverage: coverageOutput,
});

function topicOf({ channel, record }: ChannelPost): Json {
  const { topic_id, topic, author, created_at } = presentPost(record);
  return defined({ channel, topic_id, topic, author, created_at });
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
  /** Topics that may be unanswered and were not looked at. */
  topicsLeft: number;
  stopped: string | undefined;
  context: Pick<ToolContext, 'spent' | 'now'>;
}

function coverageOf({ isCut, read, topicsLeft, stopped, context }: Digest): Json {
  const { absent, cutShort, left } = read;
  const isWhole = !isCut && cutShort.length === 0 && left === 0 && topicsLeft === 0;
  const complete = isWhole && read.problem === undefined;
  return defined({
    complete,
    channels_not_found: absent.length > 0 ? absent.join(', ') : undefined,
    channels_left: left > 0 ? left : undefined,
    channels_cut_short: cutShort.length > 0 ? cutShort.join(', ') : undefined,
    topics_not_checked: topicsLeft > 0 ? topicsLeft : undefined,
    more_channels: isCut ? 'there may be more than 50: name them in channels' : undefined,
    requests_spent: context.spent(),
    as_of: asOf(context.now()),
    stopped: stopped ?? read.problem,
    next: complete ? undefined : 'raise max_requests, name fewer channels or ask for a shorter period',
  });
}

/** Counts of what was not looked at are left out: a zero there would read as one that was found. */
function totalsOf({ read, channels, unanswered }: Digest, { complete }: Json): Json {
  const lively = new Set(read.posts.map(({ channel }) => channel));
  const there = channels - read.absent.length;
  return defined({
    posts: read.posts.length,
    channels: there,
    channels_read: read.left > 0 ? there - read.left : undefined,
    quiet_channels: someOf(read.whole.filter((channel) => !lively.has(channel)).length),
    unanswered: complete ? unanswered.length : undefined,
  });
}

function unansweredText({ length }: readonly ChannelPost[], { complete }: Json): string {
  if (complete) return `; ${counted(length, 'topic')} unanswered`;
  return length === 0 ? '' : `; at least ${counted(length, 'topic')} unanswered`;
}

function summaryOf({ read, unanswered, period }: Digest, lively: number, totals: Json, coverage: Json): string {
  const channels = `${lively} of ${counted(Number(totals.channels_read ?? totals.channels), 'channel')}`;
  const posts = `${counted(read.posts.length, 'post')} in ${channels}${read.left > 0 ? ' read' : ''}`;
  const absent = read.absent.length === 0 ? '' : ` Not found: ${read.absent.map(asValue).join(', ')}.`;
  const start = coverage.complete ? '' : `${incompleteBecause(read.problem)}: `;
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
