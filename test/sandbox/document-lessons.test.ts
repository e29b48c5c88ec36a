import { expect, test } from 'vitest';
import {
  type Academy,
  at,
  expectError,
  type Row,
  row,
  rows,
  startAcademy,
  the,
  under,
  whole,
} from '../support/academy.ts';
import { lessonUpdateFields } from '../support/document.ts';
import { differences, lessonShape, moduleShape, structureCourseShape, structureShape } from '../support/shapes.ts';

const everyField = {
  title: 'Scales in both hands',
  content: '<p>Play slowly.</p>',
  is_published: true,
  lesson_type: 'Text',
  points: 15,
  sequence: 2,
  learning_objective: 'Even tone',
  video_embed: '<iframe></iframe>',
  video_url: 'https://video.example/scales',
  release_day: 3,
  requires_unlock: true,
};

test('the structure of a course has course, modules by sequence and ungrouped lessons, with their fields', async () => {
  const academy = await startAcademy();
  for (const course of await academy.list('/api/v1/courses')) {
    const structure = await academy.read(`/api/v1/courses/${course.id}/lessons`);
    expect(differences(structure, structureShape)).toEqual([]);
    expect(differences(row(structure.course), structureCourseShape)).toEqual([]);
    expect(structure.course).toMatchObject({ id: course.id, title: course.title });
    for (const module of rows(structure.modules)) expect(differences(module, moduleShape)).toEqual([]);
    for (const lesson of lessonsOf(structure)) expect(differences(lesson, lessonShape)).toEqual([]);
    const order = sequences(rows(structure.modules));
    expect(order).toEqual([...order].sort((one, other) => one - other));
  }
});

test('a lesson without sequence comes last in its module', async () => {
  const academy = await startAcademy();
  const { path, module } = await courseWithModule(academy);
  const { id } = await create(academy, path, { title: 'Last of the module', module_id: module.id });
  const lessons = rows(the(rows((await academy.read(path)).modules), 'module', ({ id }) => id === module.id).lessons);
  expect(lessons).toHaveLength(rows(module.lessons).length + 1);
  expect(lessons.at(-1)).toMatchObject({ id, title: 'Last of the module' });
  expect(sequences(lessons.slice(0, -1)).every((other) => other < whole(lessons.at(-1)?.sequence))).toBe(true);
});

test('a lesson without sequence and module comes after the ungrouped lessons of the course', async () => {
  const academy = await startAcademy();
  const { path } = await courseWithModule(academy);
  const first = await create(academy, path, { title: 'First ungrouped' });
  const second = await create(academy, path, { title: 'Second ungrouped', module_id: null });
  const ungrouped = rows((await academy.read(path)).ungrouped_lessons);
  expect(ungrouped.slice(-2).map(({ id }) => id)).toEqual([first.id, second.id]);
  const last = whole(ungrouped.at(-1)?.sequence);
  expect(sequences(ungrouped.slice(0, -1)).every((other) => other < last)).toBe(true);
});

test('a lesson can be created with every input field, and the structure shows its part of them', async () => {
  const academy = await startAcademy();
  const { path, module } = await courseWithModule(academy);
  const { id } = await create(academy, path, { ...everyField, module_id: module.id });
  const lesson = await find(academy, path, id);
  expect(differences(lesson, lessonShape)).toEqual([]);
  expect(lesson).toMatchObject({ title: everyField.title, sequence: 2, is_published: true, lesson_type: 'Text' });
});

test('a created lesson raises the lesson count of its course', async () => {
  const academy = await startAcademy();
  const { path, course } = await courseWithModule(academy);
  const count = async () => whole((await academy.read(`/api/v1/courses/${course.id}`)).lesson_count);
  const before = await count();
  await create(academy, path, { title: 'One more', is_published: true });
  expect(await count()).toBe(before + 1);
});

