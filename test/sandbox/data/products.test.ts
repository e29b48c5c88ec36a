import { expect, test } from 'vitest';
import { handlers } from '../../../src/sandbox/handlers/index.ts';
import { makeAcademy, rejection, required } from './make-academy.ts';

const search = handlers['products.searchProducts'];
const get = handlers['products.getProduct'];
const update = handlers['products.updateProduct'];

test('the course list has only published courses, product search has all', () => {
  const academy = makeAcademy();
  const { courses } = handlers['courses.listCourses']({}, academy);
  expect(courses.map(({ id }) => id)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14]);
  const found = search({ product_type: 'course', limit: 25 }, academy).products.map(({ id }) => id);
  expect(found).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
});

test('search finds titles and slugs in any case, ten by default', () => {
  const academy = makeAcademy();
  expect(search({ query: 'SQL' }, academy).products.map(({ id }) => id)).toEqual([7, 12]);
  expect(search({ query: 'bread-at-HOME' }, academy)).toMatchObject({ products: [{ id: 8 }], count: 1 });
  expect(search({}, academy)).toMatchObject({ count: 10 });
  expect(search({ limit: 25 }, academy)).toMatchObject({ count: 25 });
  expect(search({ query: 'no such thing' }, academy)).toEqual({ products: [], count: 0 });
});

test('product_type filters: offer means bundle, and a challenge is not a course', () => {
  const academy = makeAcademy();
  const ids = (product_type: 'bundle' | 'offer' | 'challenge') => search({ product_type, limit: 25 }, academy).products;
  expect(ids('offer')).toEqual(ids('bundle'));
  expect(ids('offer').every(({ product_type }) => product_type === 'bundle')).toBe(true);
  expect(ids('challenge').map(({ id }) => id)).toEqual([13, 14, 15]);
});

test('a product is found by id and by slug, only under its own type', () => {
  const academy = makeAcademy();
  const byId = get({ product_type: 'course', id_or_slug: '7' }, academy);
  expect(get({ product_type: 'course', id_or_slug: 'data-analysis-with-sql' }, academy)).toEqual(byId);
  expect(byId).toMatchObject({ product: { product_type: 'course', id: 7, is_challenge: false } });
  expect(get({ product_type: 'offer', id_or_slug: '1' }, academy)).toMatchObject({
    product: { product_type: 'bundle', title: 'Data Path' },
  });
  const wrong = [
    ['challenge', '7'],
    ['course', '13'],
    ['project', 'data-path'],
    ['digital_product', '99'],
  ] as const;
  for (const [product_type, id_or_slug] of wrong) {
    expect(rejection(() => get({ product_type, id_or_slug }, academy))).toMatchObject({
      status: 404,
      code: 'not_found',
    });
  }
});

test('a text of more than 4,000 characters is cut only in the product view, and listed', () => {
  const academy = makeAcademy();
  const { description } = required(academy.catalogue.courses.get(7));
  expect(get({ product_type: 'course', id_or_slug: '7' }, academy)).toMatchObject({
    product: { attributes: { description: description.slice(0, 4000) }, truncated_attributes: ['description'] },
  });
  expect(handlers['courses.getCourse']({ course_id: 7 }, academy)).toMatchObject({ description });
  const exact = update({ product_type: 'course', id_or_slug: '7', description: 'x'.repeat(4000) }, academy);
  expect(exact).toMatchObject({ product: { truncated_attributes: [] } });
});

test('a text is cut between characters', () => {
  const academy = makeAcademy();
  const body = update({ product_type: 'course', id_or_slug: '7', description: '🙂'.repeat(4001) }, academy);
  expect(body).toMatchObject({
    product: { attributes: { description: '🙂'.repeat(4000) }, truncated_attributes: ['description'] },
  });
});

test('a new title is visible everywhere at once, and the slug stays', () => {
  const academy = makeAcademy();
  handlers['access.enrollStudent']({ email: 'ada@example.org', name: 'Ada', course_id: 7 }, academy);
  update({ product_type: 'course', id_or_slug: '7', title: 'SQL, renamed' }, academy);
  const title = 'SQL, renamed';
  expect(handlers['courses.listCourses']({}, academy).courses).toContainEqual(
    expect.objectContaining({ id: 7, title }),
  );
  expect(handlers['courses.getCourse']({ course_id: 7 }, academy)).toMatchObject({ title });
  expect(handlers['courses.getCourseStructure']({ course_id: 7 }, academy).course).toMatchObject({ title });
  expect(search({ query: title }, academy).products).toMatchObject([{ id: 7, title, slug: 'data-analysis-with-sql' }]);
  const { orders } = handlers['orders.listOrders']({ user_email: 'ada@example.org' }, academy);
  expect(orders[0]?.courses).toEqual([{ id: 7, title }]);
});

test('an unpublished course is not listed', () => {
  const academy = makeAcademy();
  update({ product_type: 'course', id_or_slug: '7', is_published: false }, academy);
  expect(handlers['courses.listCourses']({}, academy).courses.map(({ id }) => id)).not.toContain(7);
});

test('a price is stored with two decimals', () => {
  const academy = makeAcademy();
  expect(update({ product_type: 'bundle', id_or_slug: '1', price: '49.5' }, academy)).toMatchObject({
    product: { attributes: { price: '49.50' } },
  });
});

test('an attribute that the type does not support is 422 with the list of supported ones', () => {
  const academy = makeAcademy();
  const before = { ...required(academy.catalogue.projects.get(1)) };
  const change = () => update({ product_type: 'project', id_or_slug: '1', title: 'New', price: '5.00' }, academy);
  expect(rejection(change)).toMatchObject({
    status: 422,
    code: 'invalid_fields',
    supportedFields: ['title', 'description', 'course_id'],
  });
  expect(academy.catalogue.projects.get(1)).toEqual(before);
  const moved = () => update({ product_type: 'course', id_or_slug: '1', course_id: 2 }, academy);
  expect(rejection(moved)).toMatchObject({ status: 422, code: 'invalid_fields' });
});

test('a project can move only to an existing course', () => {
  const academy = makeAcademy();
  expect(update({ product_type: 'project', id_or_slug: '1', course_id: 2 }, academy)).toMatchObject({
    product: { product_type: 'project', attributes: { course_id: 2 } },
  });
  const away = () => update({ product_type: 'project', id_or_slug: '1', course_id: 99 }, academy);
  expect(rejection(away)).toMatchObject({ status: 422, code: 'invalid_parameter' });
});

test('bundles and digital products are listed, and each has a detail', () => {
  const academy = makeAcademy();
  const { bundles } = handlers['bundles.listBundles']({}, academy);
  expect(bundles).toHaveLength(12);
  expect(handlers['bundles.getBundle']({ bundle_id: 1 }, academy)).toMatchObject({
    title: 'Data Path',
    product_count: 5,
  });
  const { digital_products } = handlers['digital_products.listDigitalProducts']({}, academy);
  const [first] = digital_products;
  expect(handlers['digital_products.getDigitalProduct']({ digital_product_id: 1 }, academy)).toEqual({
    ...first,
    product_type: 'download',
    slug: 'formula-pocket-guide-pdf',
  });
  expect(rejection(() => handlers['bundles.getBundle']({ bundle_id: 99 }, academy))).toMatchObject({ status: 404 });
  const unknown = () => handlers['digital_products.getDigitalProduct']({ digital_product_id: 99 }, academy);
  expect(rejection(unknown)).toMatchObject({ status: 404 });
});
