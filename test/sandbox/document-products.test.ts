import { expect, test } from 'vitest';
import {
  type Academy,
  at,
  expectError,
  listed,
  type Row,
  row,
  rows,
  startAcademy,
  the,
  whole,
  words,
} from '../support/academy.ts';
import { productTypes } from '../support/document.ts';
import * as shapes from '../support/shapes.ts';

const unifiedFields = [
  ...['title', 'description', 'is_published', 'price', 'hidden', 'launch_date', 'days_of_access', 'preview_page'],
  ...['allow_purchase_from_landing', 'join_button_text', 'course_id'],
];

test('a product search returns count and products with the fields of a search item', async () => {
  const academy = await startAcademy();
  const body = await academy.read('/api/v1/products?limit=25');
  expect(Object.keys(body).sort()).toEqual(['count', 'products']);
  expect(whole(body.count)).toBeGreaterThanOrEqual(rows(body.products).length);
  for (const product of rows(body.products)) expect(shapes.differences(product, shapes.productItemShape)).toEqual([]);
});

test('a product search returns 10 products by default and accepts a limit of 1 to 25', async () => {
  const academy = await startAcademy();
  const found = async (query: string) => (await academy.list(`/api/v1/products${query}`)).length;
  expect(await found('?limit=25')).toBeGreaterThan(10);
  expect(await found('')).toBe(10);
  expect(await found('?limit=1')).toBe(1);
});

test('the query finds products by title and by slug', async () => {
  const academy = await startAcademy();
  const product = at(await academy.list('/api/v1/products'), 0);
  for (const field of ['title', 'slug']) {
    const query = new URLSearchParams({ query: words(product[field]), limit: '25' });
    const found = await academy.list(`/api/v1/products?${query}`);
    expect(found).toContainEqual(product);
  }
  const nothing = await academy.read('/api/v1/products?query=zzz-no-such-product');
  expect(nothing).toEqual({ products: [], count: 0 });
});

test.each(productTypes)(
  'a search for the type %s finds its products, each with its detail by id and by slug',
  async (type) => {
    const academy = await startAcademy();
    const found = await academy.list(`/api/v1/products?product_type=${type}&limit=25`);
    expect(found.length).toBeGreaterThan(0);
    for (const item of found) {
      expect([type, type === 'offer' ? 'bundle' : type]).toContain(item.product_type);
      const byId = await academy.read(`/api/v1/products/${type}/${item.id}`);
      expect(Object.keys(byId)).toEqual(['product']);
      expect(shapes.differences(row(byId.product), shapes.productShape)).toEqual([]);
      expect(unifiedFields).toEqual(expect.arrayContaining(Object.keys(row(row(byId.product).attributes))));
      expect(byId.product).toMatchObject({ id: item.id, title: item.title, slug: item.slug });
      expect(await academy.read(`/api/v1/products/${type}/${item.slug}`)).toEqual(byId);
    }
  },
);

test('offer is a synonym of bundle', async () => {
  const academy = await startAcademy();
  const idsOf = async (type: string) =>
    (await academy.list(`/api/v1/products?product_type=${type}&limit=25`)).map(({ id }) => id);
  expect(await idsOf('offer')).toEqual(await idsOf('bundle'));
  const bundle = at(await academy.list('/api/v1/bundles'), 0);
  await academy.write('PATCH', `/api/v1/products/offer/${bundle.id}`, { product: { title: 'Renamed as an offer' } });
  expect((await academy.read(`/api/v1/bundles/${bundle.id}`)).title).toBe('Renamed as an offer');
});

test.each(['PATCH', 'PUT'])('%s changes only the given fields of a product', async (method) => {
  const academy = await startAcademy();
  for (const type of productTypes) {
    const { path, product } = await firstOf(academy, type);
    await academy.write(method, path, { product: { title: `Changed ${type}` } });
    const attributes = { ...row(product.attributes), title: `Changed ${type}` };
    expect(row((await academy.read(`/api/v1/products/${type}/${product.id}`)).product)).toMatchObject({ attributes });
  }
});

test('a string attribute of more than 4,000 characters is cut and listed', async () => {
  const academy = await startAcademy();
  const { path } = await firstOf(academy, 'course');
  const describe = async (length: number) => {
    await academy.write('PATCH', path, { product: { description: 'é'.repeat(length) } });
    const { attributes, truncated_attributes } = row((await academy.read(path)).product);
    return { length: words(row(attributes).description).length, truncated_attributes };
  };
  expect(await describe(4000)).toEqual({ length: 4000, truncated_attributes: [] });
  expect(await describe(4001)).toEqual({ length: 4000, truncated_attributes: ['description'] });
});

test('raw columns and unknown fields are rejected for every type, with the list of supported fields', async () => {
  const academy = await startAcademy();
  for (const type of productTypes) {
    const { path, product } = await firstOf(academy, type);
    for (const field of ['for_sale', 'fee', 'name', 'hidden_course', 'colour']) {
      const body = { product: { title: 'Not to be kept', [field]: 1 } };
      const refusal = expectError(await academy.send('PATCH', path, body), 422, 'invalid_fields');
      expect(supportedIn(refusal)).toEqual(expect.arrayContaining(['title', 'description']));
    }
    expect((await academy.read(path)).product).toEqual(product);
  }
});

test('a project accepts only title, description and course_id', async () => {
  const academy = await startAcademy();
  const { path } = await firstOf(academy, 'project');
  const course = at(await academy.list('/api/v1/courses'), 0);
  await academy.write('PATCH', path, { product: { title: 'A', description: 'B', course_id: course.id } });
  const refusal = expectError(await academy.send('PUT', path, { product: { price: '5.00' } }), 422, 'invalid_fields');
  expect(supportedIn(refusal).sort()).toEqual(['course_id', 'description', 'title']);
});

