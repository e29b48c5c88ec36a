import { expect, test } from 'vitest';
import { handlers } from '../../../src/sandbox/handlers/index.ts';
import type { Academy } from '../../../src/sandbox/state/academy.ts';
import { heldCourses } from '../../../src/sandbox/state/held-products.ts';
import { enrollAda, makeAcademy, rejection, required } from './make-academy.ts';

const course_id = 1;

function firstModule(academy: Academy) {
  const { id } = required(academy.lessons.modulesOf(course_id)[0]);
  return { id, lessons: academy.lessons.siblings(course_id, id) };
}

function sequences(academy: Academy, moduleId: number | null) {
  return academy.lessons.siblings(course_id, moduleId).map(({ id, sequence }) => [id, sequence]);
}

test('with absolute sequences the given number is stored and the other lessons keep theirs', () => {
  const academy = makeAcademy({ sequence: 'absolute' });
  const { id: moduleId, lessons } = firstModule(academy);
  const before = sequences(academy, moduleId);
  const moved = required(lessons[2]);
  handlers['courses.updateLesson']({ lesson_id: moved.id, sequence: 500 }, academy);
  const kept = before.filter(([id]) => id !== moved.id);
  expect(sequences(academy, moduleId)).toEqual([...kept, [moved.id, 500]]);
});

test('lessons of the same sequence are sorted by id', () => {
  const academy = makeAcademy({ sequence: 'absolute' });
  const { id: moduleId, lessons } = firstModule(academy);
  const [first, second] = [required(lessons[0]), required(lessons[1])];
  handlers['courses.updateLesson']({ lesson_id: first.id, sequence: second.sequence }, academy);
  expect(
    sequences(academy, moduleId)
      .slice(0, 2)
      .map(([id]) => id),
  ).toEqual([first.id, second.id].sort());
});

test('with shifting sequences the lesson takes the position and all are renumbered from 0', () => {
  const academy = makeAcademy({ sequence: 'shift' });
  const { id: moduleId, lessons } = firstModule(academy);
  const [a, b, c, d] = lessons.map(({ id }) => id);
  handlers['courses.updateLesson']({ lesson_id: required(d), sequence: 1 }, academy);
  expect(sequences(academy, moduleId)).toEqual([
    [a, 0],
    [d, 1],
    [b, 2],
    [c, 3],
  ]);
  handlers['courses.updateLesson']({ lesson_id: required(a), sequence: 99 }, academy);
  expect(sequences(academy, moduleId).map(([id]) => id)).toEqual([d, b, c, a]);
});

test('with shifting sequences a lesson can move to a position in another module', () => {
  const academy = makeAcademy({ sequence: 'shift' });
  const { id: from, lessons } = firstModule(academy);
  const to = required(academy.lessons.modulesOf(course_id)[1]).id;
  const there = sequences(academy, to).map(([id]) => id);
  const moved = required(lessons[0]).id;
  handlers['courses.updateLesson']({ lesson_id: moved, module_id: to, sequence: 0 }, academy);
  expect(sequences(academy, to).map(([id]) => id)).toEqual([moved, ...there]);
  expect(sequences(academy, from).map(([id]) => id)).not.toContain(moved);
});

test('a module of another course or an unknown module is 422 and changes nothing', () => {
  const academy = makeAcademy();
  const lesson = required(firstModule(academy).lessons[0]);
  const before = { ...lesson };
  const foreign = required(academy.lessons.modulesOf(2)[0]).id;
  for (const module_id of [foreign, 999_999]) {
    const update = () => handlers['courses.updateLesson']({ lesson_id: lesson.id, title: 'No', module_id }, academy);
    expect(rejection(update)).toMatchObject({ status: 422, code: 'invalid_parameter' });
    const create = () => handlers['courses.createLesson']({ course_id, title: 'No', module_id }, academy);
    expect(rejection(create)).toMatchObject({ status: 422, code: 'invalid_parameter' });
  }
  expect(lesson).toEqual(before);
});

