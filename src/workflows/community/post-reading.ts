import type { Api } from '../../api/api.ts';
import { createPages, type Pages } from '../../api/pages.ts';
import type { ParsedAnswer } from '../../contract/answer.ts';
import { searchPosts } from '../../contract/community.ts';
import { timeOf } from '../../insights/api-time.ts';
import type { DigestPost } from '../../insights/community/digest.ts';
import type { Period } from '../../insights/period.ts';
import { oneLine } from '../../shared/clean-text.ts';

// The posts of one channel in a period, page by page, and whether they are all there.

export type PostPage = ParsedAnswer<(typeof searchPosts)['response']>;
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
  /** Rows that came a second time. */
  again: number;
  /** Entries of its pages that are no records. */
  lost: number;
  isAbsent: boolean;
  /** Why nothing of it, or no more of it, could be read. */
  refused: string | undefined;
}

/** API document: "Limits". */
const perPage = 100;
const dayMs = 86_400_000;

export function newReading(channel: string): Reading {
  const pages = createPages({ noun: `posts of ${oneLine(channel, 100)}` });
  return {
    channel,
    pages,
    seen: new Map(),
    totals: [],
    again: 0,
    lost: 0,
    isAbsent: false,
    refused: undefined,
  };
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

/** What the API says of the number of posts; undefined where it does not, or where more than that came. */
function totalOf({ totals, seen }: Reading): number | undefined {
  const last = totals.at(-1);
  return last === undefined || last < seen.size ? undefined : last;
}

/**
 * The page that reading goes on to: that of the API as far as it goes, one more where that does not prove the end. What proves
 * it is the number of posts, save after a full page, where it may be that of the page; without it, an empty page.
 */
function lastPage(reading: Reading, page: number, { items, meta }: PostPage): number {
  const claimed = meta?.total_pages ?? 0;
  if (claimed > page || items.length === 0) return Math.max(claimed, page);
  const isProved = totalOf(reading) === reading.seen.size && items.length < perPage;
  return isProved ? page : page + 1;
}

export function addPage(reading: Reading, page: number, answer: PostPage): void {
  const { pages, seen, totals, channel } = reading;
  const { items, meta } = answer;
  for (const record of items) {
    const name = nameOf(record);
    if (seen.has(name)) reading.again += 1;
    else seen.set(name, postOf(channel, record));
  }
  if (meta?.total_posts !== undefined) totals.push(meta.total_posts);
  pages.add(page, { items, totalPages: lastPage(reading, page, answer) });
}

/** Why posts may be missing although the last page was read; undefined where all are there. */
export function lackOf(reading: Reading): string | undefined {
  const { channel, seen, totals, again } = reading;
  const noun = `posts of ${oneLine(channel, 100)}`;
  const [first = 0] = totals;
  const total = totalOf(reading);
  if (total === undefined) return again > 0 ? `pages of the ${noun} overlap, and no total proves them` : undefined;
  if (total < first) return `the ${noun} became fewer while they were read; ask again`;
  // What was posted meanwhile is later than the period.
  return seen.size < first ? `${seen.size} of ${first} ${noun} came` : undefined;
}
