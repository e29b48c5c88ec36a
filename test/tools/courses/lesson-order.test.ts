import { expect, test } from 'vitest';
import { at, type Row, row, rows, whole } from '../../support/academy.ts';
import { connectToApi, startAcademy } from '../../support/connect.ts';
import { expectRefusal, requestsOf } from '../../support/refusal.ts';
import { call as request } from '../../support/sandbox.ts';
import { ids, truth } from '../../support/truth.ts';

async function startCourse(sequence: 'absolute' | 'shift' = 'absolute') {
  const { sandbox, call } = await startAcademy({ sequence });
  const modules = async () => rows((await truth(sandbox, '/api/v1/courses/5/lessons')).modules);
  const lessonsOf = (module: Row) => rows(module.lessons);
  const longest = (await modules()).reduce((one, other) =>
    lessonsOf(one).length < lessonsOf(other).length ? other : one,
  );
  const order = async () => ids(lessonsOf(row((await modules()).find(({ id }) => id === longest.id))));
  const create = (given: Row) => call('create_lesson', { course_id: 5, module_id: longest.id, title: 'New', ...given });
  return { sandbox, call, create, order, module_id: whole(longest.id) };
}

for (const sequence of ['absolute', 'shift'] as const) {
  test(`${sequence}: create_lesson puts the lesson at any position and says where it is, and the others keep their order`, async () => {
    const { create, order, module_id } = await startCourse(sequence);
    const count = (await order()).length;
    for (let position = 1; position <= count + 1; position += 1) {
      const before = await order();
      const { structured = {}, text, isError } = await create({ title: `At ${position}`, position });
      expect(isError, text).toBe(false);
      const { id } = row(structured.lesson);
      expect(structured).toMatchObject({ outcome: 'applied', landed: { module_id, position, of: before.length + 1 } });
      expect(text).toContain(`Place: ${position} of ${before.length + 1} in module ${module_id}.`);
      expect(await order()).toEqual(before.toSpliced(position - 1, 0, id));
    }
  });
}

test('create_lesson without a position says where the lesson is, for the same three requests', async () => {
  const { create, order, module_id } = await startCourse();
  const answer = await create({});
  const { length } = await order();
  expect(answer.structured?.landed).toEqual({ module_id, position: length, of: length });
  expect(answer.structured).not.toHaveProperty('next');
  expect(requestsOf(answer)).toBe(3);
});

test('a position without a module is refused with the names of the modules, and nothing is created', async () => {
  const { call, module_id, order } = await startCourse();
  const before = await order();
  const text = expectRefusal(
    await call('create_lesson', { course_id: 5, title: 'Loose', position: 1 }),
    'invalid_input',
  );
  expect(text).toContain('a lesson in no module comes after all modules');
  expect(text).toMatch(new RegExp(`the modules are .*${module_id} "`));
  expect(await order()).toEqual(before);
});

test('a lesson in no module says so', async () => {
  const { call } = await startCourse();
  const { structured, text } = await call('create_lesson', {
    course_id: 5,
    title: 'Loose',
    module_id: null,
    position: 1,
  });
  expect(structured?.landed).toEqual({ module: 'none', position: 1, of: expect.any(Number) });
  expect(text).toMatch(/Place: 1 of \d+ in no module\./);
});

test('a repeated create_lesson answers already_there and sends nothing, whatever fields the API does not show', async () => {
  for (const given of [{}, { position: 2 }, { content: 'the body', points: 5 }, { position: 1, content: 'the body' }]) {
    const { create, order } = await startCourse();
    const first = await create(given);
    expect(first.structured?.outcome).toBe('applied');
    expect(first.text).not.toContain('the body');
    const before = await order();
    const again = await create(given);
    expect(again.isError, again.text).toBe(false);
    expect(again.structured).toMatchObject({ outcome: 'already_there', landed: first.structured?.landed });
    expect(row(again.structured?.lesson).id).toBe(row(first.structured?.lesson).id);
    expect(again.text).toMatch(/^Nothing was sent: the lesson already existed\./);
    expect(await order()).toEqual(before);
  }
});

test('a lesson that somebody else created identically is already_there', async () => {
  const { sandbox, create, module_id, order } = await startCourse();
  await request(sandbox, 'POST', '/api/v1/courses/5/lessons', { title: 'Theirs', module_id });
  const before = await order();
  const { structured, text } = await create({ title: 'Theirs' });
  expect(structured).toMatchObject({ outcome: 'already_there', landed: { position: before.length } });
  expect(text).toMatch(/^Nothing was sent\./);
  expect(await order()).toEqual(before);
});

