import { expect, test } from 'vitest';
import { at, between, type Row, row, rows, words } from '../support/academy.ts';
import { connectToApi, startAcademy } from '../support/connect.ts';
import { expectApiRefusal } from '../support/refusal.ts';
import { asShown, ids, truth, truths } from '../support/truth.ts';
import { withWholeRows } from '../support/whole-rows.ts';

test('get_channel shows everything of a channel, by id and by slug', async () => {
  const { sandbox, call } = await startAcademy();
  const channels = await truths(sandbox, '/api/v1/community/channels', 'channels');
  for (const { id, slug } of channels) {
    const channel = await truth(sandbox, `/api/v1/community/channels/${id}`);
    for (const id_or_slug of [id, slug]) {
      const { structured } = await call('get_channel', { id_or_slug });
      expect(structured).toEqual(asShown(channel, 'description'));
    }
  }
});

test('get_channel accepts other names and shapes than the assumed ones', async () => {
  const channel = {
    id: 3,
    name: 'Help',
    group_name: 'Courses',
    topics_count: 4,
    attached_offers: [{ id: 1, kind: 'x' }],
  };
  const { call } = await connectToApi({ body: { channel } });
  const { structured, text } = await call('get_channel', { id_or_slug: '3' });
  expect(structured).toEqual(channel);
  expect(text).toContain('group_name: Courses');
});

test('create_channel adds a channel and answers its id', async () => {
  const { sandbox, call } = await startAcademy();
  const given = { name: 'Study hall', description: 'Quiet work', group_id: 1, locked: true };
  const { structured } = await call('create_channel', given);
  const channel = row(structured?.channel);
  expect(structured?.outcome).toBe('applied');
  const stored = await truth(sandbox, `/api/v1/community/channels/${channel.id}`);
  expect(stored).toMatchObject({ name: 'Study hall', description: 'Quiet work', locked: true, group: { id: 1 } });
  expect(channel).toEqual(asShown(stored, 'description'));
});

test('create_channel in a group that is not there is refused, and nothing is added', async () => {
  const { sandbox, call } = await startAcademy();
  const before = sandbox.academy.community.channels.size;
  const answer = await call('create_channel', { name: 'Study hall', group_id: 99 });
  expect(expectApiRefusal(answer, 'unprocessable', 422)).toContain('group_id');
  expect(sandbox.academy.community.channels.size).toBe(before);
});

test('update_channel changes what it is given and nothing else', async () => {
  const { sandbox, call } = await startAcademy();
  const before = await truth(sandbox, '/api/v1/community/channels/3');
  const { structured } = await call('update_channel', { id_or_slug: words(before.slug), locked: true });
  expect(structured).toMatchObject({ outcome: 'applied', changed: ['locked'], channel: { id: 3, locked: true } });
  expect(await truth(sandbox, '/api/v1/community/channels/3')).toEqual({ ...before, locked: true });
});

const dayOf = (written: unknown) => String(written).slice(0, 10);

const old = `Ignore${' all'.repeat(80)}`;

test.for([
  ['update_channel', { id_or_slug: 2, name: 'New' }, { channel: { id: 2, name: old } }, 'name'],
  [
    'update_product',
    { product_type: 'course', id_or_slug: 2, title: 'New' },
    { product: { id: 2, type: 'course', title: old, attributes: { title: old } } },
    'title',
  ],
] as const)('%s shows an old name of more than 200 characters in the fence', async ([tool, args, body, field]) => {
  const { call } = await connectToApi({ body });
  const { structured, text } = await call(tool, { ...args });
  expect(row(structured?.before)).toEqual({ academy_text: { [field]: old } });
  expect(text.indexOf('<academy-text-')).toBeLessThan(text.indexOf(old));
  expect(text.split(old)).toHaveLength(2);
});

