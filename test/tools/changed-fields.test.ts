import { expect, test } from 'vitest';
import { at, type Row, row, rows } from '../support/academy.ts';
import { refusing } from '../support/arrange.ts';
import { startAcademy } from '../support/connect.ts';
import { startGuarded } from '../support/guarded.ts';
import { requestsOf } from '../support/refusal.ts';
import { truth } from '../support/truth.ts';

async function attributesOf(sandbox: { url: string; apiKey: string }, path: string): Promise<Row> {
  const answer = await fetch(`${sandbox.url}/api/v1/${path}`, {
    headers: { authorization: `Bearer ${sandbox.apiKey}` },
  });
  return row(await answer.json());
}

test('update_product answers each field as old -> new, for one request more', async () => {
  const { sandbox, call } = await startAcademy();
  const old = row(row(row(await attributesOf(sandbox, 'products/course/5')).product).attributes);
  const answer = await call('update_product', {
    product_type: 'course',
    id_or_slug: '5',
    price: '12.00',
    title: String(old.title),
    hidden: !old.hidden,
  });
  expect(answer.structured).toMatchObject({
    outcome: 'applied',
    changes: {
      price: `"${old.price}" -> "12.00"`,
      title: `"${old.title}" (unchanged)`,
      hidden: `${old.hidden} -> ${!old.hidden}`,
    },
  });
  expect(answer.structured).not.toHaveProperty('not_readable');
  for (const [name, change] of Object.entries(row(answer.structured?.changes))) {
    expect(answer.text).toContain(name);
    expect(answer.text).toContain(JSON.stringify(change));
  }
  expect(requestsOf(answer)).toBe(2);
});

test('an old text is returned whole, marked as text, so that it can be written back', async () => {
  const { sandbox, call } = await startAcademy();
  const product = { product_type: 'course', id_or_slug: '5' };
  const old = row(row(row(await attributesOf(sandbox, 'products/course/5')).product).attributes).description;
  const { structured, text } = await call('update_product', { ...product, description: 'Short.' });
  expect(row(structured?.changes).description).toBe(`text of ${String(old).length} characters -> text of 6 characters`);
  expect(JSON.stringify(structured?.before)).toContain(JSON.stringify(old).slice(1, -1));
  expect(text).toContain(String(old));
});

test('a text beyond 4,000 characters is not_readable, since the API shows only its beginning', async () => {
  const { call } = await startAcademy();
  const product = { product_type: 'course', id_or_slug: '5' };
  await call('update_product', { ...product, description: 'x'.repeat(4_100) });
  const { structured, text } = await call('update_product', { ...product, description: 'Short.', price: '3.00' });
  expect(structured).toMatchObject({ not_readable: ['description'], changed: ['description', 'price'] });
  expect(row(structured?.changes)).not.toHaveProperty('description');
  expect(text).toContain('not_readable: description');
});

test('update_lesson answers old -> new for what the structure shows, and names the body not_readable', async () => {
  const { sandbox, call } = await startAcademy();
  const { modules } = await truth(sandbox, '/api/v1/courses/1/lessons');
  const lesson = at(rows(at(rows(modules), 0).lessons), 1);
  const update = { lesson_id: lesson.id, title: 'Renamed', content: 'new body', is_published: !lesson.is_published };
  const unknown = await call('update_lesson', { lesson_id: lesson.id, title: lesson.title });
  expect(unknown.structured).toMatchObject({ changed: ['title'], not_readable: ['title'] });
  expect(requestsOf(unknown)).toBe(1);
  await call('get_course_structure', { course_id: 1 });
  const answer = await call('update_lesson', update);
  expect(answer.structured).toMatchObject({
    changes: {
      title: `"${lesson.title}" -> "Renamed"`,
      is_published: `${lesson.is_published} -> ${!lesson.is_published}`,
    },
    not_readable: ['content'],
  });
  expect(requestsOf(answer)).toBe(2);
});

test('update_channel answers each field as old -> new', async () => {
  const { call } = await startAcademy();
  const { structured: before = {} } = await call('get_channel', { id_or_slug: 'photo-critique' });
  const change = { name: 'Photos', locked: before.locked !== true };
  const answer = await call('update_channel', { id_or_slug: 'photo-critique', ...change });
  expect(answer.structured?.changes).toEqual({
    name: `"${before.name}" -> "Photos"`,
    locked: `${before.locked === true} -> ${change.locked}`,
  });
});

test('an update whose old values cannot be read is made, and names them not_readable', async () => {
  const { call, between, writes } = await startGuarded();
  between.arm({
    name: 'unreadable',
    fault: refusing(422),
    match: (method, path) => method === 'GET' && path.includes('/products/'),
    times: 100,
  });
  const { structured } = await call('update_product', { product_type: 'course', id_or_slug: '5', price: '3.00' });
  expect(structured).toMatchObject({ outcome: 'applied', not_readable: ['price'] });
  expect(writes()).toHaveLength(1);
});
