import { expect, test } from 'vitest';
import type { Recorded } from '../support/recorder.ts';
import { accountBody, completionBody, courseBody, structureBody } from './account-and-courses.ts';
import { writeCases } from './cases.ts';
import { bundleBody, digitalProductBody } from './catalogue.ts';
import { channelBody } from './community.ts';
import { orderBody } from './orders.ts';
import { expectFacts, perform, succeed } from './perform.ts';
import { productBody } from './products.ts';
import { detailsBody, studentBody, studentsBody } from './students.ts';

/** Yes-or-no facts of the document's tables: [tool, arguments, answer, paths of the facts in the answer]. */
const flags: [string, Record<string, unknown>, unknown, string[]][] = [
  [
    'get_account',
    {},
    accountBody,
    [
      'account.card_processor_connected',
      'account.wallet_processor_connected',
      'account.enrollment_open',
      'account.member_list_enabled',
      'account.points_enabled',
      'account.community_enabled',
      'capabilities.manage_lessons',
      'capabilities.webhooks',
    ],
  ],
  ['list_courses', {}, { courses: [courseBody] }, ['courses.0.sold_separately']],
  ['get_course', { course_id: 4711 }, courseBody, ['is_published', 'is_challenge', 'sold_separately']],
  [
    'get_course_structure',
    { course_id: 4711 },
    structureBody,
    [
      'course.is_challenge',
      'modules.0.is_published',
      'modules.0.lessons.0.is_published',
      'ungrouped_lessons.0.is_published',
    ],
  ],
  ['get_bundle', { bundle_id: 81 }, bundleBody, ['is_published']],
  ['list_digital_products', {}, { digital_products: [digitalProductBody] }, ['digital_products.0.is_published']],
  ['get_digital_product', { digital_product_id: 92 }, digitalProductBody, ['is_published']],
  [
    'get_product',
    { product_type: 'course', id_or_slug: '4711' },
    productBody,
    [
      'product.is_challenge',
      'product.attributes.is_published',
      'product.attributes.hidden',
      'product.attributes.allow_purchase_from_landing',
    ],
  ],
  ['get_channel', { id_or_slug: '210' }, { channel: channelBody }, ['channel.locked', 'channel.is_private']],
  [
    'list_students',
    { columns: ['enrolled', 'is_active'] },
    studentsBody,
    ['students.0.enrolled', 'students.0.is_active'],
  ],
  [
    'get_course_completion',
    { course_id: 4711, user_email: 'ann+piano@example.com' },
    completionBody,
    ['enrolled', 'is_active'],
  ],
  ['get_student_details', { email: 'ann+piano@example.com' }, detailsBody, ['paying_student', 'enrolled', 'is_active']],
];

const each = flags.flatMap(([tool, toolArguments, body, paths]) =>
  paths.map((path) => ({ tool, toolArguments, body: withoutDescription(body), path })),
);

test.each(each)(
  '$tool shows both values of $path differently in both forms',
  async ({ tool, toolArguments, body, path }) => {
    const [one, same, other] = [
      await succeed(tool, toolArguments, { body }),
      await succeed(tool, toolArguments, { body }),
      await succeed(tool, toolArguments, { body: flipped(body, path.split('.')) }),
    ];
    expect(same.text, 'an answer that differs by itself would hide a lost fact').toBe(one.text);
    expect(other.text).not.toBe(one.text);
    expect(other.structured).not.toEqual(one.structured);
  },
);

/** Turns the yes-or-no value at a path into its opposite. */
function flipped(value: unknown, [step, ...rest]: string[]): unknown {
  if (step === undefined) return !value;
  if (Array.isArray(value)) return value.map((item, index) => (String(index) === step ? flipped(item, rest) : item));
  const entries = Object.entries(Object(value));
  return Object.fromEntries(entries.map(([key, item]) => [key, key === step ? flipped(item, rest) : item]));
}

/** Long texts are between marks that change with every answer, so they would make any two answers differ. */
function withoutDescription(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDescription);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => key !== 'description');
  return Object.fromEntries(kept.map(([key, item]) => [key, withoutDescription(item)]));
}

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