test('an unsupported type, an unknown product and an update without the key product are rejected', async () => {
  const academy = await startAcademy();
  const { path } = await firstOf(academy, 'course');
  expectError(await academy.send('GET', '/api/v1/products?product_type=webinar'), 422);
  expect([404, 422]).toContain((await academy.send('GET', '/api/v1/products/webinar/1')).status);
  expectError(await academy.send('PATCH', path, { title: 'Flat' }), 422);
  const unknown = await academy.send('PATCH', '/api/v1/products/course/99999999', { product: { title: 'A' } });
  expectError(unknown, 404, 'not_found');
});

test.each([{ price: 'free' }, { price: '-1.00' }, { is_published: 'maybe' }, { title: '' }, { title: null }])(
  'a product is not updated with %o',
  async (change) => {
    const academy = await startAcademy();
    const { path, product } = await firstOf(academy, 'course');
    expectError(await academy.send('PATCH', path, { product: change }), 422);
    expect((await academy.read(path)).product).toEqual(product);
  },
);

async function firstOf(academy: Academy, type: string): Promise<{ path: string; product: Row }> {
  const found = await academy.list(`/api/v1/products?product_type=${type}`);
  const path = `/api/v1/products/${type}/${at(found, 0).id}`;
  return { path, product: row((await academy.read(path)).product) };
}

/** The list of supported fields, under any key: the document does not name it. */
function supportedIn(refusal: Row): string[] {
  const lists = Object.values(refusal).filter((value) => Array.isArray(value));
  const list = the(lists, 'list of supported fields', (items) => items.every((item) => typeof item === 'string'));
  return list.map(String);
}

const lists: readonly [path: string, item: shapes.Shape, detail?: shapes.Shape, more?: Row][] = [
  ['courses', shapes.courseItemShape, shapes.courseShape, { is_published: true }],
  ['courses/roles', shapes.roleShape],
  ['bundles', shapes.bundleItemShape, shapes.bundleShape],
  ['digital_products', shapes.digitalProductItemShape, shapes.digitalProductShape, { product_type: 'download' }],
];

test.each(lists)(
  '%s are listed under their key with their fields, each as in its detail',
  async (path, item, detail, more) => {
    const academy = await startAcademy();
    const body = await academy.read(`/api/v1/${path}`);
    expect(Object.keys(body)).toEqual([path.replace('courses/', '')]);
    expect(listed(body).length).toBeGreaterThan(1);
    for (const one of listed(body)) {
      expect(shapes.differences(one, item)).toEqual([]);
      if (detail === undefined) continue;
      const alone = await academy.read(`/api/v1/${path}/${one.id}`);
      expect(shapes.differences(alone, detail)).toEqual([]);
      expect(alone).toMatchObject({ ...one, ...more });
    }
  },
);

test('only published courses are listed, and an update takes effect at once', async () => {
  const academy = await startAcademy();
  const course = at(await academy.list('/api/v1/courses'), 0);
  const ids = async () => (await academy.list('/api/v1/courses')).map(({ id }) => id);
  await publish(academy, course.id, false);
  expect(await ids()).not.toContain(course.id);
  expect((await academy.read(`/api/v1/courses/${course.id}`)).is_published).toBe(false);
  await publish(academy, course.id, true);
  expect(await ids()).toContain(course.id);
});

test('a JSON and a form body return the same completion record', async () => {
  const academy = await startAcademy();
  const { course, email } = await courseOfSomebody(academy);
  const path = `/api/v1/courses/${course.id}/completion-percentage`;
  const json = await academy.send('POST', path, { user_email: email });
  const form = await academy.send('POST', path, new URLSearchParams({ user_email: email }));
  expect(json.status).toBe(200);
  expect(shapes.differences(row(json.body), shapes.completionShape)).toEqual([]);
  expect(row(json.body).email).toBe(email);
  expect(form.body).toEqual(json.body);
});

test('completion percentages are from 0 to 100, and the overall one equals that of the student list', async () => {
  const academy = await startAcademy({ students: 30 });
  const course = at(await academy.list('/api/v1/courses'), 0);
  for (const student of (await academy.list('/api/v1/students')).slice(0, 10)) {
    const answer = await academy.send('POST', `/api/v1/courses/${course.id}/completion-percentage`, {
      user_email: student.email,
    });
    const record = row(answer.body);
    expect(record.course_completion_percent).toSatisfy((value: number) => value >= 0 && value <= 100);
    const { course_completion_percent: _course, ...general } = record;
    expect(student).toMatchObject(general);
  }
});

test('a completion record needs user_email, a known student and a known course', async () => {
  const academy = await startAcademy();
  const { course, email } = await courseOfSomebody(academy);
  const path = `/api/v1/courses/${course.id}/completion-percentage`;
  expectError(await academy.send('POST', path, {}), 422);
  expectError(await academy.send('POST', path, { user_email: 'nobody@example.invalid' }), 404, 'not_found');
  const unknown = '/api/v1/courses/99999999/completion-percentage';
  expectError(await academy.send('POST', unknown, { user_email: email }), 404, 'not_found');
});

const publish = (academy: Academy, id: unknown, is_published: boolean) =>
  academy.write('PATCH', `/api/v1/products/course/${id}`, { product: { is_published } });

async function courseOfSomebody(academy: Academy): Promise<{ course: Row; email: string }> {
  const orders = await academy.list('/api/v1/orders');
  const order = the(orders, 'paid order with a course', ({ courses }) => rows(courses).length > 0);
  return { course: at(rows(order.courses), 0), email: words(order.user_email) };
}
