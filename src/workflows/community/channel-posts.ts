import type { Api } from '../../api/api.ts';
import { unreadableEntries } from '../../api/http/answer-facts.ts';
import { createPages, type NextPage, nextPages, remainingPages } from '../../api/pages.ts';
import { searchPosts } from '../../contract/community.ts';
import type { AnswerOf } from '../../contract/operation.ts';
import { recordTime } from '../../insights/api-time.ts';
import type { DigestPost } from '../../insights/community/digest.ts';
import { type Period, widerBounds } from '../../insights/period.ts';
import { mergeUnreadable, type Unreadable } from '../../insights/unreadable.ts';
import { oneLine } from '../../shared/clean-text.ts';
import { dayMs } from '../../shared/durations.ts';
import type { ErrorCode } from '../../shared/errors.ts';
import { type BatchTerms, inBatches } from '../batch.ts';

// Reads the posts of one channel in a period page by page, and checks whether any are missing.

type PostPage = AnswerOf<typeof searchPosts>;
type PostRecord = PostPage['items'][number];

export interface ChannelPost extends DigestPost {
  readonly record: PostRecord;
}

/** API document: "Limits". */
const perPage = 100;

const nounOf = (channel: string) => `posts of ${oneLine(channel, 100)}`;

const newChannelReading = (channel: string) => ({
  channel,
  pages: createPages({ noun: nounOf(channel), perPage }),
  seen: new Map<string, ChannelPost>(),
  totals: [] as number[],
  lost: 0,
  isAbsent: false,
  /** Why the channel, or the rest of it, could not be read. */
  refused: undefined as string | undefined,
});

type ChannelReading = ReturnType<typeof newChannelReading>;

/** `to` is absent if the period ends now, since the server's clock may be ahead. */
type PostPeriod = Pick<Period, 'from'> & { readonly to?: number };

export interface PostWords {
  readonly query?: string | undefined;
  readonly topic_id?: number | undefined;
}

export function postOf(channel: string, record: PostRecord): ChannelPost {
  const { author, created_at, topic } = record;
  const written = author?.slug ?? author?.name;
  return { channel, topicId: topic?.id, author: written, at: recordTime(created_at), record };
}

const postKey = (record: PostRecord) => (record.id === undefined ? JSON.stringify(record) : `id ${record.id}`);

function addPage(reading: ChannelReading, page: number, answer: PostPage): void {
  const { items, meta } = answer;
  const { pages, seen, totals, channel } = reading;
  for (const record of items) {
    const name = postKey(record);
    if (!seen.has(name)) seen.set(name, postOf(channel, record));
  }
  reading.lost += unreadableEntries(answer);
  const { total_posts, total_pages: claimed, per_page } = meta ?? {};
  if (total_posts !== undefined) totals.push(total_posts);
  // Posts written while reading are later than the period.
  const [first, last = first] = [totals[0], totals.at(-1)];
  const total = first === undefined || last === undefined ? undefined : Math.min(first, last);
  // Without a total only an empty page proves the end, even after a short page.
  const isOpen = total === undefined && items.length > 0;
  pages.add(page, { items, totalPages: isOpen ? Math.max(claimed ?? 0, page + 1) : claimed, total, perPage: per_page });
}

/** Why posts may be missing although every page was read; undefined if none are. */
function missingPosts({ channel, pages, seen, totals }: ChannelReading): string | undefined {
  const [first = 0] = totals;
  const last = totals.at(-1) ?? 0;
  // Deleted posts move others to pages that were already read. A total below the number seen is not a total.
  const isFewer = last < first && last >= seen.size;
  return isFewer ? `some ${nounOf(channel)} disappeared while they were read; call again` : pages.problem();
}

/** The API does not document whether its bounds are inclusive, so they are checked again here. */
function isWithin({ from, to = Number.POSITIVE_INFINITY }: PostPeriod, { at }: ChannelPost): boolean {
  return at !== undefined && at >= (from ?? Number.NEGATIVE_INFINITY) && at < to;
}

/** Counts posts far outside the bounds. Tolerates two days: the request is a day wider, and the API may compare days. */
function postsOutside({ from, to }: PostPeriod, posts: readonly ChannelPost[]) {
  const early = posts.filter(({ at = Number.POSITIVE_INFINITY }) => from !== undefined && at < from - 2 * dayMs).length;
  const late = posts.filter(({ at = 0 }) => to !== undefined && at >= to + 2 * dayMs).length;
  const ignored = [...(early > 0 ? ['created_after'] : []), ...(late > 0 ? ['created_before'] : [])];
  return { discarded: early + late, ignored };
}