test('a lesson needs a title, a known course and values of the documented types, and an update a known lesson', async () => {
  const academy = await startAcademy();
  const { path } = await courseWithModule(academy);
  const bodies = [
    {},
    { content: 'no title' },
    { title: null },
    { title: 5 },
    { title: 'A', is_published: 'maybe' },
    { title: 'A', points: 'many' },
    { title: 'A', module_id: 'first' },
  ];
  for (const body of bodies) expectError(await academy.send('POST', path, body), 422);
  expectError(await academy.send('POST', '/api/v1/courses/99999999/lessons', { title: 'A' }), 404, 'not_found');
  expectError(await academy.send('PATCH', '/api/v1/lessons/99999999', { title: 'A' }), 404, 'not_found');
});

test.each(['PATCH', 'PUT'])(
  '%s changes only the given fields of a lesson, and accepts every supported one',
  async (method) => {
    const academy = await startAcademy();
    const { path, module } = await courseWithModule(academy);
    const lesson = at(rows(module.lessons), 0);
    await academy.write(method, `/api/v1/lessons/${lesson.id}`, { title: 'A new title' });
    expect(await find(academy, path, lesson.id)).toEqual({ ...lesson, title: 'A new title' });
    await academy.write(method, `/api/v1/lessons/${lesson.id}`, { is_published: !lesson.is_published });
    const changed = { ...lesson, title: 'A new title', is_published: !lesson.is_published };
    expect(await find(academy, path, lesson.id)).toEqual(changed);
    for (const [field, value] of Object.entries({ ...everyField, module_id: module.id })) {
      await academy.write(method, `/api/v1/lessons/${lesson.id}`, { [field]: value });
    }
  },
);

test.each(['PATCH', 'PUT'])(
  '%s with module_id null makes a lesson ungrouped, and an id groups it again',
  async (method) => {
    const academy = await startAcademy();
    const { path, module } = await courseWithModule(academy);
    const lesson = at(rows(module.lessons), 0);
    const ungrouped = async () => rows((await academy.read(path)).ungrouped_lessons).map(({ id }) => id);
    await academy.write(method, `/api/v1/lessons/${lesson.id}`, { module_id: null });
    expect(await ungrouped()).toContain(lesson.id);
    await academy.write(method, `/api/v1/lessons/${lesson.id}`, { module_id: module.id });
    expect(await ungrouped()).not.toContain(lesson.id);
  },
);

test('an unsupported field rejects the whole update and lists the supported ones', async () => {
  const academy = await startAcademy();
  const { path, module } = await courseWithModule(academy);
  const lesson = at(rows(module.lessons), 0);
  for (const method of ['PATCH', 'PUT']) {
    const body = { title: 'Not to be kept', course_id: 1 };
    const refusal = expectError(
      await academy.send(method, `/api/v1/lessons/${lesson.id}`, body),
      422,
      'invalid_fields',
    );
    for (const field of lessonUpdateFields) expect(JSON.stringify(refusal)).toContain(field);
  }
  expect(await find(academy, path, lesson.id)).toEqual(lesson);
});

async function courseWithModule(academy: Academy): Promise<{ course: Row; path: string; module: Row }> {
  for (const course of await academy.list('/api/v1/courses')) {
    const path = `/api/v1/courses/${course.id}/lessons`;
    const module = rows((await academy.read(path)).modules).find(({ lessons }) => rows(lessons).length > 1);
    if (module !== undefined) return { course, path, module };
  }
  throw new Error('the seeded data hold no course with a module of two lessons');
}

async function create(academy: Academy, path: string, lesson: Row): Promise<Row> {
  return under((await academy.write('POST', path, lesson)).body, 'lesson');
}

const lessonsOf = (structure: Row): Row[] => [
  ...rows(structure.modules).flatMap((module) => rows(module.lessons)),
  ...rows(structure.ungrouped_lessons),
];

const find = async (academy: Academy, path: string, id: unknown): Promise<Row> =>
  the(lessonsOf(await academy.read(path)), `lesson ${id}`, (lesson) => lesson.id === id);

const sequences = (lessons: Row[]): number[] => lessons.map((lesson) => whole(lesson.sequence));
