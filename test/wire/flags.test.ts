import { expect, test } from 'vitest';
import { accountBody, completionBody, courseBody, structureBody } from './account-and-courses.ts';
import { bundleBody, digitalProductBody } from './catalogue.ts';
import { channelBody } from './community.ts';
import { succeed } from './perform.ts';
import { productBody } from './products.ts';
import { detailsBody, studentsBody } from './students.ts';

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
