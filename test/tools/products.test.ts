import { expect, test } from 'vitest';
import { row, rows } from '../support/academy.ts';
import { connectToApi, startAcademy } from '../support/connect.ts';
import { forgeCursor, windowPlace } from '../support/cursor.ts';
import { expectApiRefusal, expectRefusal, requestsOf } from '../support/refusal.ts';
import { asShown, truth, truths, without } from '../support/truth.ts';

test('search_products finds unpublished products, which list_courses leaves out', async () => {
  const { sandbox, call } = await startAcademy();
  const listed = (await truths(sandbox, '/api/v1/courses', 'courses')).map(({ id }) => id);
  const found = rows((await call('search_products', { product_type: 'course', limit: 25 })).structured?.products);
  expect(found.some(({ id }) => !listed.includes(id))).toBe(true);
});

test('get_product shows a product with its attributes, by id and by slug', async () => {
  const { sandbox, call } = await startAcademy();
  const product = row((await truth(sandbox, '/api/v1/products/course/2')).product);
  const expected = { ...asShown(product), attributes: asShown(row(product.attributes), 'description') };
  expect((await call('get_product', { product_type: 'course', id_or_slug: 2 })).structured).toEqual(expected);
  const bySlug = await call('get_product', { product_type: 'course', id_or_slug: product.slug });
  expect(bySlug.structured).toEqual(expected);
});

test('get_product names the texts that the API cut', async () => {
  const { call } = await startAcademy();
  await call('update_product', { product_type: 'bundle', id_or_slug: 1, description: 'long '.repeat(1000) });
  const { structured, text } = await call('get_product', { product_type: 'offer', id_or_slug: 1 });
  expect(structured?.truncated_attributes).toEqual(['description']);
  expect(text).toContain('truncated_attributes: description');
});

test('get_product finds a challenge under the type course, which reports and orders print', async () => {
  const { call } = await startAcademy();
  const own = await call('get_product', { product_type: 'challenge', id_or_slug: 13 });
  const answer = await call('get_product', { product_type: 'course', id_or_slug: 13 });
  const { structured, isError, text } = answer;
  expect(isError, text).toBe(false);
  expect([requestsOf(own), requestsOf(answer)]).toEqual([1, 2]);
  expect(structured).toEqual(own.structured);
  expect(structured?.product_type).toBe('challenge');
  expect((await call('get_product', { product_type: 'challenge', id_or_slug: 1 })).structured?.product_type).toBe(
    'course',
  );
});

test('update_product changes what it is given, at once, and shows the product but for its long text', async () => {
  const { sandbox, call } = await startAcademy();
  const before = row(row((await truth(sandbox, '/api/v1/products/course/2')).product).attributes);
  const { structured } = await call('update_product', {
    product_type: 'course',
    id_or_slug: 2,
    price: '19',
    hidden: true,
  });
  expect(structured).toMatchObject({ outcome: 'applied', changed: ['price', 'hidden'] });
  const after = row((await truth(sandbox, '/api/v1/products/course/2')).product);
  expect(row(after.attributes)).toEqual({ ...before, price: '19.00', hidden: true });
  expect(row(structured?.product)).toEqual({
    ...asShown(after),
    attributes: without(asShown(row(after.attributes)), 'description'),
  });
  expect(structured?.unchanged).toEqual(['description']);
  const { text } = await call('update_product', { product_type: 'course', id_or_slug: 2, description: 'New words' });
  expect(text).toContain('New words');
});

