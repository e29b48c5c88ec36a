import { expect, test } from 'vitest';
import { at, type Row, rows, whole } from '../support/academy.ts';
import { connectToApi, startAcademy } from '../support/connect.ts';
import { expectApiRefusal } from '../support/refusal.ts';
import { asShown, ids, truth } from '../support/truth.ts';
import { wholeStructure } from '../support/whole-rows.ts';

test('an academy without courses says so, without an empty list', async () => {
  const { call } = await connectToApi({ body: { courses: [] } });
  const { structured, text } = await call('list_courses');
  expect(structured).toEqual({ total: 0 });
  expect(text).toContain('No published courses.');
});

test('get_course_structure shows modules, lessons and ungrouped lessons as the API does', async () => {
  const { sandbox, call } = await startAcademy();
  const { course, modules, ungrouped_lessons } = await truth(sandbox, '/api/v1/courses/1/lessons');
  const { structured = {} } = await call('get_course_structure', { course_id: 1 });
  const lessons = [...rows(modules).flatMap((module) => rows(module.lessons)), ...rows(ungrouped_lessons)];
  expect(wholeStructure(structured)).toEqual({
    course,
    lesson_count: lessons.length,
    modules: rows(modules).map((module) => asShown(module)),
    ungrouped_lessons,
  });
});

const recorded = async (body: Row) => {
  const { call } = await connectToApi({ body });
  return (await call('get_course_structure', { course_id: 9 })).structured ?? {};
};

test('get_course_structure states a usual value once', async () => {
  const lesson = (id: number, sequence: number, more: Row = {}) => ({
    ...{ id, title: `Lesson ${id}`, sequence, is_published: true, lesson_type: 'Text' },
    ...more,
  });
  const lessons = [lesson(1, 4), lesson(2, 5, { is_published: false }), lesson(3, 6), lesson(4, 9), lesson(5, 9)];
  const body = { course: { id: 9 }, modules: [{ id: 7, title: 'One', sequence: 0, is_published: false, lessons }] };
  const structured = await recorded(body);
  expect(structured.defaults).toEqual({ is_published: true, lesson_type: 'Text' });
  expect(structured.modules).toEqual([
    {
      ...{ id: 7, title: 'One', sequence: 0, is_published: false },
      lessons: [
        { id: 1, title: 'Lesson 1', sequence: 4 },
        { id: 2, title: 'Lesson 2', sequence: 5, is_published: false },
        { id: 3, title: 'Lesson 3', sequence: 6 },
        { id: 4, title: 'Lesson 4', sequence: 9 },
        { id: 5, title: 'Lesson 5', sequence: 9 },
      ],
    },
  ]);
  expect(wholeStructure(structured).modules).toEqual(body.modules);
});

test('get_course_structure leaves nothing out if a lesson or module lacks the value', async () => {
  const lesson = (id: number) => ({ id, title: `Lesson ${id}`, sequence: id, is_published: true, lesson_type: 'Text' });
  const { is_published: _published, ...hidden } = lesson(3);
  const { sequence: _sequence, ...uncounted } = lesson(4);
  const module = { id: 7, title: 'One', sequence: 0, is_published: true };
  const modules = [{ ...module, lessons: [lesson(1), lesson(2), hidden, uncounted] }];
  const structured = await recorded({ course: { id: 9 }, modules });
  expect(structured.defaults).toEqual({ lesson_type: 'Text' });
  expect(wholeStructure(structured).modules).toEqual(modules);
  const { is_published: _shown, ...bare } = module;
  const lessons = [lesson(1), lesson(2), lesson(3)];
  expect((await recorded({ course: { id: 9 }, modules: [{ ...bare, lessons }] })).defaults).toEqual({
    lesson_type: 'Text',
  });
});

