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
  words,
} from '../support/academy.ts';
import { differences } from '../support/shape.ts';
import {
  bundleItemShape,
  bundleShape,
  completionShape,
  courseItemShape,
  courseShape,
  digitalProductItemShape,
  digitalProductShape,
  roleShape,
} from '../support/shapes.ts';

test('courses are listed under their key with the fields of a list item', async () => {
  const academy = await startAcademy();
  const body = await academy.read('/api/v1/courses');
  expect(Object.keys(body)).toEqual(['courses']);
  expect(rows(body.courses).length).toBeGreaterThan(1);
  for (const course of rows(body.courses)) expect(differences(course, courseItemShape)).toEqual([]);
});

test('a course has the fields of its detail, identical to its list item', async () => {
  const academy = await startAcademy();
  for (const item of rows((await academy.read('/api/v1/courses')).courses)) {
    const course = await academy.read(`/api/v1/courses/${item.id}`);
    expect(differences(course, courseShape)).toEqual([]);
    expect(course).toMatchObject(item);
    expect(course.is_published).toBe(true);
  }
});

test('only published courses are listed, and an update takes effect at once', async () => {
  const academy = await startAcademy();
  const course = at(rows((await academy.read('/api/v1/courses')).courses), 0);
  const ids = async () => rows((await academy.read('/api/v1/courses')).courses).map(({ id }) => id);
  await publish(academy, course.id, false);
  expect(await ids()).not.toContain(course.id);
  expect((await academy.read(`/api/v1/courses/${course.id}`)).is_published).toBe(false);
  await publish(academy, course.id, true);
  expect(await ids()).toContain(course.id);
});

test('roles are listed with id and name', async () => {
  const academy = await startAcademy();
  const body = await academy.read('/api/v1/courses/roles');
  expect(Object.keys(body)).toEqual(['roles']);
  expect(rows(body.roles).length).toBeGreaterThan(0);
  for (const role of rows(body.roles)) expect(differences(role, roleShape)).toEqual([]);
});

test('a JSON and a form body return the same completion record', async () => {
  const academy = await startAcademy();
  const { course, email } = await courseOfSomebody(academy);
  const path = `/api/v1/courses/${course.id}/completion-percentage`;
  const json = await academy.send('POST', path, { user_email: email });
  const form = await academy.send('POST', path, new URLSearchParams({ user_email: email }));
  expect(json.status).toBe(200);
  expect(differences(row(json.body), completionShape)).toEqual([]);
  expect(row(json.body).email).toBe(email);
  expect(form.body).toEqual(json.body);
});

test('completion percentages are from 0 to 100, and the overall one equals that of the student list', async () => {
  const academy = await startAcademy({ students: 30 });
  const course = at(rows((await academy.read('/api/v1/courses')).courses), 0);
  for (const student of rows((await academy.read('/api/v1/students')).students).slice(0, 10)) {
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

test('bundles are listed with id and title, and each has its detail', async () => {
  const academy = await startAcademy();
  const body = await academy.read('/api/v1/bundles');
  expect(Object.keys(body)).toEqual(['bundles']);
  expect(rows(body.bundles).length).toBeGreaterThan(0);
  for (const item of rows(body.bundles)) {
    expect(differences(item, bundleItemShape)).toEqual([]);
    const bundle = await academy.read(`/api/v1/bundles/${item.id}`);
    expect(differences(bundle, bundleShape)).toEqual([]);
    expect(bundle).toMatchObject(item);
  }
});

test('digital products are listed, and the detail adds product_type and slug', async () => {
  const academy = await startAcademy();
  const body = await academy.read('/api/v1/digital_products');
  expect(Object.keys(body)).toEqual(['digital_products']);
  expect(rows(body.digital_products).length).toBeGreaterThan(0);
  for (const item of rows(body.digital_products)) {
    expect(differences(item, digitalProductItemShape)).toEqual([]);
    const product = await academy.read(`/api/v1/digital_products/${item.id}`);
    expect(differences(product, digitalProductShape)).toEqual([]);
    expect(product).toMatchObject(item);
    expect(product.product_type).toBe('download');
  }
});

const publish = (academy: Academy, id: unknown, is_published: boolean) =>
  academy.write('PATCH', `/api/v1/products/course/${id}`, { product: { is_published } });

async function courseOfSomebody(academy: Academy): Promise<{ course: Row; email: string }> {
  const orders = listed(await academy.read('/api/v1/orders'));
  const order = the(orders, 'paid order with a course', ({ courses }) => rows(courses).length > 0);
  return { course: at(rows(order.courses), 0), email: words(order.user_email) };
}
