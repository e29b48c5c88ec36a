import { expect, test } from 'vitest';
import type { Recorded } from '../support/recorder.ts';
import { completionBody, courseBody } from './account-and-courses.ts';
import { writeCases } from './cases.ts';
import { bundleBody, digitalProductBody } from './catalogue.ts';
import { channelBody } from './community.ts';
import { orderBody } from './orders.ts';
import { expectFacts, perform, succeed } from './perform.ts';
import { productBody } from './products.ts';
import { detailsBody, studentBody } from './students.ts';

const records = [
  { tool: 'get_course', arguments: { course_id: 4711 }, key: 'course', record: courseBody, facts: [4711, '149.50'] },
  { tool: 'get_bundle', arguments: { bundle_id: 81 }, key: 'bundle', record: bundleBody, facts: [81, 1313] },
  {
    tool: 'get_digital_product',
    arguments: { digital_product_id: 92 },
    key: 'digital_product',
    record: digitalProductBody,
    facts: [92, '19.90'],
  },
  {
    tool: 'get_product',
    arguments: { product_type: 'course', id_or_slug: '4711' },
    key: 'product',
    record: productBody.product,
    facts: [4711, '149.50'],
  },
  {
    tool: 'get_channel',
    arguments: { id_or_slug: '210' },
    key: 'channel',
    record: channelBody,
    facts: [210, 'Practice room'],
  },
  {
    tool: 'get_order',
    arguments: { order_id: 'ord_7GkQ2xW' },
    key: 'order',
    record: orderBody,
    facts: ['ord_7GkQ2xW', '149.50', 'Piano for beginners'],
  },
  {
    tool: 'get_student_details',
    arguments: { email: 'ann+piano@example.com' },
    key: 'student',
    record: detailsBody,
    facts: [90125, 551],
  },
  {
    tool: 'get_course_completion',
    arguments: { course_id: 4711, user_email: 'ann+piano@example.com' },
    key: 'student',
    record: completionBody,
    facts: [83, 'Ann Lee'],
  },
];

test.each(records)('$tool reads its record bare, under its key and under another', async (one) => {
  for (const body of [one.record, { [one.key]: one.record }, { data: one.record }]) {
    expectFacts(await succeed(one.tool, one.arguments, { body }), one.facts);
  }
});

const lists = [
  {
    tool: 'search_channels',
    keys: ['channels', 'data'],
    records: [{ id: 210, name: 'Practice room', slug: 'practice-room' }],
    facts: ['Practice room'],
  },
  {
    tool: 'list_community_groups',
    keys: ['groups', 'community_groups'],
    records: [{ id: 9, name: 'Beginners', position: 1, channels_count: 717 }],
    facts: ['Beginners', 717],
  },
  { tool: 'list_completed_students', keys: ['students', 'completions'], records: [studentBody], facts: ['Ann Lee'] },
  {
    tool: 'list_assignment_answers',
    keys: ['answers', 'assignment_answers'],
    records: [{ name: 'Ann Lee', email: 'a@example.com', answer: 'Three semitones', question: 'How wide?' }],
    facts: ['Three semitones'],
  },
  {
    tool: 'list_project_posts',
    keys: ['project_posts', 'posts'],
    records: [{ name: 'Ann Lee', email: 'a@example.com', post: 'My recital' }],
    facts: ['My recital'],
  },
  { tool: 'list_courses', keys: ['courses'], records: [courseBody], facts: [4711, 'Piano for beginners'] },
  { tool: 'list_roles', keys: ['roles'], records: [{ id: 31, name: 'Coach' }], facts: [31, 'Coach'] },
];

test.each(lists)('$tool reads its list bare and under a key', async ({ tool, keys, records: items, facts }) => {
  for (const body of [items, ...keys.map((key) => ({ [key]: items }))]) {
    expectFacts(await succeed(tool, {}, { body }), facts);
  }
});

test.each(lists)('$tool says that a list is empty, bare and under a key', async ({ tool, keys }) => {
  for (const body of [[], { [keys[0] ?? '']: [] }]) {
    const answer = await succeed(tool, {}, { body });
    expect(answer.text).toMatch(/\S/);
    expect(answer.structured).toBeDefined();
  }
});

test.each(writeCases)('$tool is applied if the API answers with an empty body', async (wireCase) => {
  for (const reply of [{ status: 204 }, { status: 200 }, { status: 200, body: {} }, { status: 200, body: 'null' }]) {
    const { answer, recorder } = await perform(wireCase.tool, wireCase.arguments, reply);
    expect(answer.isError, `${JSON.stringify(reply)} ${answer.text}`).toBe(false);
    const isRead = ({ method, path }: Recorded) => method === 'GET' || path.endsWith('/completion-percentage');
    expect(recorder.requests.filter((request) => !isRead(request))).toHaveLength(1);
  }
});

test.each(writeCases)('$tool reads the written record bare', async (wireCase) => {
  const record = { id: 6010, title: 'A', name: 'A', slug: 'a' };
  await succeed(wireCase.tool, wireCase.arguments, { status: 201, body: record });
});
