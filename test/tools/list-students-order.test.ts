import { expect, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/index.ts';
import { type Row, row, rows, words } from '../support/academy.ts';
import { addOrder, newcomer } from '../support/arrange.ts';
import { connect, startAcademy } from '../support/connect.ts';
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