test('created and updated lessons have their fields in the same order', () => {
  const academy = makeAcademy();
  const created = handlers['courses.createLesson']({ course_id, points: 5, title: 'One more' }, academy);
  const { id: lesson_id } = required(academy.lessons.all().at(-1));
  const updated = handlers['courses.updateLesson']({ lesson_id, title: 'One more' }, academy);
  const seeded = handlers['courses.updateLesson']({ lesson_id: 1001, points: 5 }, academy);
  const names = (answer: object) => Object.values(answer).map((lesson: object) => Object.keys(lesson));
  expect(JSON.stringify(created)).toBe(JSON.stringify(updated));
  expect(names(seeded)).toEqual(names(created));
});

const list = handlers['orders.listOrders'];

test('created_after is inclusive, created_before is exclusive, and a day is its midnight in UTC', () => {
  const academy = makeAcademy();
  const all = list({ status: 'all' }, academy).orders;
  const bound = required(all[100]).created_at;
  const ids = (orders: { id: string }[]) => orders.map(({ id }) => id);
  expect(ids(list({ status: 'all', created_after: bound }, academy).orders)).toEqual(
    ids(all.filter(({ created_at }) => created_at >= bound)),
  );
  expect(ids(list({ status: 'all', created_before: bound }, academy).orders)).toEqual(
    ids(all.filter(({ created_at }) => created_at < bound)),
  );
  const day = bound.slice(0, 10);
  const since = list({ status: 'all', created_after: day }, academy);
  for (const midnight of [`${day}T00:00:00Z`, `${day}T00:00:00`, `${day}T02:00:00+02:00`]) {
    expect(list({ status: 'all', created_after: midnight }, academy)).toEqual(since);
  }
});

test('the name of a buyer is split, and all purchases of a buyer have one address', () => {
  const academy = makeAcademy();
  const orders = list({ status: 'all' }, academy).orders.filter(({ amount }) => Number(amount) > 0);
  const addresses = new Map<string, string>();
  for (const order of orders) {
    expect(`${order.user_first_name} ${order.user_last_name}`).toBe(order.user_name);
    const address = `${order.billing_street}, ${order.billing_zip} ${order.billing_city}, ${order.billing_country}`;
    expect(addresses.get(order.user_email.toLowerCase()) ?? address).toBe(address);
    addresses.set(order.user_email.toLowerCase(), address);
  }
  expect(new Set(addresses.values()).size).toBeGreaterThan(20);
});

const noAddress = {
  billing_city: '',
  billing_state: '',
  billing_country: '',
  billing_street: '',
  billing_zip: '',
  billing_company: null,
  billing_phone: null,
};

test('granted access has no billing address, in the seed and for a new student', () => {
  const academy = makeAcademy();
  const seeded = list({}, academy).orders.filter(({ amount }) => Number(amount) === 0);
  expect(seeded.length).toBeGreaterThan(5);
  for (const order of seeded) expect(order).toMatchObject(noAddress);
  const { email } = enrollAda(academy, { course_id: 1 });
  expect(list({ user_email: email }, academy).orders).toEqual([expect.objectContaining(noAddress)]);
});

const search = handlers['products.searchProducts'];
const update = handlers['products.updateProduct'];

test('a text is cut between characters', () => {
  const academy = makeAcademy();
  const body = update({ product_type: 'course', id_or_slug: '7', description: '🙂'.repeat(4001) }, academy);
  expect(body).toMatchObject({
    product: { attributes: { description: '🙂'.repeat(4000) }, truncated_attributes: ['description'] },
  });
});