test('a lesson that was renamed since is created again', async () => {
  const { create, call, order } = await startCourse();
  const first = await create({});
  await call('update_lesson', { lesson_id: row(first.structured?.lesson).id, title: 'Renamed' });
  const before = await order();
  expect((await create({})).structured?.outcome).toBe('applied');
  expect(await order()).toHaveLength(before.length + 1);
});

test('a wrong position is refused, and nothing is created', async () => {
  const { create, order } = await startCourse();
  const before = await order();
  const beyond = expectRefusal(await create({ position: before.length + 2 }), 'invalid_input');
  expect(beyond).toContain(`position: valid positions are 1 to ${before.length + 1}`);
  expect(expectRefusal(await create({ position: 1, sequence: 4 }), 'invalid_input')).toContain('not both');
  expectRefusal(await create({ position: 0 }), 'invalid_input');
  expect(expectRefusal(await create({ position: 1, module_id: 424_242 }), 'invalid_input')).toContain('424242');
  expect(await order()).toEqual(before);
});

test('only as many lessons as needed are renumbered', async () => {
  const { sandbox, create, module_id } = await startCourse();
  const inModule = [...sandbox.academy.lessons.all()].filter((lesson) => lesson.module_id === module_id);
  for (const [index, lesson] of inModule.entries()) lesson.sequence = index * 10;
  const roomy = await create({ position: 2 });
  expect(roomy.structured).not.toHaveProperty('renumbered');
  expect(requestsOf(roomy)).toBe(3);
  for (const [index, lesson] of inModule.entries()) lesson.sequence = index;
  const last = sandbox.academy.lessons.get(whole(row(at([roomy.structured?.lesson], 0)).id));
  if (last !== undefined) last.sequence = inModule.length;
  const dense = await create({ title: 'Dense', position: inModule.length });
  expect(dense.structured).toMatchObject({ renumbered: 2, landed: { position: inModule.length } });
});

const lesson = (id: number, sequence?: unknown): Row => ({ id, title: `Lesson ${id}`, sequence, is_published: true });

const moduleOf = (lessons: unknown, more: Row = {}): Row => ({ id: 5, title: 'Five', sequence: 1, lessons, ...more });

/** A course with the structure that the test gives. */
async function startStructure(structure: Row) {
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
  const { call, asked, shown } = await startStructure({
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
  const { shown } = await startStructure({ modules, ungrouped_lessons: [] });
  expect(rows((await shown()).structured.modules).map(({ id }) => id)).toEqual([5, 6]);
});

test.each([
  ['no numbers', [lesson(1, null), lesson(2, null)]],
  ['a number missing', [lesson(1, 1), lesson(2)]],
  ['a number that is none', [lesson(1, 1), lesson(2, 1.5)]],
  ['equal numbers in a list that goes by others', [lesson(1, 4), lesson(2, 1), lesson(3, 1)]],
])('an order that is not clear is warned of, and no outline is written: %s', async (_name, lessons) => {
  const { call, asked, shown, writes } = await startStructure({ modules: [moduleOf(lessons)], ungrouped_lessons: [] });
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
  ['a module whose lessons are null', { modules: [moduleOf(null)], ungrouped_lessons: [] }],
  ['a module without lessons', { modules: [moduleOf(undefined)], ungrouped_lessons: [] }],
  ['a module within a module', { modules: [moduleOf([], { modules: [moduleOf([lesson(1, 1)])] })] }],
  ['one list of all lessons', { lessons: [lesson(1, 1)] }],
])('what could not be read of a structure is counted, and not planned from: %s', async (_name, structure) => {
  const { call, asked, shown } = await startStructure(structure);
  const { structured, text } = await shown();
  expect(row(structured.coverage)).toMatchObject({ complete: false });
  expect(Number(row(row(structured.coverage).unreadable).lessons)).toBeGreaterThan(0);
  expect(text).toMatch(/^Incomplete \(/);
  const refusal = expectRefusal(await call('plan_course_outline', asked(1)), 'unexpected_response');
  expect(refusal).toContain('could not be read: this course cannot be planned');
});

test('a lesson that is shown in two modules is named', async () => {
  const modules = [moduleOf([lesson(1, 1)]), { ...moduleOf([lesson(1, 1)]), id: 6, sequence: 2 }];
  const { shown } = await startStructure({ modules, ungrouped_lessons: [] });
  expect((await shown()).structured.note).toBe('lessons are shown in more than one place: 1');
});
