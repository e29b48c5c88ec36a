import { expect, test } from 'vitest';
import { type Row, row, rows } from '../../support/academy.ts';
import { connectToApi } from '../../support/connect.ts';
import { expectRefusal } from '../../support/refusal.ts';

const lesson = (id: number, sequence?: unknown): Row => ({ id, title: `Lesson ${id}`, sequence, is_published: true });

const moduleOf = (lessons: unknown, more: Row = {}): Row => ({ id: 5, title: 'Five', sequence: 1, lessons, ...more });

/** A course with the structure that the test gives. */
async function startCourse(structure: Row) {
  const { call, requests } = await connectToApi({ body: { course: { id: 7, title: 'Seven' }, ...structure } });
  const asked = (...lesson_ids: number[]) => ({
    course_id: 7,
    outline: { modules: [{ module_id: 5, lesson_ids }], ungrouped_lesson_ids: [] },
  });
  const shown = async () => {
    const { structured = {}, text } = await call('get_course_structure', { course_id: 7 });
    return { structured, text, ids: rows(rows(structured.modules ?? [])[0]?.lessons ?? []).map(({ id }) => id) };
  };
  const writes = () => requests.filter(({ method }) => method !== 'GET');
  return { call, asked, shown, writes };
}

test('lessons that are listed by id are shown and planned by their sequence numbers', async () => {
  const { call, asked, shown } = await startCourse({
    modules: [moduleOf([lesson(1, '3'), lesson(2, '1'), lesson(3, '2')])],
    ungrouped_lessons: [],
  });
  expect((await shown()).ids).toEqual([2, 3, 1]);
  const same = await call('plan_course_outline', asked(2, 3, 1));
  expect(same.structured?.changes).toBeUndefined();
  const other = await call('plan_course_outline', asked(1, 2, 3));
  expect(rows(other.structured?.changes).length).toBeGreaterThan(0);
});

test('modules are shown by their sequence numbers too', async () => {
  const modules = [{ ...moduleOf([]), id: 6, sequence: 2 }, moduleOf([lesson(1, 1)])];
  const { shown } = await startCourse({ modules, ungrouped_lessons: [] });
  expect(rows((await shown()).structured.modules).map(({ id }) => id)).toEqual([5, 6]);
});

test.each([
  ['no numbers', [lesson(1, null), lesson(2, null)]],
  ['a number missing', [lesson(1, 1), lesson(2)]],
  ['a number that is none', [lesson(1, 1), lesson(2, 1.5)]],
  ['equal numbers in a list that goes by others', [lesson(1, 4), lesson(2, 1), lesson(3, 1)]],
])('an order that is not clear is warned of, and no outline is written: %s', async (_name, lessons) => {
  const { call, asked, shown, writes } = await startCourse({ modules: [moduleOf(lessons)], ungrouped_lessons: [] });
  const ids = lessons.map(({ id }) => Number(id));
  expect((await shown()).structured.note).toMatch(/the order of the lessons of module 5 is not clear/);
  const plan = await call('plan_course_outline', asked(...ids));
  expect(plan.text).toMatch(/Warning: the order of the lessons of module 5 is not clear/);
  const apply = { ...asked(...ids.toReversed()), base_version: plan.structured?.base_version, confirm: true };
  const refusal = expectRefusal(await call('apply_course_outline', apply), 'unexpected_response');
  expect(refusal).toContain('the order of the lessons of module 5 is not clear');
  expect(writes()).toEqual([]);
});

test.each<[string, Row]>([
  ['an entry that is no lesson', { modules: [moduleOf([lesson(1, 1), null])], ungrouped_lessons: [] }],
  ['lessons as a map by name', { modules: [moduleOf({ first: lesson(1, 1) })], ungrouped_lessons: [] }],
  ['a module within a module', { modules: [moduleOf([], { modules: [moduleOf([lesson(1, 1)])] })] }],
  ['one list of all lessons', { lessons: [lesson(1, 1)] }],
])('what could not be read of a structure is counted, and not planned from: %s', async (_name, structure) => {
  const { call, asked, shown } = await startCourse(structure);
  const { structured, text } = await shown();
  expect(row(structured.coverage)).toMatchObject({ complete: false });
  expect(Number(row(row(structured.coverage).unreadable).lessons)).toBeGreaterThan(0);
  expect(text).toMatch(/^Incomplete \(/);
  const refusal = expectRefusal(await call('plan_course_outline', asked(1)), 'unexpected_response');
  expect(refusal).toContain('could not be read: this course cannot be planned');
});

test('a lesson that is shown in two modules is named', async () => {
  const modules = [moduleOf([lesson(1, 1)]), { ...moduleOf([lesson(1, 1)]), id: 6, sequence: 2 }];
  const { shown } = await startCourse({ modules, ungrouped_lessons: [] });
  expect((await shown()).structured.note).toBe('lessons are shown in more than one place: 1');
});
