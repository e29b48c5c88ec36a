import type { Api } from '../../api/api.ts';
import { type NextPage, nextRound, reached } from '../../api/pages.ts';
import { countUnreadable, type Unreadable } from '../../insights/unreadable.ts';
import type { ErrorCode } from '../../shared/errors.ts';
import { type BatchTerms, inBatches } from '../batch.ts';
import {
  addPage,
  type ChannelPost,
  lackOf,
  newReading,
  type PostPage,
  type PostPeriod,
  type Reading,
  readPage,
} from './post-pages.ts';

export interface ChannelsRead {
  /** Distinct posts of the period. Those of unreadable time are not among them, since they may lie outside. */
  readonly posts: ChannelPost[];
  /** Channels that there are not. */
  readonly absent: string[];
  /** Channels of which nothing could be read, and why. */
  readonly refused: string[];
  /** Channels of which every post was read. */
  readonly whole: string[];
  /** Channels of which posts are missing. */
  readonly cutShort: string[];
  /** Number of channels of which nothing was read. */
  readonly left: number;
  readonly pages: number;
  readonly unreadable: Unreadable;
  /** Posts that the API was not asked for. */
  readonly discarded: number;
  /** Bounds that it took no notice of. */
  readonly ignored: readonly string[];
  readonly stopped?: string | undefined;
  /** Why posts of a channel are missing, where the API's answers were the reason. */
  readonly problem: string | undefined;
}

const dayMs = 86_400_000;

/** The API does not say whether its bounds belong to the time: they are checked again here. */
function isWithin({ from, to = Number.POSITIVE_INFINITY }: PostPeriod, { at }: ChannelPost): boolean {
  return at !== undefined && at >= (from ?? Number.NEGATIVE_INFINITY) && at < to;
}

/** Posts that the API was not asked for, by the bound that it took no notice of: a day more was asked for, and it may go by days. */
function strayPosts(
  { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY }: PostPeriod,
  posts: readonly ChannelPost[],
) {
  const early = posts.filter(({ at }) => at !== undefined && at < from - 2 * dayMs).length;
  const late = posts.filter(({ at }) => at !== undefined && at >= to + 2 * dayMs).length;
  const ignored = [...(early > 0 ? ['created_after'] : []), ...(late > 0 ? ['created_before'] : [])];
  return { discarded: early + late, ignored };
}

function unreadableIn(readings: readonly Reading[], posts: readonly ChannelPost[]): Unreadable {
  const seen = readings.flatMap((reading) => [...reading.seen.values()]);
  const lost = readings.flatMap((reading) => Array.from({ length: reading.lost }, () => 'posts' as const));
  return countUnreadable([
    ...lost,
    ...seen.flatMap(({ at }) => (at === undefined ? (['dates'] as const) : [])),
    // Without its topic a post is counted, and whether it was answered is not known.
    ...posts.flatMap(({ topicId }) => (topicId === undefined ? (['posts'] as const) : [])),
  ]);
}

/** Which channels were read whole, in part and not at all, and why where that is not for want of requests. */
function summary(readings: readonly Reading[]) {
  const there = readings.filter(
    ({ isAbsent, pages, refused }) => !isAbsent && (refused === undefined || pages.read() > 0),
  );
  const begun = there.filter(({ pages }) => pages.read() > 0);
  const isRead = ({ pages, refused }: Reading) => pages.left() === 0 && !pages.isLonger() && refused === undefined;
  const isWhole = (reading: Reading) => isRead(reading) && lackOf(reading) === undefined;
  const names = (some: readonly Reading[]) => some.map(({ channel }) => channel);
  const lacks = begun.map((reading) => reading.refused ?? (isRead(reading) ? lackOf(reading) : undefined));
  return {
    absent: names(readings.filter(({ isAbsent }) => isAbsent)),
    refused: readings.flatMap(({ channel, refused, pages }) =>
      refused !== undefined && pages.read() === 0 ? [`${channel} (${refused})`] : [],
    ),
    whole: names(begun.filter(isWhole)),
    cutShort: names(begun.filter((reading) => !isWhole(reading))),
    left: there.length - begun.length,
    problem: lacks.find((lack) => lack !== undefined) ?? reached(there).problem,
  };
}

/** What the API says of a page that it does not give. A channel that somebody named may not be there. */
function refuse({ list, page }: NextPage<Reading>, why: string, isNamed: boolean): void {
  const isMissing = why.startsWith('not_found' satisfies ErrorCode);
  if (isNamed && page === 1 && isMissing) list.isAbsent = true;
  // Some refuse a page beyond the last one.
  else if (page > 1 && (isMissing || why.startsWith('unprocessable' satisfies ErrorCode))) list.pages.refuse(page);
  else list.refused = page === 1 ? why : `page ${page} of the posts of ${list.channel}: ${why}`;
}

export interface ChannelsQuestion {
  readonly channels: readonly string[];
  readonly period: PostPeriod;
  /** Somebody named the channels: one that is not found is not there. Of one that the API lists it says nothing. */
  readonly isNamed: boolean;
}

/**
 * The posts of channels in a period, one request a page, as far as the terms allow: first a page of each, so that none is
 * silent because another is loud. `progress` hears the number of pages that have been read, and of those known to be there.
 */
export async function readChannels(
  api: Api,
  { channels, period, isNamed }: ChannelsQuestion,
  { left, progress }: BatchTerms,
): Promise<ChannelsRead> {
  const readings = channels.map(newReading);
  const isOpen = ({ isAbsent, refused }: Reading) => !isAbsent && refused === undefined;
  const next = () => nextRound(readings.filter(isOpen), readings.length, 1);
  let pages = 0;
  const step = {
    run: ({ list, page }: NextPage<Reading>) => readPage(api, list.channel, period, page),
    keep: ({ list, page }: NextPage<Reading>, answer: PostPage) => {
      pages += 1;
      addPage(list, page, answer);
    },
    refused: (one: NextPage<Reading>, why: string) => {
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
  return { posts, pages, stopped, unreadable, ...strayPosts(period, seen), ...summary(readings) };
}
