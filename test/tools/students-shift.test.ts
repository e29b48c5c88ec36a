import { expect, test } from 'vitest';
import { answerBytes } from '../reliability/raw-http.ts';
import { row } from '../support/academy.ts';
import { startBetween } from '../support/guarded.ts';

async function startChanging() {
  const { sandbox, between, call } = await startBetween({ students: 170, orders: 0 });
  const before = (page: number, happen: () => void) =>
    between.arm({
      name: 'change',
      match: (_method, path) => path.includes('/students?') && path.includes(`page=${page}`),
      times: 1,
      fault: {
        at: 'body',
        act: async ({ socket, work }) => {
          happen();
          socket.write(answerBytes(await work()));
        },
      },
    });
  const pages = () => between.log.filter(({ path }) => path.includes('/students')).length;
  return { sandbox, call, before, pages };
}

const all = { sort: 'name', limit: 500, columns: ['email'] };

test('students of several pages cost one request more than they have pages', async () => {
  const { call, pages } = await startChanging();
  const { structured, text } = await call('list_students', all);
  expect(structured, text).toMatchObject({ matching: 170 });
  expect([text.startsWith('Incomplete'), pages()]).toEqual([false, 5]);
});

test('somebody who signs up while students are read does not make the list incomplete', async () => {
  const { sandbox, call, before } = await startChanging();
  before(3, () => void sandbox.academy.students.join({ email: 'new@example.com', name: 'New', createdAt: Date.now() }));
  const { structured, text } = await call('list_students', all);
  expect(text).not.toMatch(/^Incomplete/);
  expect(structured, text).toMatchObject({ matching: 171 });
});

test('a student who leaves while another signs up makes the tool read the list again', async () => {
  const { sandbox, call, before, pages } = await startChanging();
  const { students } = sandbox.academy;
  const everybody = students.all.bind(students);
  before(4, () => {
    const [first] = everybody();
    students.all = () => everybody().filter((one) => one !== first);
    Object.defineProperty(students, 'size', { get: () => students.all().length });
    students.join({ email: 'new@example.com', name: 'New', createdAt: Date.now() });
  });
  const { structured, text } = await call('list_students', all);
  expect(structured, text).toMatchObject({ matching: 170 });
  expect(text).not.toMatch(/^Incomplete/);
  expect(pages()).toBe(10);
  expect(row(structured ?? {}).coverage ?? {}).not.toMatchObject({ complete: false });
});
