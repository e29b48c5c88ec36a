/** A post as far as a digest counts it. */
export interface DigestPost {
  readonly channel: string;
  readonly topicId: number | undefined;
  readonly author: string | undefined;
  /** Milliseconds since 1970; undefined where the API told no time. */
  readonly at: number | undefined;
}

export interface ChannelDigest {
  /** Slug, or id where it has none. */
  readonly channel: string;
  readonly posts: number;
  readonly topics: number;
  readonly authors: number;
}

function distinct(values: readonly (string | number | undefined)[]): number {
  return new Set(values.filter((value) => value !== undefined)).size;
}

/** Counts by channel, the liveliest first; quiet channels are not there. */
export function channelDigests(posts: readonly DigestPost[]): ChannelDigest[] {
  const channels = [...new Set(posts.map(({ channel }) => channel))];
  const counted = channels.map((channel) => {
    const own = posts.filter((post) => post.channel === channel);
    return {
      channel,
      posts: own.length,
      topics: distinct(own.map(({ topicId }) => topicId)),
      authors: distinct(own.map(({ author }) => author)),
    };
  });
  return counted.sort((one, other) => other.posts - one.posts || (one.channel < other.channel ? -1 : 1));
}

/**
 * Posts that stand alone in their topic within the period, newest first: only these topics can be unanswered, and whether
 * they are, an older post of the topic may contradict.
 */
export function alonePosts<Post extends DigestPost>(posts: readonly Post[]): Post[] {
  const byTopic = new Map<string, Post[]>();
  for (const post of posts) {
    if (post.topicId === undefined) continue;
    const key = `${post.channel} ${post.topicId}`;
    const own = byTopic.get(key);
    if (own === undefined) byTopic.set(key, [post]);
    else own.push(post);
  }
  return [...byTopic.values()].flatMap((own) => (own.length === 1 ? own : [])).sort(newestPostFirst);
}

export function newestPostFirst(one: DigestPost, other: DigestPost): number {
  return (other.at ?? Number.NEGATIVE_INFINITY) - (one.at ?? Number.NEGATIVE_INFINITY);
}
