import type { Api } from '../../api/api.ts';
import { unreadableEntries } from '../../api/http/answer-facts.ts';
import { createPages, type Pages } from '../../api/pages.ts';
import { searchPosts } from '../../contract/community.ts';
import type { ParsedResponse } from '../../contract/schemas/response.ts';
import { recordTime } from '../../insights/api-time.ts';
import type { DigestPost } from '../../insights/community/digest.ts';
import type { Period } from '../../insights/period.ts';
import { oneLine } from '../../shared/clean-text.ts';
import { dayMs } from '../../shared/durations.ts';

// Reads the posts of one channel in a period page by page, and checks whether any are missing.

export type PostPage = ParsedResponse<(typeof searchPosts)['response']>;
type PostRecord = PostPage['items'][number];

export interface ChannelPost extends DigestPost {
  /** As the API sent it. */
  readonly record: PostRecord;
}

/** What has been read of one channel. */
export interface ChannelReading {
  readonly channel: string;
  readonly pages: Pages;
  /** Distinct posts, including those outside the period. */
  readonly seen: Map<string, ChannelPost>;
  /** The total number of posts in each response. */
  readonly totals: number[];
  /** Number of entries that are not records. */
  lost: number;
  isAbsent: boolean;
  /** Why the channel, or the rest of it, could not be read. */
  refused: string | undefined;
}

/** API document: "Limits". */
const perPage = 100;

const nounOf = (channel: string) => `posts of ${oneLine(channel, 100)}`;

export function newChannelReading(channel: string): ChannelReading {
  const pages = createPages({ noun: nounOf(channel), perPage });
  return { channel, pages, seen: new Map(), totals: [], lost: 0, isAbsent: false, refused: undefined };
}

/** `to` is absent if the period ends now, since the server's clock may be ahead. */
export type PostPeriod = Pick<Period, 'from'> & { readonly to?: number };

/** What the API filters posts by, besides their time. */
export interface PostWords {
  readonly query?: string | undefined;
  readonly topic_id?: number | undefined;
}

const timeText = (at: number) => new Date(at).toISOString().replace(/\.\d+Z$/, 'Z');

/**
 * Reads one page of up to 100 posts of a channel, newest first. Requests a day more at each end: the API does not document
 * whether its bounds are inclusive, and it may compare only days.
 */
export async function readPage(
  api: Api,
  channel: string,
  { from, to }: PostPeriod,
  page: number,
  words: PostWords = {},
): Promise<PostPage> {
  const bounds = {
    ...(from === undefined ? {} : { created_after: timeText(from - dayMs) }),
    ...(to === undefined ? {} : { created_before: timeText(to + dayMs) }),
  };
  const query = { id_or_slug: channel, ...words, ...bounds, per_page: perPage, page };
  return await api.call(searchPosts, query, page === 1 ? {} : { priority: 'bulk' });
}

export function postOf(channel: string, record: PostRecord): ChannelPost {
  const { author, created_at, topic } = record;
  const written = author?.slug ?? author?.name;
  return { channel, topicId: topic?.id, author: written, at: recordTime(created_at), record };
}

/** Identifies a post by its id, or by its whole content if it has none. */
const postKey = (record: PostRecord) => (record.id === undefined ? JSON.stringify(record) : `id ${record.id}`);

/** The expected number of posts: posts written while reading are later than the period. */
function leastOf([first, ...others]: readonly number[]): number | undefined {
  return first === undefined ? undefined : Math.min(first, others.at(-1) ?? first);
}

export function addPage(reading: ChannelReading, page: number, answer: PostPage): void {
  const { items, meta } = answer;
  const { pages, seen, totals, channel } = reading;
  for (const record of items) {
    const name = postKey(record);
    if (!seen.has(name)) seen.set(name, postOf(channel, record));
  }
  reading.lost += unreadableEntries(answer);
  const { total_posts, total_pages: claimed, per_page } = meta ?? {};
  if (total_posts !== undefined) totals.push(total_posts);
  const total = leastOf(totals);
  // Without a total only an empty page proves the end, even after a short page.
  const isOpen = total === undefined && items.length > 0;
  pages.add(page, { items, totalPages: isOpen ? Math.max(claimed ?? 0, page + 1) : claimed, total, perPage: per_page });
}

/** Why posts may be missing although every page was read; undefined if none are. */
export function missingPosts({ channel, pages, seen, totals }: ChannelReading): string | undefined {
  const [first = 0] = totals;
  const last = totals.at(-1) ?? 0;
  // Deleted posts move others to pages that were already read. A total below the number seen is not a total.
  const isFewer = last < first && last >= seen.size;
  return isFewer ? `some ${nounOf(channel)} disappeared while they were read; call again` : pages.problem();
}
