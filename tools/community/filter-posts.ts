import type { searchPosts } from '../../src/contract/community.ts';
import type { ParsedResponse } from '../../src/contract/schemas/response.ts';
import { timeOf } from '../../src/insights/api-time.ts';
import type { UnreadableKind } from '../../src/insights/unreadable.ts';
import { postOf } from '../../src/workflows/community/post-pages.ts';

type Post = ParsedResponse<(typeof searchPosts)['response']>['items'][number];

interface Asked {
  readonly topic_id?: number | undefined;
  readonly created_after?: string | undefined;
  readonly created_before?: string | undefined;
}

const factsOf = (post: Post) => {
  const { topicId, at } = postOf('', post);
  return { topicId, at };
};

/** The filters that a post does not meet. What it does not show of itself is believed. */
function missedBy(post: Post, { topic_id, created_after, created_before }: Asked): string[] {
  const { topicId, at } = factsOf(post);
  const [from, to] = [timeOf(created_after), timeOf(created_before)];
  return [
    ...(topic_id !== undefined && topicId !== undefined && topicId !== topic_id ? ['topic_id'] : []),
    ...(from !== undefined && at !== undefined && at < from ? ['created_after'] : []),
    ...(to !== undefined && at !== undefined && at > to ? ['created_before'] : []),
  ];
}

/** The posts that were asked for; the API may take a filter otherwise, or no notice of it. */
export function keptPosts(posts: readonly Post[], asked: Asked) {
  const missed = posts.map((post) => missedBy(post, asked));
  const kept = posts.filter((_post, index) => missed[index]?.length === 0);
  const ignored = [...new Set(missed.flat())];
  const facts = ignored.length === 0 ? {} : { discarded: posts.length - kept.length, ignored_filters: ignored };
  // Posts beyond one bound show that the API reads times otherwise: posts within the other may be missing.
  const isShifted = ignored.some((name) => name.startsWith('created_'));
  const problem = isShifted
    ? 'the API takes the bounds of time otherwise: posts close to them may be missing'
    : undefined;
  return { kept, facts, problem };
}

export function datesIn(posts: readonly Post[]): UnreadableKind[] {
  return posts.flatMap((post) => (factsOf(post).at === undefined ? (['dates'] as const) : []));
}
