import { expect, test } from 'vitest';
import type { Row } from '../support/academy.ts';
import { connect } from '../support/connect.ts';
import { startRecorder } from '../support/recorder.ts';

// A proxy that keeps answers may answer with the record of another question.

const lessons = [{ id: 60, title: 'Scales', sequence: 1, is_published: true, lesson_type: 'Text' }];
const cases: readonly (readonly [tool: string, args: Row, body: Row])[] = [
  ['get_course', { course_id: 8 }, { id: 7, title: 'Piano' }],
  ['get_bundle', { bundle_id: 8 }, { id: 7, title: 'Pack' }],
  ['get_digital_product', { digital_product_id: 8 }, { id: 7, title: 'Songbook' }],
  ['get_course_structure', { course_id: 8 }, { course: { id: 7 }, modules: [], ungrouped_lessons: lessons }],
  [
    'plan_course_outline',
    { course_id: 8, moves: [{ lesson_id: 60, module_id: null, position: 1 }] },
    { course: { id: 7 }, modules: [], ungrouped_lessons: lessons },
  ],
  ['get_order', { order_id: 'ord_8' }, { id: 'ord_7', amount: '5.00', courses: [] }],
  ['get_course_completion', { course_id: 8, user_email: 'ann@example.com' }, { id: 1, email: 'bo@example.com' }],
  ['get_product', { product_type: 'course', id_or_slug: 'oil' }, { product: { id: 7, slug: 'ink' } }],
  ['get_product', { product_type: 'course', id_or_slug: '8' }, { product: { id: 7, slug: 'ink' } }],
  ['get_channel', { id_or_slug: 'hall' }, { id: 7, name: 'Room', slug: 'room' }],
];

test.each(cases)('%s %j does not show another record', async (tool, args, body) => {
  const { url } = await startRecorder({ body });
  const { call } = await connect({ ACADEMY_BASE_URL: url, ACADEMY_RATE_LIMIT: 'off' });
  const { text, isError } = await call(tool, args);
  expect(isError).toBe(true);
  expect(text).toMatch(/^unexpected_response: .*another record than the one that was asked for/);
});
