import { expect, test } from 'vitest';
import { type Row, row, rows } from '../../support/academy.ts';
import { addPost, altering, daysAgo } from '../../support/arrange.ts';
import { connectToApi, startAcademy } from '../../support/connect.ts';
import { startGuarded } from '../../support/guarded.ts';
import type { Recorded, Reply } from '../../support/recorder.ts';
import { expectRefusal } from '../../support/refusal.ts';
import { rawPosts, without } from '../../support/truth.ts';

const hour = 3_600_000;

function postOf(id: number, more: Row = {}): Row {
  const topic = { id: 1_000 + id, title: `Topic ${id}`, slug: `topic-${id}`, path: `/topic-${id}` };
  const created_at = new Date(Date.now() - id * hour).toISOString();
  return { id, content: 'Words', created_at, topic, author: { name: 'Ina', slug: 'ina' }, ...more };
}

const newest = (count: number) => Array.from({ length: count }, (_, index) => postOf(index + 1));

const argument = ({ query }: Recorded, name: string) => query.find(([key]) => key === name)?.[1];
const numberOf = (request: Recorded, name: string) => Number(argument(request, name) ?? 1);

/** Cuts out the page that was asked for, of at most so many posts. */
function pageOf(posts: readonly Row[], request: Recorded, most = 100): Row[] {
  const size = Math.min(most, numberOf(request, 'per_page'));
  const start = (numberOf(request, 'page') - 1) * size;
  return posts.slice(start, start + size);
}

/** An academy whose channels answer their posts as the test says; a question for one topic gets its posts. */
async function startChannels(channels: readonly string[], answer: (request: Recorded, channel: string) => Reply) {
  return await connectToApi((request) => {
    const channel = /channels\/([^/]+)\/posts$/.exec(request.path)?.[1];
    if (channel === undefined) return { body: { channels: channels.map((slug, id) => ({ id, name: slug, slug })) } };
    return answer(request, channel);
  });
}

/** All of these on one page. */
const whole = (posts: readonly unknown[]): Reply => ({
  body: { posts, meta: { total_posts: posts.length, total_pages: 1 } },
});

const alone = (request: Recorded) => whole([postOf(numberOf(request, 'topic_id') - 1_000)]);
const isTopic = (request: Recorded) => argument(request, 'topic_id') !== undefined;
const digest = { period: 'all_time', max_requests: 500 };

/** A digest of a channel that answers so; a question for one topic gets its posts. */
async function digestOf(answer: (request: Recorded) => Reply, asked: Row = digest) {
  const answerAll = (request: Recorded) => (isTopic(request) ? alone(request) : answer(request));
  const { call, requests } = await startChannels(['general'], answerAll);
  const { structured = {}, text } = await call('community_digest', asked);
  return { structured, text, totals: row(structured.totals), coverage: row(structured.coverage), requests };
}

test('pages with fewer posts than requested are read until the total is reached', async () => {
  const posts = newest(60);
  const meta = { total_posts: 60, total_pages: 1, current_page: 1, per_page: 100 };
  const { totals, coverage } = await digestOf((request) => ({ body: { posts: pageOf(posts, request, 25), meta } }));
  expect(totals).toMatchObject({ posts: 60, unanswered: 60 });
  expect(coverage.complete).toBe(true);
});

test.each([
  ['no number of pages', {}],
  ['one page', { meta: { total_pages: 1 } }],
])(
  'without a total, with %s, a channel ends at an empty page, however short the page before it',
  async (_name, meta) => {
    const posts = newest(60);
    const { totals, coverage } = await digestOf((request) => ({
      body: { posts: pageOf(posts, request, 25), ...meta },
    }));
    expect([totals.posts, coverage.complete]).toEqual([60, true]);
  },
);

/** A channel of 150 posts, of which the test says what became of them before the second page. */
function changing(change: (posts: readonly Row[]) => readonly Row[]): (request: Recorded) => Reply {
  const before = newest(150);
  return (request) => {
    const posts = numberOf(request, 'page') === 1 ? before : change(before);
    const meta = { total_posts: posts.length, total_pages: 2, per_page: 100 };
    return { body: { posts: pageOf(posts, request), meta } };
  };
}

