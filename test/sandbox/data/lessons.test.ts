import { expect, test } from 'vitest';
import { handlers } from '../../../src/sandbox/handlers/index.ts';
import type { Academy } from '../../../src/sandbox/state/academy.ts';
import { makeAcademy, rejection, required } from './make-academy.ts';

const course_id = 1;

function firstModule(academy: Academy) {
  const { id } = required(academy.lessons.modulesOf(course_id)[0]);
  return { id, lessons: academy.lessons.siblings(course_id, id) };
}

function sequences(academy: Academy, moduleId: number | null) {
  return academy.lessons.siblings(course_id, moduleId).map(({ id, sequence }) => [id, sequence]);
}

test('a lesson without a sequence comes last in its module', () => {
  const academy = makeAcademy();
  const { id: module_id, lessons } = firstModule(academy);
  handlers['courses.createLesson']({ course_id, module_id, title: 'One more' }, academy);
  const last = required(academy.lessons.siblings(course_id, module_id).at(-1));
  expect(last).toMatchObject({ title: 'One more', module_id, sequence: (lessons.at(-1)?.sequence ?? 0) + 1 });
});

test('a lesson without a module and a sequence comes after all lessons of the course', () => {
  const academy = makeAcademy();
  const highest = Math.max(...academy.lessons.ofCourse(course_id).map(({ sequence }) => sequence));
  handlers['courses.createLesson']({ course_id, title: 'Afterword' }, academy);
  expect(academy.lessons.siblings(course_id, null).at(-1)).toMatchObject({ title: 'Afterword', sequence: highest + 1 });
});

test('a created lesson has the given fields and defaults for the others', () => {
  const academy = makeAcademy();
  const body = handlers['courses.createLesson']({ course_id, title: 'One more', points: 5 }, academy);
  expect(body).toMatchObject({
    lesson: { title: 'One more', points: 5, is_published: false, lesson_type: 'Text', module_id: null, content: null },
  });
});

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

test('an update changes only the given fields', () => {
  const academy = makeAcademy();
  const lesson = required(firstModule(academy).lessons[0]);
  const before = { ...lesson };
  handlers['courses.updateLesson']({ lesson_id: lesson.id, title: 'Renamed', is_published: false }, academy);
  expect(lesson).toEqual({ ...before, title: 'Renamed', is_published: false });
});

test('module_id null makes a lesson ungrouped and keeps its sequence', () => {
  const academy = makeAcademy();
  const lesson = required(firstModule(academy).lessons[1]);
  const { sequence } = lesson;
  handlers['courses.updateLesson']({ lesson_id: lesson.id, module_id: null }, academy);
  const { ungrouped_lessons } = handlers['courses.getCourseStructure']({ course_id }, academy);
  expect(ungrouped_lessons).toContainEqual(expect.objectContaining({ id: lesson.id, sequence }));
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

test('an unknown course or lesson is 404', () => {
  const academy = makeAcademy();
  const works = [
    () => handlers['courses.createLesson']({ course_id: 99, title: 'No' }, academy),
    () => handlers['courses.updateLesson']({ lesson_id: 1, title: 'No' }, academy),
    () => handlers['courses.getCourseStructure']({ course_id: 99 }, academy),
    () => handlers['courses.getCourse']({ course_id: 99 }, academy),
  ];
  for (const work of works) expect(rejection(work)).toMatchObject({ status: 404, code: 'not_found' });
});

test('the structure lists each lesson of the course once, in order', () => {
  const academy = makeAcademy();
  for (const { id } of academy.catalogue.courses.all()) {
    const { modules, ungrouped_lessons } = handlers['courses.getCourseStructure']({ course_id: id }, academy);
    const lists = [...modules.map(({ lessons }) => lessons), ungrouped_lessons];
    const ids = lists.flat().map((lesson) => lesson.id);
    expect([...ids].sort()).toEqual(
      academy.lessons
        .ofCourse(id)
        .map((lesson) => lesson.id)
        .sort(),
    );
    for (const list of [modules, ...lists]) {
      const order = list.map(({ sequence }) => sequence);
      expect(order).toEqual([...order].sort((a, b) => a - b));
    }
  }
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