test('a new title is visible everywhere at once, and the slug stays', () => {
  const academy = makeAcademy();
  const { email } = enrollAda(academy, { course_id: 7 });
  update({ product_type: 'course', id_or_slug: '7', title: 'SQL, renamed' }, academy);
  const title = 'SQL, renamed';
  expect(handlers['courses.listCourses']({}, academy).courses).toContainEqual(
    expect.objectContaining({ id: 7, title }),
  );
  expect(handlers['courses.getCourse']({ course_id: 7 }, academy)).toMatchObject({ title });
  expect(handlers['courses.getCourseStructure']({ course_id: 7 }, academy).course).toMatchObject({ title });
  expect(search({ query: title }, academy).products).toMatchObject([{ id: 7, title, slug: 'data-analysis-with-sql' }]);
  const { orders } = list({ user_email: email }, academy);
  expect(orders[0]?.courses).toEqual([{ id: 7, title }]);
});

test('a price is stored with two decimals', () => {
  const academy = makeAcademy();
  expect(update({ product_type: 'bundle', id_or_slug: '1', price: '49.5' }, academy)).toMatchObject({
    product: { attributes: { price: '49.50' } },
  });
});

test('a project can move only to an existing course', () => {
  const academy = makeAcademy();
  expect(update({ product_type: 'project', id_or_slug: '1', course_id: 2 }, academy)).toMatchObject({
    product: { product_type: 'project', attributes: { course_id: 2 } },
  });
  const away = () => update({ product_type: 'project', id_or_slug: '1', course_id: 99 }, academy);
  expect(rejection(away)).toMatchObject({ status: 422, code: 'invalid_parameter' });
});

const posts = handlers['community.searchPosts'];

test('a new channel gets a unique slug', () => {
  const academy = makeAcademy();
  const create = (name: string) => handlers['community.createChannel']({ name, group_id: 1 }, academy);
  expect(create('Photo Critique')).toMatchObject({ channel: { slug: 'photo-critique-2', is_private: false } });
  expect(create('Photo Critique')).toMatchObject({ channel: { slug: 'photo-critique-3', locked: false } });
  expect(create('Ça va ? 写真')).toMatchObject({ channel: { slug: 'ca-va-写真' } });
  expect(create('!!!')).toMatchObject({ channel: { slug: 'channel', group: { id: 1, name: 'Welcome' } } });
  expect(posts({ id_or_slug: 'photo-critique-2' }, academy)).toMatchObject({ posts: [], meta: { total_posts: 0 } });
});

const completion = handlers['courses.getCourseCompletion'];

test('the completion of a course counts its published lessons and requires access', () => {
  const academy = makeAcademy();
  const { id, email } = enrollAda(academy, { course_id: 7 });
  const published = [...academy.lessons.publishedIds(7)];
  academy.progress.set(id, 7, published.slice(0, 23));
  const percent = Math.floor(2300 / published.length);
  expect(completion({ course_id: 7, user_email: email }, academy)).toMatchObject({
    id,
    completion_percent: percent,
    course_completion_percent: percent,
  });
  expect(completion({ course_id: 1, user_email: email }, academy)).toMatchObject({ course_completion_percent: 0 });
  expect(rejection(() => completion({ course_id: 99, user_email: email }, academy))).toMatchObject({ status: 404 });
});

test('a pending or failed order gives no access', () => {
  const academy = makeAcademy();
  const { id } = enrollAda(academy);
  const order = required(academy.orders.all()[0]);
  for (const [status, course] of [
    ['pending', 1],
    ['failed', 2],
    ['paid', 3],
    ['wallet_executed', 4],
  ] as const) {
    academy.orders.add({ ...order, student_id: id, status, courses: [course] });
  }
  expect(heldCourses(academy, id)).toEqual([3, 4]);
});

test('revoke-course also removes the course from orders of a bundle, and keeps the progress in it', () => {
  const academy = makeAcademy();
  const { id, email, name } = enrollAda(academy, { course_id: 1, bundle_id: 1 });
  academy.progress.complete(id, 1, 1001);
  handlers['access.revokeCourse']({ email, name, course_id: 1 }, academy);
  expect(heldCourses(academy, id)).toEqual([7, 9]);
  expect(academy.progress.completed(id, 1)).toEqual([1001]);
});