/** Pages of a list, each with its posts. */
const pages =
  (lists: readonly (readonly unknown[])[], more: Row = {}) =>
  (request: Recorded): Reply => ({ body: { posts: lists[numberOf(request, 'page') - 1] ?? [], ...more } });

const many = newest(150);
const twoPages = { meta: { total_posts: 150, total_pages: 2, current_page: 1, per_page: 100 } };
const overlapping = [many.slice(0, 100), [...many.slice(94, 100), ...many.slice(106)]];
const cutShort = { channels_cut_short: 'general' };

/** Lists that hide posts: how many are counted, what the coverage names, and why the answer is incomplete. */
const hiding: [what: string, answer: (request: Recorded) => Reply, posts: number, coverage: Row, why: string][] = [
  [
    'posts are on two pages, which count once, and others on none',
    pages(overlapping, twoPages),
    144,
    cutShort,
    'the API counts 150 posts of general and its pages showed 144',
  ],
  [
    'pages overlap and no total proves that all posts were read',
    pages([many.slice(0, 30), many.slice(28, 58)]),
    58,
    {},
    'some posts of general were on two pages, so others may be on none',
  ],
  [
    'posts are deleted while pages are read',
    changing((posts) => posts.slice(1)),
    149,
    cutShort,
    'some posts of general disappeared while they were read; call again',
  ],
  [
    'an entry is not a record',
    pages([[postOf(1), null, postOf(2)]]),
    2,
    { unreadable: { posts: 1 } },
    '1 post could not be read',
  ],
];

test.for(hiding)('the answer is incomplete and says why if %s', async ([, answer, posts, missing, why]) => {
  const { totals, coverage, text } = await digestOf(answer);
  expect(totals.posts).toBe(posts);
  expect(coverage).toMatchObject({ complete: false, ...missing });
  expect(text.startsWith(`Incomplete (${why}): `), text).toBe(true);
});

test('posts that are written while pages are read are left out, and do not make the answer incomplete', async () => {
  const { totals, coverage, text } = await digestOf(changing((posts) => [postOf(0), ...posts]));
  expect([totals.posts, coverage.complete], text).toEqual([150, true]);
});

