import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  channelDigests,
  type DigestPost,
  newestPostFirst,
  singlePostTopics,
} from '../../../src/insights/community/digest.ts';

const anyPost: fc.Arbitrary<DigestPost> = fc.record({
  channel: fc.constantFrom('news', 'help', '7'),
  topicId: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
  author: fc.option(fc.constantFrom('ana', 'ben'), { nil: undefined }),
  at: fc.option(fc.integer({ min: 0, max: 5 }), { nil: undefined }),
});
const somePosts = fc.array(anyPost, { maxLength: 12 });

test('each post counts in its channel, and authors and topics once each there', () => {
  fc.assert(
    fc.property(somePosts, (posts) => {
      const digests = channelDigests(posts);
      expect(digests.map(({ channel }) => channel).sort()).toEqual([...new Set(posts.map((p) => p.channel))].sort());
      for (const { channel, ...counts } of digests) {
        const own = posts.filter((post) => post.channel === channel);
        const authors = ['ana', 'ben'].filter((name) => own.some(({ author }) => author === name)).length;
        const topics = [1, 2, 3, 4].filter((id) => own.some(({ topicId }) => topicId === id)).length;
        expect(counts).toEqual({ posts: own.length, authors, topics });
      }
    }),
  );
});

test('the channel with the most posts is first, and ties are ordered by name', () => {
  const post = (channel: string): DigestPost => ({ channel, topicId: 1, author: 'ana', at: 1 });
  const digests = channelDigests(['quiet', 'loud', 'also', 'loud'].map(post));
  expect(digests.map(({ channel }) => channel)).toEqual(['loud', 'also', 'quiet']);
});

test('a post is alone if no other post of its channel has its topic; a post without a topic is not alone', () => {
  fc.assert(
    fc.property(somePosts, (posts) => {
      const expected = posts.filter(
        ({ channel, topicId }) =>
          topicId !== undefined &&
          posts.filter((other) => other.channel === channel && other.topicId === topicId).length === 1,
      );
      expect(new Set(singlePostTopics(posts))).toEqual(new Set(expected));
    }),
  );
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
