import * as z from 'zod';
import type { ChannelPost } from '../../src/api/channel-posts.ts';
import { channelDigests, newestPostFirst } from '../../src/insights/digest.ts';
import { asOf, type Period, periodFacts, periodText } from '../../src/insights/period.ts';
import { coverageOutput } from '../../src/mcp/order-question.ts';
import { anyRecord, listOutput } from '../../src/mcp/output.ts';
import type { Presented, ToolContext } from '../../src/mcp/tool.ts';
import { postRow, presentPost } from '../community/post-row.ts';
import { counted, defined, periodOutput } from './sales-facts.ts';

type Json = Record<string, unknown>;

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

interface Scope {
  period: Period;
  limit: number;
  /** Number of channels asked for. */
  channels: number;
  /** There may be more channels than the API lists at once. */
  isCut: boolean;
  /** Channels of which pages are missing. */
  cutShort: readonly string[];
  channelsLeft: number;
  /** Topics that may be unanswered and were not looked at. */
  topicsLeft: number;
  stopped: string | undefined;
  context: Pick<ToolContext, 'spent' | 'now'>;
}

function coverageOf({ isCut, cutShort, channelsLeft, topicsLeft, stopped, context }: Scope): Json {
  const complete = !isCut && cutShort.length === 0 && channelsLeft === 0 && topicsLeft === 0;
  return defined({
    complete,
    channels_left: channelsLeft > 0 ? channelsLeft : undefined,
    channels_cut_short: cutShort.length > 0 ? cutShort.join(', ') : undefined,
    topics_not_checked: topicsLeft > 0 ? topicsLeft : undefined,
    more_channels: isCut ? 'there may be more than 50: name them in channels' : undefined,
    requests_spent: context.spent(),
    as_of: asOf(context.now()),
    stopped,
    next: complete ? undefined : 'raise max_requests, name fewer channels or ask for a shorter period',
  });
}

export function presentDigest(
  posts: readonly ChannelPost[],
  unanswered: readonly ChannelPost[],
  scope: Scope,
): Presented {
  const { period, limit, channels } = scope;
  const digests = channelDigests(posts);
  const coverage = coverageOf(scope);
  const sorted = [...posts].sort(newestPostFirst).slice(0, limit);
  const rows = sorted.map(({ channel, record }) => ({ channel, ...presentPost(record) }));
  const lively = `${counted(digests.length, 'channel')} of ${channels}`;
  const summary = `${coverage.complete ? '' : 'Incomplete, so far: '}${counted(posts.length, 'post')} in ${lively} ${periodText(period)}; ${counted(unanswered.length, 'topic')} unanswered.`;
  const answer = (most: number) => ({
    summary,
    data: {
      period: periodFacts(period),
      totals: {
        posts: posts.length,
        channels,
        quiet_channels: channels - digests.length,
        unanswered: unanswered.length,
      },
      ...(digests.length > 0 ? { channels: digests } : {}),
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
