import { expect, test } from 'vitest';
import { at, type Row, row, rows, whole } from '../../support/academy.ts';
import { startAcademy } from '../../support/connect.ts';
import { expectRefusal, requestsOf } from '../../support/refusal.ts';
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
  expect(structured?.landed).toMatchObject({ position: 1 });
  expect(structured?.landed).not.toHaveProperty('module_id');
  expect(text).toMatch(/Place: 1 of \d+ in no module\./);
});

test('a repeated create_lesson answers already_there and sends nothing, whatever fields the API does not show', async () => {
  for (const given of [{}, { position: 2 }, { content: 'the body', points: 5 }, { position: 1, content: 'the body' }]) {
    const { create, order } = await startCourse();
    const first = await create(given);
    expect(first.structured?.outcome).toBe('applied');
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
  const lesson = { title: 'Theirs', module_id };
  await fetch(`${sandbox.url}/api/v1/courses/5/lessons`, {
    method: 'POST',
    headers: { authorization: `Bearer ${sandbox.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(lesson),
  });
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