test('search_posts shows author, topic and text of each post, the text fenced', async () => {
  const { sandbox, call } = await startAcademy();
  const { channel, posts, meta } = await truth(sandbox, '/api/v1/community/channels/3/posts?per_page=5');
  const { structured } = await call('search_posts', { id_or_slug: 3, per_page: 5, links: true });
  const { total_pages, total_posts } = row(meta);
  expect(structured).toMatchObject({ channel, page: 1, total_pages, total: total_posts, next_page: 2 });
  for (const [index, post] of rows(posts).entries()) {
    const shown = at(rows(structured?.posts), index);
    const { id, content, created_at, share_url } = post;
    const topic = { topic_id: row(post.topic).id, topic: row(post.topic).title };
    const author = { author: row(post.author).name, author_slug: row(post.author).slug };
    expect(shown).toMatchObject(
      asShown({ id, created_at: dayOf(created_at), share_url: share_url ?? null, ...topic, ...author }),
    );
    expect(row(shown.untrusted).content).toBe(words(content).trim());
    for (const time of ['updated_at', 'published_at']) {
      expect(shown[time]).toBe(post[time] === created_at || post[time] === null ? undefined : dayOf(post[time]));
    }
  }
});

test('search_posts shows addresses and slugs only with links, in one channel and in all', async () => {
  const { call } = await startAcademy();
  for (const question of [{ id_or_slug: 3 }, {}]) {
    const links = /share_url|author_slug|topic_path/;
    const plain = await call('search_posts', { ...question, per_page: 5 });
    expect(plain.isError, plain.text).toBe(false);
    for (const form of [plain.text, JSON.stringify(plain.structured)]) expect(form).not.toMatch(links);
    const whole = await call('search_posts', { ...question, per_page: 5, links: true });
    for (const form of [whole.text, JSON.stringify(whole.structured)]) expect(form).toMatch(links);
  }
});

test('search_posts filters by topic, words and time', async () => {
  const { sandbox, call } = await startAcademy();
  const posts = await truths(sandbox, '/api/v1/community/channels/3/posts?per_page=100', 'posts');
  const topic = row(at(posts, 0).topic);
  const inTopic = posts.filter((post) => row(post.topic).id === topic.id);
  const byTopic = await call('search_posts', { id_or_slug: 3, topic_id: topic.id, per_page: 100 });
  expect(ids(rows(byTopic.structured?.posts))).toEqual(ids(inTopic));
  const middle = between(posts.map(({ created_at }) => words(created_at)));
  const later = await call('search_posts', { id_or_slug: 3, created_after: middle, per_page: 100 });
  const expected = posts.filter(({ created_at }) => Date.parse(words(created_at)) > Date.parse(middle));
  expect(ids(rows(later.structured?.posts))).toEqual(ids(expected));
  const byWords = await call('search_posts', { id_or_slug: 3, query: 'no such words' });
  expect(byWords.structured).toMatchObject({ page: 1, total: 0 });
  expect(byWords.structured?.posts).toBeUndefined();
});

test('search_posts without a channel searches all of them, newest first, by words, topic and time', async () => {
  const { sandbox, call } = await startAcademy();
  const channels = await truths(sandbox, '/api/v1/community/channels?limit=50', 'channels');
  const postsOf = async ({ id }: Row) =>
    await truths(sandbox, `/api/v1/community/channels/${id}/posts?per_page=100`, 'posts');
  const all = (await Promise.all(channels.map(postsOf))).flat();
  const newest = [...all].sort(
    (one, other) => Date.parse(String(other.created_at)) - Date.parse(String(one.created_at)),
  );
  const first = await call('search_posts', { per_page: 30 });
  const second = await call('search_posts', { per_page: 30, page: first.structured?.next_page });
  expect(first.structured).toMatchObject({
    total: all.length,
    coverage: { complete: true, channels: channels.length },
  });
  const shown = [first, second].flatMap(({ structured }) => rows(withWholeRows(structured).posts));
  expect(shown.map(({ created_at }) => created_at)).toEqual(
    newest.slice(0, 60).map(({ created_at }) => dayOf(created_at)),
  );
  expect(shown.every(({ channel }) => typeof channel === 'string')).toBe(true);
  expect(first.text).toContain(`${all.length} posts in `);
  const word =
    String(at(newest, 0).content)
      .split(/\W+/)
      .sort((one, other) => other.length - one.length)[0] ?? '';
  const found = await call('search_posts', { query: word, per_page: 100 });
  const hits = rows(found.structured?.posts).map(({ id }) => id);
  expect(hits).toContain(at(newest, 0).id);
  expect(hits.length).toBeLessThan(all.length);
  const cut = await call('search_posts', { max_requests: 2 });
  expect(cut.structured).toMatchObject({ coverage: { complete: false, requests_spent: 2 } });
  expect(cut.text).toMatch(
    /^Incomplete \(\d+ channels not read; max_requests is used up: call again or use a shorter time, or raise it\): at least \d+ posts? in /,
  );
});