test('if a page after the last is refused, the posts are complete once the total is reached', async () => {
  const ofTotal = (total_posts: number) =>
    digestOf((request) => {
      if (numberOf(request, 'page') > 1)
        return { status: 404, body: { error: 'none', errors: [{ code: 'not_found' }] } };
      return { body: { posts: newest(100), meta: { total_posts, total_pages: 1, per_page: 100 } } };
    });
  const all = await ofTotal(100);
  expect(all.coverage.complete, all.text).toBe(true);
  const part = await ofTotal(101);
  expect(part.coverage).toMatchObject({ complete: false, ...cutShort });
  expect(part.text).toMatch(/^Incomplete \(the API refused page 2 of the posts of general, /);
});

test.each([
  ['403', { status: 403, body: { error: 'Not allowed' } }],
  ['404', { status: 404, body: { error: 'none', errors: [{ code: 'not_found', message: 'none' }] } }],
  ['422', { status: 422, body: { error: 'locked' } }],
  ['web page', { headers: { 'content-type': 'text/html' }, body: '<html></html>' }],
])('a channel that is refused with a %s is named, and the others are reported', async (_name, refusal) => {
  const { call } = await startChannels(['help', 'general'], (request, channel) => {
    if (channel === 'help') return refusal;
    return isTopic(request) ? alone(request) : whole(newest(3));
  });
  const { isError, structured = {}, text } = await call('community_digest', digest);
  expect(isError, text).toBe(false);
  expect(row(structured.totals)).toMatchObject({ posts: 3, channels: 1 });
  expect(row(structured.coverage).complete).toBe(false);
  expect(row(structured.coverage).channels_unreadable).toMatch(/^help \(/);
  expect(text).toMatch(/^Incomplete \(1 channel could not be read\): at least 3 posts/);
});

test('posts of unreadable time are counted separately, and a time without a zone is UTC', async () => {
  const utc = new Date(Date.now() - 3 * hour).toISOString().slice(0, 19);
  const posts = [postOf(1, { created_at: utc }), postOf(2, { created_at: '15 Nov 10:00' }), postOf(3)];
  const { totals, coverage, text } = await digestOf(() => whole(posts));
  expect(totals.posts).toBe(2);
  expect(coverage).toMatchObject({ complete: false, unreadable: { dates: 1 } });
  expect(text).toMatch(/^Incomplete \(1 date could not be read\): /);
});

test('a post without a topic is counted, and is not called answered or unanswered', async () => {
  const posts = [postOf(1, { topic: null }), postOf(2, { topic: undefined, topic_id: 1_002 })];
  const { structured, totals, coverage } = await digestOf(() => whole(posts));
  expect(totals.posts).toBe(2);
  expect(structured.unanswered).toBeUndefined();
  expect(coverage).toMatchObject({ complete: false, unreadable: { posts: 2 } });
});

test('if the API ignores topic_id, no topic is called answered or unanswered', async () => {
  const { call } = await startChannels(['general'], () => whole(newest(3)));
  const { structured = {}, text } = await call('community_digest', digest);
  expect(structured.unanswered).toBeUndefined();
  expect(row(structured.totals).unanswered).toBeUndefined();
  expect(row(structured.coverage)).toMatchObject({ complete: false, topics_not_checked: 3 });
  expect(text).toContain('it is not known whether 3 topics were answered');
});

test('bounds are requested a day wider and applied again; posts far outside them are discarded and counted', async () => {
  const posts = [postOf(1), postOf(24 * 6.5), postOf(24 * 30)];
  const from = new Date(Date.now() - 6 * 24 * hour).toISOString();
  const { totals, coverage, requests } = await digestOf(() => whole(posts), { created_after: from, max_requests: 500 });
  expect(totals.posts).toBe(1);
  expect(coverage).toMatchObject({ complete: true, discarded: 1, ignored_filters: ['created_after'] });
  const asked = requests.find(({ path }) => path.endsWith('/posts'));
  expect(Date.parse(String(asked && argument(asked, 'created_after')))).toBeLessThanOrEqual(
    Date.parse(from) - 24 * hour,
  );
});

test('a post from a server whose clock is ahead is in a period that lasts until now', async () => {
  const { totals } = await digestOf(() => whole([postOf(-2), postOf(1)]), { max_requests: 500 });
  expect(totals.posts).toBe(2);
});

test('a list of 25 channels, the default of the API, is reported as perhaps incomplete', async () => {
  const channels = Array.from({ length: 25 }, (_, index) => `channel-${index}`);
  const { call } = await startChannels(channels, () => whole([]));
  const { structured = {} } = await call('community_digest', digest);
  expect(row(structured.coverage)).toMatchObject({ complete: false });
  expect(row(structured.coverage).more_channels).toMatch(/the API may have more channels/);
});

test('a channel that does not exist is named, and the others are reported', async () => {
  const { sandbox, call } = await startAcademy();
  const days = new Date(daysAgo(6)).toISOString().slice(0, 10);
  const own = (await rawPosts(sandbox, 'announcements')).filter(({ at }) => at >= Date.parse(days));
  const asked = { channels: ['announcements', 'no-such-channel', 'nor-this'] };
  const { structured = {}, text } = await call('community_digest', asked);
  expect(row(structured.totals)).toMatchObject({ posts: own.length, channels: 1 });
  expect(row(structured.totals).quiet_channels).toBeUndefined();
  const channels_not_found = 'no-such-channel, nor-this';
  expect(row(structured.coverage)).toMatchObject({ complete: true, channels_not_found });
  expect(text).toContain(`Not found: ${channels_not_found}.`);
});

test('if none of the channels exists, the error names them', async () => {
  const { call } = await startAcademy();
  const refusal = expectRefusal(await call('community_digest', { channels: ['no-such-channel', '4711'] }), 'not_found');
  expect(refusal).toContain('no-such-channel, 4711');
});

test('quiet channels are those that were read and have no post, not unread ones', async () => {
  const { call } = await startAcademy();
  const after = { created_after: new Date(daysAgo(0.0001)).toISOString() };
  const none = await call('community_digest', { ...after, max_requests: 1 });
  expect(row(none.structured?.totals)).toEqual({ counts_are: 'at least', posts: 0, channels: 13, channels_read: 0 });
  const some = await call('community_digest', { ...after, max_requests: 6 });
  expect(row(some.structured?.totals)).toMatchObject({ posts: 0, channels_read: 4, quiet_channels: 4 });
  expect(row(some.structured?.coverage)).toMatchObject({ complete: false, channels_left: 9 });
  const all = await call('community_digest', after);
  expect(row(all.structured?.totals)).toMatchObject({ posts: 0, quiet_channels: 13 });
  for (const { structured, text } of [some, all]) {
    const { quiet = '' } = row(structured?.totals);
    expect(String(quiet).split(', ')).toHaveLength(structured === some.structured ? 4 : 11);
    expect(quiet).toContain('announcements');
    expect(text).toContain('announcements');
  }
  expect(row(all.structured?.totals).quiet).toMatch(/, 3 more$/);
});

test('unread channels and unchecked topics are not counted', async () => {
  const { sandbox, call } = await startAcademy();
  for (const channel of [3, 4]) addPost(sandbox, channel, { topic: 801, daysAgo: 0.001 });
  const some = await call('community_digest', { max_requests: 6 });
  expect(row(some.structured?.coverage)).toMatchObject({ complete: false, channels_left: 9 });
  expect(row(some.structured?.totals).unanswered).toBeUndefined();
  expect(some.text).toMatch(
    /^Incomplete \(9 channels not read; .*max_requests is used up: .*\): at least \d+ posts in \d of 4 channels read from /,
  );
  expect(some.text).not.toContain('unanswered');
  const asked = { channels: ['3', '4'], max_requests: 3 };
  const one = await call('community_digest', asked);
  expect(row(one.structured?.coverage).topics_not_checked).toBeGreaterThan(0);
  expect(row(one.structured?.totals).unanswered).toBeUndefined();
  expect(one.text).toContain('; at least 1 topic unanswered.');
  expect(one.text).toMatch(
    /^Incomplete \(all posts read; \d+ topics? not checked for answers; max_requests is used up: .*\): \d+ posts? in /,
  );
  expect(one.text).toContain('the API shows no likes');
  const whole = await call('community_digest', { ...asked, max_requests: 100 });
  expect(row(whole.structured?.totals).unanswered).toBe(rows(whole.structured?.unanswered).length);
});

test('if the API does not return the number of posts of a topic, they are counted', async () => {
  const { sandbox, onPath, call } = await startGuarded();
  addPost(sandbox, 3, { topic: 801, daysAgo: 0.01 });
  addPost(sandbox, 3, { topic: 802, daysAgo: 0.01 });
  addPost(sandbox, 3, { topic: 802, daysAgo: 300 });
  const { structured: before } = await call('community_digest', { channels: ['3'], max_requests: 100 });
  onPath(
    '/posts',
    altering((body) => without(body, 'meta')),
  );
  const { structured } = await call('community_digest', { channels: ['3'], max_requests: 100 });
  const topics = rows(structured?.unanswered).map(({ topic_id }) => topic_id);
  expect(topics).toContain(801);
  expect(topics).not.toContain(802);
  expect(structured?.unanswered).toEqual(before?.unanswered);
  expect(row(structured?.coverage).complete).toBe(true);
});

test('a topic with replies whose last post asks again is listed as that, and not as unanswered', async () => {
  const { sandbox, call } = await startAcademy();
  addPost(sandbox, 4, { topic: 802, daysAgo: 3, content: 'Which brush is best?' });
  addPost(sandbox, 4, { topic: 802, daysAgo: 2, content: 'And for acrylics, could someone say' });
  addPost(sandbox, 4, { topic: 803, daysAgo: 2, content: 'Is this it? https://example.com/?a' });
  addPost(sandbox, 4, { topic: 803, daysAgo: 1, content: 'Yes. Please do not share https://example.com/?b' });
  addPost(sandbox, 4, { topic: 804, daysAgo: 2, content: 'Where are you?' });
  addPost(sandbox, 4, { topic: 804, daysAgo: 1, content: 'About “Where are you?”: it was a typo.' });
  const { structured = {}, text } = await call('community_digest', { channels: ['4'] });
  const asked = rows(structured.last_post_asks).map(({ topic_id }) => topic_id);
  expect(asked).toContain(802);
  for (const answered of [803, 804]) expect(asked).not.toContain(answered);
  expect(rows(structured.unanswered ?? []).map(({ topic_id }) => topic_id)).not.toContain(802);
  for (const form of [structured.note, text]) expect(form).toContain('judged by its words');
  expect(text).toContain('last_post_asks (');
});