function unreadableIn(
  readings: readonly ChannelReading[],
  seen: readonly ChannelPost[],
  posts: readonly ChannelPost[],
): Unreadable {
  const lost = readings.reduce((sum, reading) => sum + reading.lost, 0);
  // A post without its topic counts, but it is not known whether it was answered.
  const untold = posts.filter(({ topicId }) => topicId === undefined).length;
  const undated = seen.filter(({ at }) => at === undefined).length;
  return mergeUnreadable({ posts: lost + untold, dates: undated });
}

/** Sorts the channels by how far they were read. `problem`: why posts are missing, other than for lack of requests. */
function summarize(readings: readonly ChannelReading[]) {
  const isBegun = ({ pages }: ChannelReading) => pages.read() > 0;
  const existing = readings.filter((one) => !one.isAbsent && (one.refused === undefined || isBegun(one)));
  const started = existing.filter(isBegun);
  const isRead = ({ pages, refused }: ChannelReading) => pages.left() === 0 && refused === undefined;
  const isWhole = (reading: ChannelReading) => isRead(reading) && missingPosts(reading) === undefined;
  const names = (some: readonly ChannelReading[]) => some.map(({ channel }) => channel);
  const problems = started.map((reading) => reading.refused ?? (isRead(reading) ? missingPosts(reading) : undefined));
  return {
    absent: names(readings.filter(({ isAbsent }) => isAbsent)),
    refused: readings.flatMap((one) =>
      one.refused !== undefined && !isBegun(one) ? [`${one.channel} (${one.refused})`] : [],
    ),
    whole: names(started.filter(isWhole)),
    cutShort: names(started.filter((reading) => !isWhole(reading))),
    /** Number of channels not read for lack of requests. */
    left: existing.length - started.length,
    problem: problems.find((problem) => problem !== undefined) ?? remainingPages(existing).problem,
  };
}

/** Records why the API refused a page. A named channel may not exist. */
function refuse({ list, page }: NextPage<ChannelReading>, why: string, isNamed: boolean): void {
  const isMissing = why.startsWith('not_found' satisfies ErrorCode);
  if (isNamed && page === 1 && isMissing) list.isAbsent = true;
  // Some platforms refuse a page after the last one.
  else if (page > 1 && (isMissing || why.startsWith('unprocessable' satisfies ErrorCode))) list.pages.refuse(page);
  else list.refused = page === 1 ? why : `page ${page} of the posts of ${list.channel}: ${why}`;
}

interface ChannelsQuestion {
  readonly channels: readonly string[];
  readonly period: PostPeriod;
  /** All posts of the period if undefined. */
  readonly words?: PostWords | undefined;
  /** The user named the channels, so `not_found` means that the channel does not exist. Not so for a listed channel. */
  readonly isNamed: boolean;
}

/**
 * Reads the posts of channels in a period, one request per page, within the terms. Reads the first page of every channel
 * first, so a busy channel never hides a quiet one. `progress` receives the pages read and the pages known to exist.
 */
export async function readChannels(
  api: Api,
  { channels, period, words, isNamed }: ChannelsQuestion,
  { left, progress }: BatchTerms,
) {
  const readings = channels.map(newChannelReading);
  const isOpen = ({ isAbsent, refused }: ChannelReading) => !isAbsent && refused === undefined;
  const next = () => nextPages(readings.filter(isOpen), readings.length, 1);
  let pages = 0;
  type Next = NextPage<ChannelReading>;
  const step = {
    run: ({ list: { channel }, page }: Next) => {
      const query = { id_or_slug: channel, ...words, ...widerBounds(period), per_page: perPage, page };
      return api.call(searchPosts, query, page === 1 ? {} : { priority: 'bulk' });
    },
    keep: ({ list, page }: Next, answer: PostPage) => {
      pages += 1;
      addPage(list, page, answer);
    },
    refused: (one: Next, why: string) => {
      pages += 1;
      refuse(one, why, isNamed);
    },
  };
  const terms = { left, progress: () => progress(pages, pages + next().length) };
  let stopped: string | undefined;
  for (let round = next(); round.length > 0 && left() > 0 && stopped === undefined; round = next()) {
    ({ stopped } = await inBatches(round, step, terms));
  }
  const seen = readings.flatMap((reading) => [...reading.seen.values()]);
  // Without posts of no readable time, which may be outside.
  const posts = seen.filter((post) => isWithin(period, post));
  const unreadable = unreadableIn(readings, seen, posts);
  return { posts, pages, stopped, unreadable, ...postsOutside(period, seen), ...summarize(readings) };
}

export type ChannelsResult = Awaited<ReturnType<typeof readChannels>>;
