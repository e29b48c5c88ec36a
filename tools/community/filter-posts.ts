import type { searchPosts } from '../../src/contract/community.ts';
import type { ParsedResponse } from '../../src/contract/schemas/response.ts';
import { timeOf } from '../../src/insights/api-time.ts';
import type { UnreadableKind } from '../../src/insights/unreadable.ts';
import { postOf } from '../../src/workflows/community/post-pages.ts';

type Post = ParsedResponse<(typeof searchPosts)['response']>['items'][number];

interface PostFilters {
  readonly topic_id?: number | undefined;
  readonly created_after?: string | undefined;
  readonly created_before?: string | undefined;
}

const factsOf = (post: Post) => {
  const { topicId, at } = postOf('', post);
  return { topicId, at };
};

/** The filters that a post fails. A value that the post does not have passes. */
function failedFilters(post: Post, { topic_id, created_after, created_before }: PostFilters): string[] {
  const { topicId, at } = factsOf(post);
  const [from, to] = [timeOf(created_after), timeOf(created_before)];
  return [
    ...(topic_id !== undefined && topicId !== undefined && topicId !== topic_id ? ['topic_id'] : []),
    ...(from !== undefined && at !== undefined && at < from ? ['created_after'] : []),
    ...(to !== undefined && at !== undefined && at > to ? ['created_before'] : []),
  ];
}

/** Applies the filters again: the API may ignore one or read it differently. */
export function filterPosts(posts: readonly Post[], filters: PostFilters) {
  const failed = posts.map((post) => failedFilters(post, filters));
  const kept = posts.filter((_post, index) => failed[index]?.length === 0);
  const ignored = [...new Set(failed.flat())];
  const facts = ignored.length === 0 ? {} : { discarded: posts.length - kept.length, ignored_filters: ignored };
  // A post outside one bound shows that the API reads times differently, so posts near the other may be missing.
  const isShifted = ignored.some((name) => name.startsWith('created_'));
  const problem = isShifted ? 'the API reads the time bounds differently: posts near them may be missing' : undefined;
  return { kept, facts, problem };
}

/** One entry for each post without a readable date. */
export function unreadableDates(posts: readonly Post[]): UnreadableKind[] {
  return posts.flatMap((post) => (factsOf(post).at === undefined ? (['dates'] as const) : []));
}
