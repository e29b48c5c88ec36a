import { expect, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/index.ts';
import { type Row, row, rows, words } from '../support/academy.ts';
import { addOrder, newcomer } from '../support/arrange.ts';
import { connect, startAcademy } from '../support/connect.ts';
import { startBetween } from '../support/guarded.ts';
import { expectRefusal } from '../support/refusal.ts';
import { start } from '../support/sandbox.ts';
import { ids, truths } from '../support/truth.ts';

async function everyStudent(sandbox: Sandbox, pages: number): Promise<Row[]> {
  const each = Array.from({ length: pages }, (_, index) =>
    truths(sandbox, `/api/v1/students?page=${index + 1}`, 'students'),
  );
  return (await Promise.all(each)).flat();
}

test('list_students with reverse gives the lowest, oldest or last names first, and says so', async () => {
  const { sandbox, call } = await startAcademy({ students: 120 });
  const all = await everyStudent(sandbox, 3);
  const points = all.map((student) => Number(student.points)).sort((one, other) => one - other);
  const lowest = await call('list_students', { sort: 'points', reverse: true, limit: 10 });
  expect(rows(lowest.structured?.students).map((student) => student.points)).toEqual(points.slice(0, 10));
  expect(lowest.text).toMatch(/^120 of 120 students match, shown 1 to 10, by points, lowest first\./);
  const times = all.map(({ created_at }) => words(created_at)).sort();
  const columns = ['created_at'];
  const oldest = await call('list_students', { sort: 'joined', reverse: true, limit: 5, columns });
  expect(rows(oldest.structured?.students).map(({ created_at }) => created_at)).toEqual(times.slice(0, 5));
  expect(oldest.text).toContain('by joined, oldest first.');
  expect((await call('list_students', { sort: 'name', reverse: true, limit: 5 })).text).toContain('by name from Z.');
  const rarely = await call('list_students', { sort: 'sign_ins', reverse: true, limit: 5 });
  const signIns = all.map((student) => Number(student.sign_in_count)).sort((one, other) => one - other);
  expect(rows(rarely.structured?.students).map((one) => one.sign_in_count)).toEqual(signIns.slice(0, 5));
  expect(expectRefusal(await call('list_students', { reverse: true }), 'invalid_input')).toContain(
    'reverse needs sort',
  );
});

test('a cursor continues only the same direction', async () => {
  const { call } = await startAcademy();
  const asked = { sort: 'points', reverse: true, limit: 5 };
  const cursor = (await call('list_students', asked)).structured?.next_cursor;
  expect((await call('list_students', { ...asked, cursor })).isError).toBe(false);
  expectRefusal(await call('list_students', { ...asked, reverse: false, cursor }), 'invalid_input');
});

test('both forms count students beyond the last row that tie with it', async () => {
  const { sandbox, call } = await startAcademy({ students: 120 });
  const all = await everyStudent(sandbox, 3);
  const values = all.map(({ completion_percent }) => completion_percent);
  const limit = 2;
  const worst = values.filter((value) => value === 0).length;
  expect(worst).toBeGreaterThan(limit);
  const { structured, text } = await call('list_students', { sort: 'completion', reverse: true, limit });
  const said = `${worst - limit} students not shown here tie with the last one shown`;
  for (const form of [structured?.note, text]) expect(form).toContain(said);
  const whole = await call('list_students', { sort: 'completion', reverse: true, limit: 500 });
  expect(whole.structured?.note).toBeUndefined();
});

test('while students are unread, a sorted list says that others may come first', async () => {
  const { call } = await startAcademy({ students: 120 });
  const said = 'students that are not read yet can change who comes first';
  const asked = { sort: 'points', limit: 3 };
  const part = await call('list_students', { ...asked, max_requests: 1 });
  for (const form of [part.structured?.note, part.text]) expect(form).toContain(said);
  const whole = await call('list_students', { ...asked, max_requests: 5 });
  expect(whole.text).not.toContain(said);
});

test('location none finds the students without a location', async () => {
  const { sandbox, call } = await startAcademy({ students: 120 });
  const lacking = (await everyStudent(sandbox, 3)).filter(({ location }) => !location);
  expect(lacking.length).toBeGreaterThan(0);
  const { structured, text } = await call('list_students', { location: 'none', limit: 500 });
  expect(new Set(ids(rows(structured?.students)))).toEqual(new Set(ids(lacking)));
  expect(text).toContain(`${lacking.length} of 120 students match`);
});

test('the bounds and the day of joining are in the time zone of the academy, which the answer names', async () => {
  const sandbox = await start();
  const join = (name: string, at: string) =>
    sandbox.academy.students.join({ email: `${name}@example.com`, name, createdAt: Date.parse(at) });
  join('before', '2026-03-09T22:59:59Z');
  join('first', '2026-03-09T23:00:00Z');
  join('last', '2026-03-10T22:59:59Z');
  join('after', '2026-03-10T23:00:00Z');
  const settings = { ACADEMY_BASE_URL: sandbox.url, ACADEMY_RATE_LIMIT: 'off', ACADEMY_TIMEZONE: 'Europe/Madrid' };
  const { call } = await connect(settings);
  const asked = { joined_after: '2026-03-10', joined_before: '2026-03-11', sort: 'joined' };
  const { structured = {}, text } = await call('list_students', asked);
  const found = rows(structured.students).filter(({ name }) =>
    ['before', 'first', 'last', 'after'].includes(words(name)),
  );
  expect(found.map(({ name, joined }) => `${name} ${joined}`)).toEqual(['last 2026-03-10', 'first 2026-03-10']);
  const day = { from: '2026-03-09T23:00:00Z', to: '2026-03-10T23:00:00Z', timezone: 'Europe/Madrid' };
  expect(structured.joined).toEqual(day);
  expect(text).toContain('joined from 2026-03-10, before 2026-03-11 (Europe/Madrid)');
  expect(row((await call('list_students', { sort: 'joined' })).structured).joined).toBeUndefined();
});

test('after a name was looked up, every tool that leads to a person names the others of that name', async () => {
  const { sandbox, call } = await startAcademy();
  const [one, other] = ['ina.one@example.com', 'ina.two@example.com'].map((email) => newcomer(sandbox, email));
  for (const student of [one, other])
    if (student !== undefined) addOrder(sandbox, student, { courses: [1], amount: '9.00' });
  const [email, second] = [one?.email, other?.email];
  const found = await call('list_students', { name: 'ina newcomer' });
  const plain = (form: unknown) => JSON.stringify(form).replaceAll(/\\+"/g, '"');
  const shared = 'of one name, with different emails: "Ina Newcomer" (2)';
  for (const form of [found.text, found.structured]) expect(plain(form)).toContain(shared);
  const told = `another student is called "Ina Newcomer": ${second}`;
  const asked: [string, Row][] = [
    ['student_profile', { email }],
    ['diagnose_access', { email, product: 'course 1' }],
    ['revoke_course', { email, course_id: 1 }],
    ['offboard_student', { email }],
    ['sync_roster', { students: [{ email }], product: 'course 2' }],
    ['enroll_student', { email: 'ina.three@example.com', name: 'Ina Newcomer', course_id: 1 }],
  ];
  for (const [tool, args] of asked) {
    const { text, structured } = await call(tool, args);
    const said = tool === 'enroll_student' ? '2 other students are called "Ina Newcomer"' : told;
    expect(plain(text), tool).toContain(said);
    if (structured !== undefined) expect(plain(structured), tool).toContain(said);
  }
  const buyers = await call('find_buyers', { product: 'course 1', period: 'last_7_days' });
  for (const form of [buyers.text, buyers.structured]) expect(plain(form)).toContain('"Ina Newcomer" (2)');
});

async function startChanging() {
  const { sandbox, between, call } = await startBetween({ students: 170, orders: 0 });
  const before = (page: number, happen: () => void) =>
    between.arm({
      name: 'change',
      match: (_method, path) => path.includes('/students?') && path.includes(`page=${page}`),
      times: 1,
      fault: {
        at: 'body',
        act: async ({ answer, work }) => {
          happen();
          answer(await work());
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

const people = [
  'Jörg Böhme',
  'Łukasz Żółtowski',
  'Marcus O’Connor',
  "Siobhán O'Connor",
  'Weiß, Anna',
  'Đorđe Petrović',
];

async function startNamed() {
  const started = await startAcademy({ students: 60, orders: 10 });
  for (const [index, name] of people.entries())
    started.sandbox.academy.students.join({ email: `person${index}@example.com`, name, createdAt: Date.now() });
  return started;
}

test.each([
  ['bohme', ['Jörg Böhme']],
  ['zoltowski lukasz', ['Łukasz Żółtowski']],
  ["marcus o'connor", ['Marcus O’Connor']],
  ['OCONNOR', ['Marcus O’Connor', "Siobhán O'Connor"]],
  ['o’connor siobhan', ["Siobhán O'Connor"]],
  ['anna weiss', ['Weiß, Anna']],
  ['dorde', ['Đorđe Petrović']],
])('list_students finds %s', async (name, expected) => {
  const { call } = await startNamed();
  const { structured = {}, text } = await call('list_students', { name, sort: 'name' });
  const found = rows(structured.students ?? []).map((one) => words(one.name));
  for (const person of expected) expect(found, text).toContain(person);
  expect(
    found.filter((one) => people.includes(one)),
    text,
  ).toHaveLength(expected.length);
});

test('a name that nobody has is answered with the nearest names, as text of members', async () => {
  const { call } = await startNamed();
  const { structured = {}, text } = await call('list_students', { name: 'zoltofski' });
  expect(structured).toMatchObject({
    matching: 0,
    nearest: expect.arrayContaining([expect.objectContaining({ name: 'Łukasz Żółtowski' })]),
  });
  expect(structured.by_members).toContain('name');
  expect(text).toContain('person1@example.com');
  const { structured: none = {} } = await call('list_students', { name: 'qqqqqqqqqq' });
  expect(none).not.toHaveProperty('nearest');
});

test('a product is found without its accents, and a title that no product has is answered with the nearest', async () => {
  const { sandbox, call } = await startNamed();
  const course = [...sandbox.academy.catalogue.courses.all()][0];
  if (course === undefined) throw new Error('no course');
  Object.assign(course, { title: 'Façade Drawing für Anfänger' });
  const found = await call('find_buyers', { product: 'facade anfanger', period: 'all_time' });
  expect(found.text).toContain('Façade Drawing für Anfänger');
  const missed = await call('find_buyers', { product: 'Facade Drawning', period: 'all_time' });
  expect(missed.isError).toBe(true);
  expect(missed.text).toMatch(/the nearest titles: course \d+ .*Façade Drawing für Anfänger/);
});