test('search_posts selects by one of several words and by author, in one channel and in all', async () => {
  const { sandbox, call } = await startAcademy();
  const channels = await truths(sandbox, '/api/v1/community/channels?limit=50', 'channels');
  for (const place of [{ id_or_slug: String(at(channels, 2).slug) }, {}]) {
    const own = 'id_or_slug' in place ? [at(channels, 2)] : channels;
    const lists = own.map(({ id }) => truths(sandbox, `/api/v1/community/channels/${id}/posts?per_page=100`, 'posts'));
    const all = (await Promise.all(lists)).flat();
    const expectPosts = async (asked: Row, isWanted: (post: Row) => boolean) => {
      const { structured, text, isError } = await call('search_posts', { ...place, ...asked, per_page: 10 });
      const wanted = all.filter(isWanted);
      expect(isError, text).toBe(false);
      expect(wanted.length).toBeGreaterThan(0);
      expect(structured?.total).toBe(wanted.length);
      const shown = ids(rows(structured?.posts));
      expect(shown).toHaveLength(Math.min(10, wanted.length));
      expect(ids(wanted)).toEqual(expect.arrayContaining(shown));
    };
    const has = ({ content, topic }: Row, word: string) =>
      `${content}\n${row(topic).title}`.toLowerCase().includes(word);
    await expectPosts({ query: 'lesson OR "thank you"' }, (post) => has(post, 'lesson') || has(post, 'thank you'));
    const { slug, name } = row(at(all, 0).author);
    await expectPosts({ author: slug }, ({ author }) => row(author).slug === slug);
    const part = (String(name).split(' ')[0] ?? '').toLowerCase();
    await expectPosts({ author: part }, ({ author }) => String(row(author).name).toLowerCase().includes(part));
  }
  const nobody = await call('search_posts', { author: 'nobody@example.com' });
  expect(nobody.structured?.note).toContain('a post shows the name and slug of its author, no email');
});

test('search_posts without a post says what was asked and why it is empty, of one channel and of all', async () => {
  const { call } = await startAcademy();
  for (const place of [{ id_or_slug: 3 }, {}]) {
    const noteOf = async (asked: Row) => {
      const { structured = {}, text } = await call('search_posts', { ...place, ...asked });
      expect(structured.posts).toBeUndefined();
      expect(text).toContain(words(structured.note));
      return words(structured.note);
    };
    expect(await noteOf({ created_after: '2199-01-01' })).toBe('created_after 2199-01-01 is in the future');
    const turned = { created_after: '2026-02-01', created_before: '2026-01-01' };
    expect(await noteOf(turned)).toBe('created_before is not after created_after');
    expect(await noteOf({ query: 'no such words' })).toMatch(
      /^(channel 3|no channel) has .*post that fits query=no such words; query does not search authors: use author$/,
    );
    expect(await noteOf({ page: 90 })).toMatch(/^page 90 .*beyond the last/);
  }
});
