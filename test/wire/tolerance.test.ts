import { expect, test } from 'vitest';
import { structureBody } from './account-and-courses.ts';
import { wireCases } from './cases.ts';
import { postsBody } from './community.ts';
import { ordersBody } from './orders.ts';
import { expectFacts, succeed } from './perform.ts';

test.each(wireCases)('$tool accepts fields that are not in the document, $when', async ({ tool, ...one }) => {
  const body = withStrangers(one.answers.body);
  const answer = await succeed(tool, one.arguments, { ...one.answers, body });
  expectFacts(answer, one.tells);
});

test.each(wireCases)('$tool accepts null for every fact except the ids, $when', async ({ tool, ...one }) => {
  const answer = await succeed(tool, one.arguments, { ...one.answers, body: withNulls(one.answers.body) });
  expect(answer.text).not.toMatch(/undefined|\[object|NaN/);
});

test.each([
  { tool: 'get_account', arguments: {}, body: { account: { subdomain: 'bare' } } },
  { tool: 'get_course', arguments: { course_id: 1 }, body: { id: 1 } },
  { tool: 'get_course_structure', arguments: { course_id: 1 }, body: { modules: [{ id: 5, lessons: [{ id: 6 }] }] } },
  { tool: 'get_course_structure', arguments: { course_id: 4711 }, body: { course: structureBody.course } },
  { tool: 'search_products', arguments: {}, body: { products: [{ id: 7 }] } },
  { tool: 'get_product', arguments: { product_type: 'course', id_or_slug: '1' }, body: { product: { id: 1 } } },
  { tool: 'get_channel', arguments: { id_or_slug: 'a' }, body: { channel: { id: 3 } } },
  { tool: 'search_posts', arguments: { id_or_slug: 'a' }, body: { posts: [{ id: 9, content: 'Hello' }] } },
  { tool: 'search_posts', arguments: { id_or_slug: 'a' }, body: { posts: postsBody.posts } },
  { tool: 'list_orders', arguments: {}, body: { orders: [{ id: 'ord_1', amount: '5.00' }] } },
  { tool: 'list_orders', arguments: {}, body: { orders: ordersBody.orders } },
  { tool: 'get_order', arguments: { order_id: 'ord_1' }, body: { id: 'ord_1' } },
  { tool: 'list_students', arguments: {}, body: { students: [{ id: 4, email: 'a@example.com' }] } },
  { tool: 'get_student_details', arguments: { email: 'a@example.com' }, body: { email: 'a@example.com' } },
])('$tool takes an answer of which most is missing', async ({ tool, body, ...one }) => {
  const answer = await succeed(tool, one.arguments, { body });
  expect(answer.text).not.toMatch(/undefined|\[object|NaN/);
});

/** Adds an undocumented field to every object of an answer. */
function withStrangers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withStrangers);
  if (typeof value !== 'object' || value === null) return value;
  const known = Object.entries(value).map(([key, item]) => [key, withStrangers(item)]);
  return { ...Object.fromEntries(known), legacy_code: 'X-1', nested: { deeper: [1, null] } };
}

/** Replaces every plain value except the ids with null. */
function withNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withNulls);
  if (typeof value !== 'object' || value === null) return value;
  const nulled = (key: string, item: unknown) => (key === 'id' || typeof item === 'object' ? withNulls(item) : null);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, nulled(key, item)]));
}
