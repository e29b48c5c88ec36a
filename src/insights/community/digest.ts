import type { searchPosts } from '../../contract/community.ts';
import type { AnswerOf } from '../../contract/operation.ts';
import { caseless } from '../../shared/clean-text.ts';
import { minuteMs } from '../../shared/durations.ts';
import { groupBy } from '../../shared/group-by.ts';
import { isObject, type Json } from '../../shared/json.ts';
import { timeOf } from '../api-time.ts';

type Written = AnswerOf<typeof searchPosts>['items'][number];

/** The words between "OR": a post needs one of them. Undefined if there is no "OR", so that the API can search. */
export function alternativesIn(query: string | undefined): string[] | undefined {
  const words = (query ?? '').split(/\sOR\s/).map((one) => one.trim().replace(/^"(.*)"$/, '$1'));
  const present = words.filter((one) => one !== '');
  return present.length > 1 ? present : undefined;
}

/** Whether a post has one of the words, in the fields that the API searches. */
export function hasOneOf({ content, topic }: Written, words: readonly string[]): boolean {
  const text = caseless(`${content ?? ''}\n${topic?.title ?? ''}`);
  return words.some((word) => text.includes(caseless(word)));
}

export function isBy({ author }: Written, wanted: string): boolean {
  const own = caseless(wanted.trim());
  return caseless(author?.slug) === own || caseless(author?.name).includes(own);
}

const repliesKey = /^(comments?|repl(y|ies)|answers?)_?count$/i;

/** Whether a post, or its topic, shows a number of comments above 0 in a field that the document does not name. */
export function hasReplies(post: Json): boolean {
  const shows = (record: Json) =>
    Object.entries(record).some(([key, value]) => repliesKey.test(key) && Number(value) > 0);
  return shows(post) || (isObject(post.topic) && shows(post.topic));
}

const unseen = /draft|schedul|unpublish|pending|hidden|delet|remov|trash|spam|reject/i;
const seen = /^(is_)?(published|visible|approved)$/;
const isYes = (value: unknown) => !/^(|0|false|no|null|undefined)$/i.test(String(value));

/**
 * Whether members do not see a post: a draft, a deleted one, or one with a later time of publication. Smaller differences are of
 * clocks. The document names none of these fields but the time.
 */
export function isUnpublished(post: Json, now: number): boolean {
  const at = typeof post.published_at === 'string' ? timeOf(post.published_at) : undefined;
  if (at !== undefined && at > now + minuteMs) return true;
  return Object.entries(post).some(([key, value]) => {
    if (value === null || typeof value === 'object') return false;
    if (key === 'status' || key === 'state') return unseen.test(String(value));
    return seen.test(key) ? !isYes(value) : key !== 'content' && unseen.test(key) && isYes(value);
  });
}

export interface DigestPost {
  readonly channel: string;
  readonly topicId: number | undefined;
  readonly author: string | undefined;
  /** Milliseconds since 1970; undefined if the API sent no readable time. */
  readonly at: number | undefined;
}

function distinct(values: readonly (string | number | undefined)[]): number {
  return new Set(values.filter((value) => value !== undefined)).size;
}

/** Counts by channel, the most posts first. Channels without posts are left out. */
export function channelDigests(posts: readonly DigestPost[]) {
  const counted = [...groupBy(posts, ({ channel }) => channel)].map(([channel, own]) => ({
    channel,
    posts: own.length,
    topics: distinct(own.map(({ topicId }) => topicId)),
    authors: distinct(own.map(({ author }) => author)),
  }));
  return counted.sort((one, other) => other.posts - one.posts || (one.channel < other.channel ? -1 : 1));
}

const topicOf = ({ channel, topicId }: DigestPost) => `${channel} ${topicId}`;

/** Posts that are the only one of their topic in the period, newest first. An older post may still answer them. */
export function singlePostTopics<Post extends DigestPost>(posts: readonly Post[]): Post[] {
  const byTopic = groupBy(
    posts.filter(({ topicId }) => topicId !== undefined),
    topicOf,
  );
  return [...byTopic.values()].flatMap((own) => (own.length === 1 ? own : [])).sort(newestPostFirst);
}

/** Links, and what a post quotes: the question may be in the title of its topic. */
const others = /https?:\/\/\S+|“[^”]*”|„[^“”]*[“”]|«[^»]*»|"[^"\n]*"|^>.*$/gm;
const asking = /[?？؟]|\b(please(?! (do not|don.t|note)\b)|(can|could) (you|someone|anyone)|does anyone|help me)\b/iu;

/**
 * Topics other than those of the `single` posts, whose last post asks for something: by its words alone, a question mark
 * outside links and quotations or a phrase such as "could someone". Newest first. Nothing marks posts of the academy: any later post is a reply.
 */
export function lastPostAsks<Post extends DigestPost & { readonly record: Written }>(
  posts: readonly Post[],
  single: readonly Post[],
): Post[] {
  const seen = new Set(single.map(topicOf));
  return [...posts].sort(newestPostFirst).filter((post) => {
    if (post.topicId === undefined || post.at === undefined || seen.has(topicOf(post))) return false;
    seen.add(topicOf(post));
    return !hasReplies({ ...post.record }) && asking.test((post.record.content ?? '').replaceAll(others, ''));
  });
}

export function newestPostFirst(one: DigestPost, other: DigestPost): number {
  return (other.at ?? Number.NEGATIVE_INFINITY) - (one.at ?? Number.NEGATIVE_INFINITY);
}