test('a price that becomes 0, or changes by more than a factor of 3, is applied with both prices in the first line', async () => {
  const { call } = await startAcademy();
  const set = async (price: string) => {
    const { structured, text } = await call('update_product', { product_type: 'course', id_or_slug: 2, price });
    expect(structured?.outcome, text).toBe('applied');
    return text.split('\n')[0];
  };
  await set('50.00');
  for (const price of ['49.90', '149.00', '50.00']) expect(await set(price)).not.toContain('Warning');
  expect(await set('150.01')).toMatch(/^Warning: /);
  expect(await set('50.00')).toMatch(/^Warning: /);
  expect(await set('9999999')).toMatch(/^Warning: the price changed from 50\.00 to 9999999\./);
  expect(await set('16.66')).toMatch(/^Warning: the price changed from 9999999\.00 to 16\.66\./);
  expect(await set('0')).toMatch(/^Warning: the price changed from 16\.66 to 0\./);
  expect(await set('0.50')).toMatch(/^Warning: the price changed from 0\.00 to 0\.50\./);
  expect(await set('0.00')).toMatch(/^Warning: the price changed from 0\.50 to 0\.00\./);
});

test.each([null, '', 'free', '49,00', '1e2', '-1'])('a new price beside the old one %s has a warning', async (old) => {
  const product = (price: unknown) => ({ body: { product: { id: 2, type: 'course', attributes: { price } } } });
  const { call } = await connectToApi(({ method }) => product(method === 'GET' ? old : '9999999'));
  const { text } = await call('update_product', { product_type: 'course', id_or_slug: 2, price: '9999999' });
  expect(text).toMatch(/^Warning: the price is now 9999999; the old one could not be read\./);
});

test('a price that the API left as it was has no warning', async () => {
  const { call } = await connectToApi({ body: { product: { id: 2, type: 'course', attributes: { price: '49.00' } } } });
  const { text } = await call('update_product', { product_type: 'course', id_or_slug: 2, price: '9999999' });
  expect(text).toContain('outcome: not_applied');
  expect(text).not.toContain('Warning');
});

test('update_product with a field that the type does not have passes on which fields it has', async () => {
  const { sandbox, call } = await startAcademy();
  const before = await truth(sandbox, '/api/v1/products/project/1');
  const answer = await call('update_product', { product_type: 'project', id_or_slug: 1, title: 'New', price: '5' });
  const text = expectApiRefusal(answer, 'invalid_fields', 422);
  expect(text).toContain('Supported fields: title, description, course_id');
  expect(text).toContain('Outcome: not_applied');
  expect(await truth(sandbox, '/api/v1/products/project/1')).toEqual(before);
});

test('a cursor of list_bundles past the end answers the total and no rows', async () => {
  const { call } = await startAcademy();
  const total = (await call('list_bundles')).structured?.total;
  const cursor = forgeCursor({ at: 500, of: total }, ['list_bundles', {}], windowPlace);
  expect((await call('list_bundles', { cursor })).structured).toEqual({ total });
});

test('a list that changed between two pages is reported', async () => {
  let bundles = [1, 2, 3].map((id) => ({ id, title: `Bundle ${id}` }));
  const { call } = await connectToApi(() => ({ body: { bundles } }));
  const first = await call('list_bundles', { limit: 2 });
  bundles = bundles.slice(1);
  await call('list_bundles');
  const { structured } = await call('list_bundles', { limit: 2, cursor: first.structured?.next_cursor });
  expect(structured?.note).toContain('had 3 records');
});

test('list_digital_products shows prices, but no descriptions and covers', async () => {
  const { sandbox, call } = await startAcademy();
  const products = await truths(sandbox, '/api/v1/digital_products', 'digital_products');
  const { structured, text } = await call('list_digital_products');
  expect(structured).toEqual({
    total: products.length,
    digital_products: products.map((product) => without(product, 'description', 'cover_image_url')),
  });
  expect(text).not.toContain('untrusted');
});

test('update_product under the wrong one of course and challenge names the other, and changes nothing', async () => {
  const { call } = await startAcademy();
  const asked = { product_type: 'course', id_or_slug: '13', title: 'New title' };
  const text = expectRefusal(await call('update_product', asked), 'not_found');
  expect(text).toContain('Try product_type challenge');
  expect(text).toContain('Outcome: not_applied');
  expect((await call('update_product', { ...asked, product_type: 'challenge' })).isError).toBe(false);
});
