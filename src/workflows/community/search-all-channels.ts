import { timeOf } from '../../insights/api-time.ts';
import type { ToolContext } from '../../mcp/tool.ts';
import { type ChannelsResult, readChannels } from './channel-posts.ts';
import { type ChannelList, findChannels } from './find-channels.ts';
import type { PostWords } from './post-pages.ts';
import { assertSomeRead } from './read-digest.ts';

export interface AllChannelsQuestion extends PostWords {
  readonly created_after?: string | undefined;
  readonly created_before?: string | undefined;
  readonly maxRequests: number;
}

export interface AllChannelsReading {
  readonly read: ChannelsResult;
  readonly found: ChannelList;
}

/** Searches every channel: one request for the list of channels, and one for each channel and page of 100 posts. */
export async function searchAllChannels(
  { created_after, created_before, maxRequests, ...words }: AllChannelsQuestion,
  context: ToolContext,
): Promise<AllChannelsReading> {
  const { api, spent, progress } = context;
  const found = await findChannels(undefined, context);
  const to = timeOf(created_before);
  const period = { from: timeOf(created_after), ...(to === undefined ? {} : { to }) };
  const question = { channels: found.channels, period, words, isNamed: false };
  const onProgress = (done: number, total: number) =>
    progress(done, total, `read ${done} of ${total} or more pages of posts`);
  const read = await readChannels(api, question, { left: () => maxRequests - spent(), progress: onProgress });
  assertSomeRead(read, found);
  return { read, found };
}
