import { expect, test } from 'vitest';
import { type Academy, at, type Row, row, rows, startAcademy, the, under, whole, words } from '../support/academy.ts';
import { authorShape, differences, postChannelShape, postMetaShape, postShape, topicShape } from '../support/shapes.ts';

test('a post search returns channel, posts and meta with their fields', async () => {
  const { academy, channel, path } = await busiestChannel();
  const body = await academy.read(path);
  expect(Object.keys(body).sort()).toEqual(['channel', 'meta', 'posts']);
  expect(differences(row(body.channel), postChannelShape)).toEqual([]);
  expect(body.channel).toMatchObject({ id: channel.id, slug: channel.slug });
  expect(differences(row(body.meta), postMetaShape)).toEqual([]);
  for (const post of rows(body.posts)) {
    expect(differences(post, postShape)).toEqual([]);
    expect(differences(row(post.topic), topicShape)).toEqual([]);
    expect(differences(row(post.author), authorShape)).toEqual([]);
  }
});

test('posts are listed newest first, 25 per page, without overlap or gap', async () => {
  const { academy, path } = await busiestChannel();
  const { meta } = await academy.read(path);
  expect(meta).toMatchObject({ current_page: 1, per_page: 25 });
  const total = whole(row(meta).total_posts);
  expect(row(meta).total_pages).toBe(Math.max(1, Math.ceil(total / 25)));
  const all = await everyPost(academy, path, 5);
  expect(new Set(all.map(({ id }) => id)).size).toBe(total);
  const times = all.map(({ created_at }) => Date.parse(words(created_at)));
  expect(times).toEqual([...times].sort((one, other) => other - one));
});

test('a page size of 1 to 100 is accepted, and a page after the last is empty', async () => {
  const { academy, path } = await busiestChannel();
  const first = await academy.read(`${path}?per_page=1`);
  expect(rows(first.posts)).toHaveLength(1);
  expect(first.meta).toMatchObject({ per_page: 1, current_page: 1, total_pages: row(first.meta).total_posts });
  expect((await academy.read(`${path}?per_page=100`)).meta).toMatchObject({ per_page: 100 });
  expect((await academy.read(`${path}?page=9999`)).posts).toEqual([]);
});

test('a post query of 200 characters is accepted', async () => {
  const { academy, path } = await busiestChannel();
  expect((await academy.read(`${path}?query=${'a'.repeat(200)}`)).posts).toEqual([]);
});

test('the query searches the content of posts and the titles of topics', async () => {
  const { academy, path } = await busiestChannel();
  const all = await everyPost(academy, path, 100);
  const post = at(all, 0);
  const byContent = await everyPost(academy, path, 100, words(post.content).slice(0, 60));
  expect(byContent).toContainEqual(post);
  const title = words(row(post.topic).title);
  const byTopic = await everyPost(academy, path, 100, title);
  const wanted = all.filter(({ topic }) => row(topic).title === title);
  expect(byTopic).toEqual(expect.arrayContaining(wanted));
  const holds = ({ content, topic }: Row) => `${content} ${row(topic).title}`.toLowerCase();
  for (const found of byTopic) expect(holds(found)).toContain(title.toLowerCase());
});

test('posts of public channels have an absolute share_url, posts of private ones none', async () => {
  const academy = await startAcademy();
  const seen = new Set<unknown>();
  for (const { id } of await academy.list('/api/v1/community/channels?limit=50')) {
    const { is_private } = under(await academy.read(`/api/v1/community/channels/${id}`), 'channel');
    const posts = await academy.list(`/api/v1/community/channels/${id}/posts`);
    if (posts.length > 0) seen.add(is_private);
    for (const { share_url } of posts) {
      if (is_private) expect(share_url ?? null).toBeNull();
      else expect(new URL(words(share_url)).protocol).toMatch(/^https?:$/);
    }
  }
  expect(seen).toEqual(new Set([true, false]));
});

test('the slug of a channel finds the same posts as its id', async () => {
  const { academy, channel, path } = await busiestChannel();
  expect(await academy.read(`/api/v1/community/channels/${channel.slug}/posts`)).toEqual(await academy.read(path));
});

async function busiestChannel(): Promise<{ academy: Academy; channel: Row; path: string }> {
  const academy = await startAcademy();
  const channels = await academy.list('/api/v1/community/channels?limit=50');
  const counted = await Promise.all(
    channels.map(async (channel) => ({ channel, posts: await count(academy, channel) })),
  );
  const most = Math.max(...counted.map(({ posts }) => posts));
  expect(most).toBeGreaterThan(5);
  const { channel } = the(counted, 'channel with posts', ({ posts }) => posts === most);
  return { academy, channel, path: `/api/v1/community/channels/${channel.id}/posts` };
}

const count = async (academy: Academy, { id }: Row): Promise<number> =>
  whole(row((await academy.read(`/api/v1/community/channels/${id}/posts`)).meta).total_posts);

async function everyPost(academy: Academy, path: string, size: number, text = ''): Promise<Row[]> {
  const posts: Row[] = [];
  for (let page = 1; ; page += 1) {
    const query = new URLSearchParams({
      page: `${page}`,
      per_page: `${size}`,
      ...(text === '' ? {} : { query: text }),
    });
    const body = await academy.read(`${path}?${query}`);
    posts.push(...rows(body.posts));
    if (page >= whole(row(body.meta).total_pages)) return posts;
  }
}
