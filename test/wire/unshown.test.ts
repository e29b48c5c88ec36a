import { expect, test } from 'vitest';
import { channelBody } from './community.ts';
import { orderBody, ordersBody } from './orders.ts';
import { expectFacts, succeed } from './perform.ts';
import { detailsBody, studentBody } from './students.ts';

/** Shapes that the document calls "not shown": any data that the API sends there must reach the reader. */

test.each([
  { what: 'objects with a title', items: [{ id: 9292, title: 'Songbook' }], facts: [9292, 'Songbook'] },
  { what: 'objects with a name', items: [{ id: 9292, name: 'Songbook' }], facts: [9292, 'Songbook'] },
  { what: 'bare ids', items: [9292, 9393], facts: [9292, 9393] },
  { what: 'bare titles', items: ['Songbook', 'Etudes'], facts: ['Songbook', 'Etudes'] },
])('digital products and bundles of an order are shown when they are $what', async ({ items, facts }) => {
  for (const key of ['digital_products', 'bundles']) {
    const order = { ...orderBody, courses: [], digital_products: [], bundles: [], [key]: items };
    expectFacts(await succeed('get_order', { order_id: orderBody.id }, { body: order }), facts);
    expectFacts(await succeed('list_orders', {}, { body: { ...ordersBody, orders: [order] } }), facts);
  }
});

const beside = { lesson_views: 5512, lesson_completions: 4434, orders: [orderBody], courses: ['Piano for beginners'] };
const { paid_orders, enrolled_courses, lesson_views_count, lesson_completions_count, ...flat } = detailsBody;

test.each([
  { what: 'beside the student', body: { student: studentBody, ...beside } },
  { what: 'within the student', body: { student: { ...studentBody, ...beside } } },
  { what: 'among the attributes', body: { ...flat, ...beside } },
  {
    what: 'in a group of their own',
    body: {
      ...flat,
      stats: { lesson_views: lesson_views_count, views_total: 5512, completions_total: 4434 },
      paid_orders,
      enrolled_courses: enrolled_courses.map(({ title }) => ({ course: { title } })),
    },
  },
])('the counts, orders and courses of a student are shown when they are $what', async ({ body }) => {
  const answer = await succeed('get_student_details', { email: studentBody.email }, { body });
  expectFacts(answer, [studentBody.id, 'Ann Lee', 5512, 4434, orderBody.id, 'Piano for beginners']);
});

test('the counts of a student are shown under the names that the API sent', async () => {
  const body = { ...flat, lesson_views_count: 5512, lesson_completions_count };
  expectFacts(await succeed('get_student_details', { email: studentBody.email }, { body }), [5512, 443]);
});

test.each([
  { what: 'objects', extra: { group: { id: 9, title: 'Students' }, attached_offers: [{ id: 81, name: 'Starter' }] } },
  { what: 'plain values', extra: { group: 'Students', topic_count: 4242, attached_offers: ['Starter'] } },
  { what: 'flat fields', extra: { group_id: 9090, group_name: 'Students', offers: [{ id: 81, title: 'Starter' }] } },
])('the group and the offers of a channel are shown when they are $what', async ({ extra }) => {
  const { group: _group, offers: _offers, ...channel } = channelBody;
  const answer = await succeed('get_channel', { id_or_slug: '210' }, { body: { channel: { ...channel, ...extra } } });
  expectFacts(answer, ['Students', 'Starter', 4242]);
});

test('a channel in a search may have all fields of its details', async () => {
  const answer = await succeed('search_channels', {}, { body: { channels: [channelBody] } });
  expectFacts(answer, [210, 'Practice room']);
});

test.each([
  {
    tool: 'list_assignment_answers',
    record: {
      id: 70707,
      student: { id: 1, name: 'Ann Lee', email: 'ann+piano@example.com' },
      lesson: { id: 2, title: 'Intervals' },
      content: 'Three semitones',
    },
    facts: ['Ann Lee', 'Intervals', 'Three semitones'],
  },
  {
    tool: 'list_project_posts',
    record: {
      id: 80808,
      user_name: 'Bo Ek',
      project: { id: 3, title: 'Recital' },
      title: 'My recital',
      body: 'Take one',
    },
    facts: ['Bo Ek', 'Recital', 'My recital', 'Take one'],
  },
  {
    tool: 'list_completed_students',
    record: { student: { id: 90125, name: 'Ann Lee', email: 'ann+piano@example.com' }, total_completion: 104 },
    facts: [90125, 'Ann Lee', 104],
  },
])('the records of $tool are shown in an unexpected shape', async ({ tool, record, facts }) => {
  expectFacts(await succeed(tool, {}, { body: [record] }), facts);
});

test('a group is shown with any name for its channel count', async () => {
  for (const key of ['channel_count', 'channels_count', 'community_channels_count']) {
    const body = { groups: [{ id: 9, title: 'Beginners', [key]: 717 }] };
    expectFacts(await succeed('list_community_groups', {}, { body }), [717, 'Beginners']);
  }
});

test('an answer of a student access endpoint may contain anything', async () => {
  for (const body of ['"ok"', 'true', [], { message: 'Done' }, { student: studentBody }]) {
    const answer = await succeed('grant_role', { email: 'ann@example.com', role_id: 31 }, { body });
    expect(answer.text).toContain('ann@example.com');
  }
});
