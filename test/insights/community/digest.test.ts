import { expect, test } from 'vitest';
import {
  channelDigests,
  type DigestPost,
  newestPostFirst,
  singlePostTopics,
} from '../../../src/insights/community/digest.ts';

test('the channel with the most posts is first, and ties are ordered by name', () => {
  const post = (channel: string): DigestPost => ({ channel, topicId: 1, author: 'ana', at: 1 });
  const digests = channelDigests(['quiet', 'loud', 'also', 'loud'].map(post));
  expect(digests.map(({ channel }) => channel)).toEqual(['loud', 'also', 'quiet']);
});

test('the newest post is first, and posts without a time are last', () => {
  const posts = [undefined, 3, 9, undefined, 5].map((at, index) => ({
    channel: `${index}`,
    topicId: index,
    author: 'ana',
    at,
  }));
  const times = (list: readonly DigestPost[]) => list.map(({ at }) => at);
  expect(times([...posts].sort(newestPostFirst))).toEqual([9, 5, 3, undefined, undefined]);
  expect(times(singlePostTopics(posts))).toEqual([9, 5, 3, undefined, undefined]);
});

test('a topic of very many posts is read through once', () => {
  const post = (at: number): DigestPost => ({ channel: 'news', topicId: 1, author: 'ana', at });
  const posts = Array.from({ length: 200_000 }, (_, at) => post(at));
  // With a copy of the topic for each of its posts this would take minutes.
  expect(singlePostTopics([...posts, { ...post(1), topicId: 2 }])).toHaveLength(1);
});
