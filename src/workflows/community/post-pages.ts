import type { Api } from '../../api/api.ts';
import { lostEntries } from '../../api/http/unreadable-paths.ts';
import { createPages, type Pages } from '../../api/pages.ts';
import { searchPosts } from '../../contract/community.ts';
import type { ParsedResponse } from '../../contract/schemas/response.ts';
import { timeOf } from '../../insights/api-time.ts';
import type { DigestPost } from '../../insights/community/digest.ts';
import type { Period } from '../../insights/period.ts';
import { oneLine } from '../../shared/clean-text.ts';

// The posts of one channel in a period, page by page, and whether they are all there.

export type PostPage = ParsedResponse<(typeof searchPosts)['response']>;
type PostRecord = PostPage['items'][number];

export interface ChannelPost extends DigestPost {
  /** As the API gave it. */
  readonly record: PostRecord;
}

/** A channel as far as it has been read. */
export interface Reading {
  readonly channel: string;
  readonly pages: Pages;
  /** Distinct posts that came, those outside the period included. */
  readonly seen: Map<string, ChannelPost>;
  /** What the API said, page by page, of the number of posts. */
  readonly totals: number[];
  /** Entries of its pages that are no records. */
  lost: number;
  isAbsent: boolean;
  /** Why nothing of it, or no more of it, could be read. */
  refused: string | undefined;
}

/** API document: "Limits". */
const perPage = 100;
const dayMs = 86_400_000;

const nounOf = (channel: string) => `posts of ${oneLine(channel, 100)}`;

export function newReading(channel: string): Reading {
  const pages = createPages({ noun: nounOf(channel), perPage });
  return { channel, pages, seen: new Map(), totals: [], lost: 0, isAbsent: false, refused: undefined };
}

/** Posts from a time on: `to` is left out where the period lasts until now, since the server's clock may be ahead. */
export type PostPeriod = Pick<Period, 'from'> & { readonly to?: number };

const timeText = (at: number) => new Date(at).toISOString().replace(/\.\d+Z$/, 'Z');

/**
 * One page of 100 of the posts of a channel, newest first. Asks for a day more at each end: the API does not say whether its
 * bounds belong to the time, and it may take only their day.
 */
export async function readPage(api: Api, channel: string, { from, to }: PostPeriod, page: number): Promise<PostPage> {
  const bounds = {
    ...(from === undefined ? {} : { created_after: timeText(from - dayMs) }),
    ...(to === undefined ? {} : { created_before: timeText(to + dayMs) }),
  };
  const asked = { id_or_slug: channel, ...bounds, per_page: perPage, page };
  return await api.call(searchPosts, asked, page === 1 ? {} : { priority: 'bulk' });
}

/** The id of a topic, also where the API gives nothing but that. */
function topicIdOf(record: PostRecord & { topic_id?: unknown }): number | undefined {
  const { topic, topic_id } = record;
  if (topic?.id !== undefined) return topic.id;
  const isId = typeof topic_id === 'number' || (typeof topic_id === 'string' && /^\d{1,15}$/.test(topic_id));
  return isId ? Number(topic_id) : undefined;
}

export function postOf(channel: string, record: PostRecord): ChannelPost {
  const { author, created_at } = record;
  const written = author?.slug ?? author?.name;
  return { channel, topicId: topicIdOf(record), author: written, at: timeOf(created_at), record };
}

/** A post is known by its id, and one without an id by all that it says. */
const nameOf = (record: PostRecord) => (record.id === undefined ? JSON.stringify(record) : `id ${record.id}`);

/** The posts that are to come: what is posted meanwhile is later than the period. */
function leastOf([first, ...others]: readonly number[]): number | undefined {
  return first === undefined ? undefined : Math.min(first, others.at(-1) ?? first);
}

export function addPage(reading: Reading, page: number, answer: PostPage): void {
  const { items, meta } = answer;
  const { pages, seen, totals, channel } = reading;
  for (const record of items) {
    const name = nameOf(record);
    if (!seen.has(name)) seen.set(name, postOf(channel, record));
  }
  reading.lost += lostEntries(answer);
  const { total_posts, total_pages: claimed, per_page } = meta ?? {};
  if (total_posts !== undefined) totals.push(total_posts);
  const total = leastOf(totals);
  // Without a total it is an empty page that proves the end, however short the one before it.
  const isOpen = total === undefined && items.length > 0;
  pages.add(page, { items, totalPages: isOpen ? Math.max(claimed ?? 0, page + 1) : claimed, total, perPage: per_page });
}

/** Why posts may be missing although nothing is left to be read; undefined where all are there. */
export function lackOf({ channel, pages, seen, totals }: Reading): string | undefined {
  const [first = 0] = totals;
  const last = totals.at(-1) ?? 0;
  // Those that went moved others to pages that had been read before. A total of less than was seen is no total.
  const isFewer = last < first && last >= seen.size;
  return isFewer ? `the ${nounOf(channel)} became fewer while they were read; ask again` : pages.problem();
}
