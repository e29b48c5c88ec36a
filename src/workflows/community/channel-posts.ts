import type * as z from 'zod';
import type { Api } from '../../api/api.ts';
import { createPages, type NextPage, nextRound, type Pages, reached } from '../../api/pages.ts';
import { undefinedIfNotFound } from '../../api/undefined-if-not-found.ts';
import type { ParsedAnswer, Tolerant } from '../../contract/answer.ts';
import { type post, searchPosts } from '../../contract/community.ts';
import { timeOf } from '../../insights/api-time.ts';
import type { DigestPost } from '../../insights/community/digest.ts';
import type { Period } from '../../insights/period.ts';
import { oneLine } from '../../shared/clean-text.ts';
import { type BatchTerms, inBatches } from '../batch.ts';

export interface ChannelPost extends DigestPost {
  /** As the API gave it. */
  readonly record: Tolerant<z.infer<typeof post>>;
}

/** API document: "Limits". */
const perPage = 100;

function postOf(channel: string, record: ChannelPost['record']): ChannelPost {
  return {
    channel,
    topicId: record.topic?.id,
    author: record.author?.slug ?? record.author?.name,
    at: timeOf(record.created_at),
    record,
  };
}

/** The API does not say whether its bounds belong to the time: they are checked again here. */
function isWithin({ from, to }: Period, { at }: ChannelPost): boolean {
  return at === undefined || (at >= (from ?? Number.NEGATIVE_INFINITY) && at < to);
}

type PostPage = ParsedAnswer<(typeof searchPosts)['response']>;

/** One page of 100 of the posts of a channel in a period, newest first. */
async function readPage(api: Api, channel: string, { period, page }: { period: Period; page: number }) {
  const { from, to } = period;
  const after = from === undefined ? {} : { created_after: new Date(from - 1).toISOString() };
  const asked = { id_or_slug: channel, created_before: new Date(to).toISOString(), per_page: perPage, ...after };
  return await api.call(searchPosts, { ...asked, page }, page === 1 ? {} : { priority: 'bulk' });
}

/** A channel as far as it has been read. */
interface Reading {
  readonly channel: string;
  readonly pages: Pages;
  isAbsent: boolean;
}

function newReading(channel: string): Reading {
  return { channel, pages: createPages({ noun: `posts of ${oneLine(channel, 100)}`, perPage }), isAbsent: false };
}

/** Which channels were read whole, in part and not at all, and why where that is not for want of requests. */
function summary(readings: readonly Reading[]) {
  const there = readings.filter(({ isAbsent }) => !isAbsent);
  const begun = there.filter(({ pages }) => pages.read() > 0);
  const isWhole = ({ pages }: Reading) => pages.left() === 0 && pages.problem() === undefined && !pages.isLonger();
  const names = (some: readonly Reading[]) => some.map(({ channel }) => channel);
  return {
    absent: names(readings.filter(({ isAbsent }) => isAbsent)),
    whole: names(begun.filter(isWhole)),
    cutShort: names(begun.filter((reading) => !isWhole(reading))),
    left: there.length - begun.length,
    problem: reached(there).problem,
  };
}

export interface ChannelsRead {
  readonly posts: ChannelPost[];
  /** Channels that there are not. */
  readonly absent: string[];
  /** Channels of which every page was read. */
  readonly whole: string[];
  /** Channels of which pages are missing. */
  readonly cutShort: string[];
  /** Number of channels of which nothing was read. */
  readonly left: number;
  readonly pages: number;
  readonly stopped?: string | undefined;
  /** Why the pages of a channel ended before their end, where the API's answers were the reason. */
  readonly problem: string | undefined;
}

/**
 * The posts of channels in a period, one request a page, as far as the terms allow: first a page of each, so that none is
 * silent because another is loud. New posts are later than the period, so that they do not shift its pages. `progress` hears
 * the number of pages that have been read, and of those known to be there.
 */
export async function readChannels(
  api: Api,
  channels: readonly string[],
  period: Period,
  { left, progress }: BatchTerms,
): Promise<ChannelsRead> {
  const posts: ChannelPost[] = [];
  const readings = channels.map(newReading);
  const next = () =>
    nextRound(
      readings.filter(({ isAbsent }) => !isAbsent),
      readings.length,
      1,
    );
  let pages = 0;
  const keep = ({ list, page }: NextPage<Reading>, read: PostPage | undefined) => {
    pages += 1;
    if (read === undefined) {
      list.isAbsent = true;
      return;
    }
    list.pages.add(page, { items: read.items, totalPages: read.meta?.total_pages });
    const found = read.items.map((record) => postOf(list.channel, record));
    for (const post of found) if (isWithin(period, post)) posts.push(post);
  };
  const terms = { left, progress: () => progress(pages, pages + next().length) };
  let stopped: string | undefined;
  for (let round = next(); round.length > 0 && left() > 0 && stopped === undefined; round = next()) {
    const ask = ({ list, page }: NextPage<Reading>) =>
      undefinedIfNotFound(readPage(api, list.channel, { period, page }));
    ({ stopped } = await inBatches(round, ask, keep, terms));
  }
  return { posts, pages, stopped, ...summary(readings) };
}

/** Whether a topic has one post over all time, counted where the API does not tell how many there are. */
export async function hasOnePost(api: Api, { channel, topicId }: DigestPost): Promise<boolean> {
  if (topicId === undefined) return false;
  const asked = { id_or_slug: channel, topic_id: topicId, page: 1, per_page: 2 };
  const { items, meta } = await api.call(searchPosts, asked, { priority: 'bulk' });
  return (meta?.total_posts ?? items.length) === 1;
}