test('the outline of get_course_structure shows each lesson under its module, in the columns of its heading', async () => {
  const { sandbox, call } = await startAcademy();
  const { modules, ungrouped_lessons } = await truth(sandbox, '/api/v1/courses/1/lessons');
  const lines = (await call('get_course_structure', { course_id: 1 })).text.split('\n');
  const titled = (title: unknown) => (/[,:]/.test(String(title)) ? JSON.stringify(title) : title);
  // The types and publication of most lessons are stated once.
  const line = ({ id, sequence, title, is_published }: Row) =>
    `${id} | ${sequence} | ${titled(title)} | ${is_published === true ? '' : is_published}`;
  const expected = rows(modules).flatMap((module) => [
    `Module ${line(module)}`,
    ...rows(module.lessons).map((lesson) => `  ${line(lesson)}`),
  ]);
  expect(lines).toContain('defaults: is_published=true; lesson_type=Text');
  const heading = 'id | sequence | title | is_published';
  const ungrouped = rows(ungrouped_lessons).map((lesson) => `  ${line(lesson)}`);
  const outline = [heading, ...expected, 'In no module:', ...ungrouped];
  expect(lines.slice(-outline.length)).toEqual(outline);
  expect(outline.some((one) => one.endsWith('| false'))).toBe(true);
});

test('get_course_structure of a course without any lesson says so', async () => {
  const { call } = await connectToApi({
    body: { course: { id: 9, title: 'Empty' }, modules: [], ungrouped_lessons: [] },
  });
  const { structured, text } = await call('get_course_structure', { course_id: 9 });
  expect(structured).toEqual({ course: { id: 9, title: 'Empty' }, lesson_count: 0 });
  expect(text).toContain('Course 9: Empty. 0 lessons.');
});

test('get_course_structure keeps fields that it does not know in both forms', async () => {
  const module = { id: 1, title: 'One', lessons: [{ id: 5, title: 'A', minutes: 12 }], colour: 'teal' };
  const { call } = await connectToApi({ body: { course: { id: 9 }, modules: [module] } });
  const { structured, text } = await call('get_course_structure', { course_id: 9 });
  expect(structured?.modules).toEqual([module]);
  expect(text.split('\n').slice(-3)).toEqual([
    'id | title | colour | minutes',
    'Module 1 | One | teal | ',
    '  5 | A |  | 12',
  ]);
});

test('create_lesson in a module of another course is refused, and nothing is added', async () => {
  const { sandbox, call } = await startAcademy();
  const elsewhere = at(rows((await truth(sandbox, '/api/v1/courses/2/lessons')).modules), 0);
  const before = await truth(sandbox, '/api/v1/courses/1');
  const answer = await call('create_lesson', { course_id: 1, title: 'Lost', module_id: elsewhere.id });
  expect(expectApiRefusal(answer, 'unprocessable', 422)).toContain('module_id');
  expect(await truth(sandbox, '/api/v1/courses/1')).toEqual(before);
});

test('update_lesson changes what it is given and nothing else', async () => {
  const { sandbox, call } = await startAcademy();
  const lesson = at(rows(at(rows((await truth(sandbox, '/api/v1/courses/1/lessons')).modules), 0).lessons), 1);
  const kept = sandbox.academy.lessons.get(whole(lesson.id));
  const old = { ...kept };
  const { structured } = await call('update_lesson', { lesson_id: lesson.id, title: 'Renamed', points: 7 });
  expect(structured).toMatchObject({ outcome: 'applied', lesson_id: lesson.id, changed: ['title', 'points'] });
  expect(structured?.lesson).toMatchObject({ id: lesson.id, title: 'Renamed', points: 7 });
  expect(kept).toEqual({ ...old, title: 'Renamed', points: 7 });
});

test('update_lesson with module_id null takes a lesson out of its module', async () => {
  const { sandbox, call } = await startAcademy();
  const lesson = at(rows(at(rows((await truth(sandbox, '/api/v1/courses/1/lessons')).modules), 0).lessons), 1);
  const { structured } = await call('update_lesson', { lesson_id: lesson.id, module_id: null });
  expect(structured?.changed).toEqual(['module_id']);
  const { ungrouped_lessons } = await truth(sandbox, '/api/v1/courses/1/lessons');
  expect(ids(rows(ungrouped_lessons))).toContain(lesson.id);
});

test('lists that the API sends bare or with unknown fields are read all the same', async () => {
  const { call } = await connectToApi({ body: [{ id: 4, title: 'Bare', price: null, level: 'easy' }] });
  const { structured } = await call('list_courses');
  expect(structured).toEqual({ total: 1, courses: [{ id: 4, title: 'Bare', level: 'easy' }] });
});
