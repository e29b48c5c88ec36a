import { expect, test } from 'vitest';
import { row, rows } from '../../support/academy.ts';
import { addPost, altering, daysAgo } from '../../support/arrange.ts';
import { startAcademy } from '../../support/connect.ts';
import { startGuarded } from '../../support/guarded.ts';
import { rawPosts } from '../../support/posts.ts';
import { expectRefusal } from '../../support/refusal.ts';
import { without } from '../../support/truth.ts';

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
  const { sandbox, between, call } = await startGuarded();
  addPost(sandbox, 3, { topic: 801, daysAgo: 0.01 });
  addPost(sandbox, 3, { topic: 802, daysAgo: 0.01 });
  addPost(sandbox, 3, { topic: 802, daysAgo: 300 });
  const match = (_method: string, path: string) => path.endsWith('/posts');
  const { structured: before } = await call('community_digest', { channels: ['3'], max_requests: 100 });
  between.arm({ name: 'bare', fault: altering((body) => without(body, 'meta')), times: 999, match });
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
  const { structured = {}, text } = await call('community_digest', { channels: ['4'] });
  const asked = rows(structured.last_post_asks).map(({ topic_id }) => topic_id);
  expect(asked).toContain(802);
  expect(asked).not.toContain(803);
  expect(rows(structured.unanswered ?? []).map(({ topic_id }) => topic_id)).not.toContain(802);
  for (const form of [structured.note, text]) expect(form).toContain('judged by its words');
  expect(text).toContain('last_post_asks (');
});
