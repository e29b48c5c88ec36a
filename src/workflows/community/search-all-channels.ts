import { timeOf } from '../../insights/api-time.ts';
import { alternativesIn, hasOneOf, isBy } from '../../insights/community/digest.ts';
import type { ToolContext } from '../../mcp/tool.ts';
import { type ChannelsResult, readChannels } from './channel-posts.ts';
import { type ChannelList, findChannels } from './find-channels.ts';
import type { PostWords } from './post-pages.ts';
import { assertSomeRead } from './read-digest.ts';

export interface AllChannelsQuestion extends PostWords {
  /** The only channel; all by default. */
  readonly channel?: string | undefined;
  /** A slug, or a part of a name: the API has no such filter. */
  readonly author?: string | undefined;
  readonly created_after?: string | undefined;
  readonly created_before?: string | undefined;
  readonly maxRequests: number;
}

export interface AllChannelsReading {
  readonly read: ChannelsResult;
  readonly found: ChannelList;
}

/** Whether the API cannot answer the question for one channel. */
export function isSelectedHere({ query, author }: Pick<AllChannelsQuestion, 'query' | 'author'>): boolean {
  return author !== undefined || alternativesIn(query) !== undefined;
}

/**
 * Searches every channel, or one: one request each for the lists of channels and groups, and one for each channel and page of 100 posts. Posts
 * with one of several words, and posts of an author, are selected here.
 */
export async function searchAllChannels(
  { channel, author, query, topic_id, created_after, created_before, maxRequests }: AllChannelsQuestion,
  context: ToolContext,
): Promise<AllChannelsReading> {
  const { api, spent, progress } = context;
  const found = await findChannels(channel === undefined ? undefined : [channel], context);
  const alternatives = alternativesIn(query);
  const words = { query: alternatives === undefined ? query : undefined, topic_id };
  const to = timeOf(created_before);
  const period = { from: timeOf(created_after), ...(to === undefined ? {} : { to }) };
  const question = { channels: found.channels, period, words, isNamed: channel !== undefined };
  const onProgress = (done: number, total: number) =>
    progress(done, total, `read ${done} of ${total} or more pages of posts`);
  const read = await readChannels(api, question, { left: () => maxRequests - spent(), progress: onProgress });
  assertSomeRead(read, found);
  const posts = read.posts.filter(
    ({ record }) =>
      (author === undefined || isBy(record, author)) && (alternatives === undefined || hasOneOf(record, alternatives)),
  );
  return { read: { ...read, posts }, found };
}
