import type { Api } from '../../api/api.ts';
import { type NextPage, nextPages, remainingPages } from '../../api/pages.ts';
import { countUnreadable, type Unreadable } from '../../insights/unreadable.ts';
import { dayMs } from '../../shared/durations.ts';
import type { ErrorCode } from '../../shared/errors.ts';
import { type BatchTerms, inBatches } from '../batch.ts';
import {
  addPage,
  type ChannelPost,
  type ChannelReading,
  missingPosts,
  newChannelReading,
  type PostPage,
  type PostPeriod,
  type PostWords,
  readPage,
} from './post-pages.ts';

export interface ChannelsResult {
  /** Distinct posts of the period. Leaves out posts without a readable time, which may be outside. */
  readonly posts: ChannelPost[];
  /** Channels that do not exist. */
  readonly absent: string[];
  /** Channels that could not be read, with the reason. */
  readonly refused: string[];
  /** Channels whose posts were all read. */
  readonly whole: string[];
  /** Channels with missing posts. */
  readonly cutShort: string[];
  /** Number of channels not read for lack of requests. */
  readonly left: number;
  readonly pages: number;
  readonly unreadable: Unreadable;
  /** Number of posts outside the requested bounds. */
  readonly discarded: number;
  /** Bounds that the API ignored. */
  readonly ignored: readonly string[];
  readonly stopped?: string | undefined;
  /** Why posts of a channel are missing, if the API's answers are the reason. */
  readonly problem: string | undefined;
}

/** The API does not document whether its bounds are inclusive, so they are checked again here. */
function isWithin({ from, to = Number.POSITIVE_INFINITY }: PostPeriod, { at }: ChannelPost): boolean {
  return at !== undefined && at >= (from ?? Number.NEGATIVE_INFINITY) && at < to;
}

/** Counts posts far outside the bounds. Tolerates two days: the request is a day wider, and the API may compare days. */
function postsOutside(
  { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY }: PostPeriod,
  posts: readonly ChannelPost[],
) {
  const early = posts.filter(({ at }) => at !== undefined && at < from - 2 * dayMs).length;
  const late = posts.filter(({ at }) => at !== undefined && at >= to + 2 * dayMs).length;
  const ignored = [...(early > 0 ? ['created_after'] : []), ...(late > 0 ? ['created_before'] : [])];
  return { discarded: early + late, ignored };
}

function unreadableIn(readings: readonly ChannelReading[], posts: readonly ChannelPost[]): Unreadable {
  const seen = readings.flatMap((reading) => [...reading.seen.values()]);
  const lost = readings.flatMap((reading) => Array.from({ length: reading.lost }, () => 'posts' as const));
  return countUnreadable([
    ...lost,
    ...seen.flatMap(({ at }) => (at === undefined ? (['dates'] as const) : [])),
    // A post without its topic counts, but it is not known whether it was answered.
    ...posts.flatMap(({ topicId }) => (topicId === undefined ? (['posts'] as const) : [])),
  ]);
}

/** Sorts the channels by how far they were read. `problem`: why posts are missing, other than for lack of requests. */
function summarize(readings: readonly ChannelReading[]) {
  const existing = readings.filter(
    ({ isAbsent, pages, refused }) => !isAbsent && (refused === undefined || pages.read() > 0),
  );
  const started = existing.filter(({ pages }) => pages.read() > 0);
  const isRead = ({ pages, refused }: ChannelReading) =>
    pages.left() === 0 && !pages.isLonger() && refused === undefined;
  const isWhole = (reading: ChannelReading) => isRead(reading) && missingPosts(reading) === undefined;
  const names = (some: readonly ChannelReading[]) => some.map(({ channel }) => channel);
  const problems = started.map((reading) => reading.refused ?? (isRead(reading) ? missingPosts(reading) : undefined));
  return {
    absent: names(readings.filter(({ isAbsent }) => isAbsent)),
    refused: readings.flatMap(({ channel, refused, pages }) =>
      refused !== undefined && pages.read() === 0 ? [`${channel} (${refused})`] : [],
    ),
    whole: names(started.filter(isWhole)),
    cutShort: names(started.filter((reading) => !isWhole(reading))),
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

export interface ChannelsQuestion {
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
): Promise<ChannelsResult> {
  const readings = channels.map(newChannelReading);
  const isOpen = ({ isAbsent, refused }: ChannelReading) => !isAbsent && refused === undefined;
  const next = () => nextPages(readings.filter(isOpen), readings.length, 1);
  let pages = 0;
  const step = {
    run: ({ list, page }: NextPage<ChannelReading>) => readPage(api, list.channel, period, page, words),
    keep: ({ list, page }: NextPage<ChannelReading>, answer: PostPage) => {
      pages += 1;
      addPage(list, page, answer);
    },
    refused: (one: NextPage<ChannelReading>, why: string) => {
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
  const posts = seen.filter((post) => isWithin(period, post));
  const unreadable = unreadableIn(readings, posts);
  return { posts, pages, stopped, unreadable, ...postsOutside(period, seen), ...summarize(readings) };
}
