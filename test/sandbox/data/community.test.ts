import { expect, test } from 'vitest';
import { handlers } from '../../../src/sandbox/handlers/index.ts';
import type { Academy } from '../../../src/sandbox/state/academy.ts';
import { makeAcademy, rejection, required } from './make-academy.ts';

const posts = handlers['community.searchPosts'];
const channel = (academy: Academy, id_or_slug: string) => handlers['community.getChannel']({ id_or_slug }, academy);

test('channels are found by name or slug, 25 by default', () => {
  const academy = makeAcademy();
  const find = (query: string) => handlers['community.searchChannels']({ query }, academy).channels.map(({ id }) => id);
  expect(find('PHOTO')).toEqual([6]);
  expect(find('cafe-criativo')).toEqual([8]);
  for (let count = 0; count < 30; count += 1) handlers['community.createChannel']({ name: 'Extra' }, academy);
  expect(handlers['community.searchChannels']({}, academy).channels).toHaveLength(25);
  expect(handlers['community.searchChannels']({ limit: 3 }, academy).channels).toHaveLength(3);
});

test('a channel with a paid offer is private, and public once the offer is free', () => {
  const academy = makeAcademy();
  expect(channel(academy, 'data-path-cohort')).toMatchObject({
    is_private: true,
    offers: [{ id: 1, title: 'Data Path' }],
  });
  expect(channel(academy, 'cafe-criativo')).toMatchObject({ is_private: false, offers: [{ id: 10 }] });
  expect(channel(academy, 'introductions')).toMatchObject({ is_private: false, offers: [] });
  handlers['products.updateProduct']({ product_type: 'bundle', id_or_slug: '1', price: '0' }, academy);
  expect(channel(academy, 'data-path-cohort')).toMatchObject({ is_private: false });
});

test('a channel shows at most ten offers, its group, and its topic count', () => {
  const academy = makeAcademy();
  const lounge = channel(academy, '10');
  expect(lounge).toMatchObject({ group: { id: 4, name: 'Members only' }, topic_count: 3, locked: false });
  expect(lounge).toHaveProperty('offers.length', 10);
  expect(required(academy.community.channels.get(10)).offer_ids).toHaveLength(12);
  expect(channel(academy, 'announcements')).toMatchObject({ locked: true });
  expect(channel(academy, 'archive-2024')).toMatchObject({ group: null });
});

test('a new channel gets a unique slug', () => {
  const academy = makeAcademy();
  const create = (name: string) => handlers['community.createChannel']({ name, group_id: 1 }, academy);
  expect(create('Photo Critique')).toMatchObject({ channel: { slug: 'photo-critique-2', is_private: false } });
  expect(create('Photo Critique')).toMatchObject({ channel: { slug: 'photo-critique-3', locked: false } });
  expect(create('Ça va ? 写真')).toMatchObject({ channel: { slug: 'ca-va-写真' } });
  expect(create('!!!')).toMatchObject({ channel: { slug: 'channel', group: { id: 1, name: 'Welcome' } } });
  expect(posts({ id_or_slug: 'photo-critique-2' }, academy)).toMatchObject({ posts: [], meta: { total_posts: 0 } });
});

test('an update changes the given fields and keeps the slug', () => {
  const academy = makeAcademy();
  const id_or_slug = 'small-talk';
  const body = handlers['community.updateChannel'](
    { id_or_slug, name: 'Big Talk', locked: true, group_id: 2 },
    academy,
  );
  expect(body).toMatchObject({ channel: { name: 'Big Talk', slug: id_or_slug, locked: true, group: { id: 2 } } });
  expect(body).toHaveProperty('channel.description', null);
});

test('an unknown group is 422, an unknown channel 404', () => {
  const academy = makeAcademy();
  const create = () => handlers['community.createChannel']({ name: 'New', group_id: 99 }, academy);
  const update = () => handlers['community.updateChannel']({ id_or_slug: '1', name: 'New', group_id: 99 }, academy);
  for (const work of [create, update]) {
    expect(rejection(work)).toMatchObject({ status: 422, code: 'invalid_parameter' });
  }
  expect(academy.community.channels.get(1)?.name).toBe('Announcements');
  expect(rejection(() => channel(academy, 'nowhere'))).toMatchObject({ status: 404 });
  expect(rejection(() => posts({ id_or_slug: '99' }, academy))).toMatchObject({ status: 404 });
});

test('groups are sorted by position, each with its channel count', () => {
  const academy = makeAcademy();
  const { groups } = handlers['community.listCommunityGroups']({}, academy);
  expect(groups.map(({ position }) => position)).toEqual([0, 1, 2, 3, 4]);
  expect(groups.map(({ id }) => id)).toEqual([4, 5, 1, 2, 3]);
  handlers['community.createChannel']({ name: 'New', group_id: 5 }, academy);
  const after = handlers['community.listCommunityGroups']({}, academy).groups;
  expect(after.find(({ id }) => id === 5)?.channel_count).toBe((groups[1]?.channel_count ?? 0) + 1);
});

test('at most a hundred groups are listed', () => {
  const academy = makeAcademy();
  for (let id = 10; id < 120; id += 1) academy.community.groups.add({ id, name: `Group ${id}`, position: id });
  expect(handlers['community.listCommunityGroups']({}, academy).groups).toHaveLength(100);
});

test('posts are listed newest first, 25 per page by default', () => {
  const academy = makeAcademy();
  const first = posts({ id_or_slug: 'spreadsheet-help' }, academy);
  const total = first.meta.total_posts;
  expect(first.meta).toEqual({ current_page: 1, per_page: 25, total_pages: Math.ceil(total / 25), total_posts: total });
  expect(first.channel).toEqual({ id: 3, name: 'Spreadsheet Help', slug: 'spreadsheet-help' });
  const all = [1, 2, 3, 4, 5, 6, 7].flatMap((page) => posts({ id_or_slug: '3', page }, academy).posts);
  expect(all).toHaveLength(total);
  const times = all.map(({ created_at }) => created_at);
  expect(times).toEqual([...times].sort().reverse());
});

test('posts are found by words of the post or its topic title, by topic and by time', () => {
  const academy = makeAcademy();
  const find = (filter: object) => posts({ id_or_slug: '3', per_page: 100, ...filter }, academy);
  const all = find({}).posts;
  const inTopic = find({ query: 'LOOKUPS' }).posts;
  expect(inTopic).toEqual(
    all.filter(({ content, topic }) => `${content} ${topic.title}`.toLowerCase().includes('lookups')),
  );
  expect(inTopic.length).toBeGreaterThan(0);
  const topic_id = required(all[0]).topic.id;
  expect(find({ topic_id }).posts).toEqual(all.filter(({ topic }) => topic.id === topic_id));
  const bound = required(all[10]).created_at;
  expect(find({ created_after: bound }).posts).toEqual(all.filter(({ created_at }) => created_at >= bound));
  expect(find({ created_before: bound }).posts).toEqual(all.filter(({ created_at }) => created_at < bound));
  expect(find({ topic_id: 999_999 }).posts).toEqual([]);
});

test('only posts of public channels have share_url, and only if post pages are on', () => {
  const academy = makeAcademy();
  const urls = (id_or_slug: string) => posts({ id_or_slug }, academy).posts.map(({ share_url }) => share_url);
  for (const url of urls('introductions')) expect(url).toMatch(/^https:\/\/harbour\.example\.com\/community\//);
  expect(urls('data-path-cohort').every((url) => url === undefined)).toBe(true);
  Object.assign(academy.community, { publicPostPages: false });
  expect(urls('introductions').every((url) => url === undefined)).toBe(true);
});
