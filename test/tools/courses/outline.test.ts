import { expect, test } from 'vitest';
import type { Sandbox } from '../../../src/sandbox/index.ts';
import { type Row, row, rows } from '../../support/academy.ts';
import { refusing } from '../../support/arrange.ts';
import type { connect } from '../../support/connect.ts';
import { startBetween } from '../../support/guarded.ts';
import { expectRefusal, requestsOf } from '../../support/refusal.ts';
import { truth } from '../../support/truth.ts';

const courseId = 14;
const isPatch = (method: string) => method === 'PATCH';

/** An academy, a client, and a proxy between them that records each request and can fail. */
async function startOutlined(sequence: 'absolute' | 'shift' = 'absolute', settings: Record<string, string> = {}) {
  const started = await startBetween({ seed: 1, sequence }, settings);
  const patches = () => started.between.log.filter(({ method }) => isPatch(method)).length;
  return { ...started, patches };
}

interface Lists {
  modules: { module_id: unknown; lesson_ids: unknown[] }[];
  ungrouped_lesson_ids: unknown[];
}

const idsIn = (lessons: unknown) => rows(lessons).map(({ id }) => id);

/** The course as the API shows it, read without the program. */
async function listsOf(sandbox: Sandbox, id = courseId): Promise<Lists> {
  const { modules, ungrouped_lessons } = await truth(sandbox, `/api/v1/courses/${id}/lessons`);
  return {
    modules: rows(modules).map((module) => ({ module_id: module.id, lesson_ids: idsIn(module.lessons) })),
    ungrouped_lesson_ids: idsIn(ungrouped_lessons),
  };
}

/** Every list reversed, and the first lesson of the course in no module. */
function turned({ modules, ungrouped_lesson_ids }: Lists): Lists {
  const [first, ...others] = modules.map(({ module_id, lesson_ids }) => ({
    module_id,
    lesson_ids: lesson_ids.toReversed(),
  }));
  const [moved, ...stay] = first?.lesson_ids ?? [];
  return {
    modules: [{ module_id: first?.module_id, lesson_ids: stay }, ...others],
    ungrouped_lesson_ids: [...ungrouped_lesson_ids, moved],
  };
}

async function planned(call: Awaited<ReturnType<typeof connect>>['call'], question: Row) {
  const plan = await call('plan_course_outline', question);
  expect(plan.isError, plan.text).toBe(false);
  return { ...question, base_version: row(plan.structured).base_version };
}

test('lessons alone are hidden where they are', async () => {
  const { sandbox, call } = await startOutlined();
  const before = await listsOf(sandbox);
  const ids = before.modules[0]?.lesson_ids ?? [];
  const lessons = ids.map((lesson_id) => ({ lesson_id, is_published: false }));
  const question = await planned(call, { course_id: courseId, lessons });
  const { structured, text } = await call('apply_course_outline', { ...question, confirm: true });
  expect(structured, text).toMatchObject({ verified: true });
  expect(await listsOf(sandbox)).toEqual(before);
  const { modules } = await truth(sandbox, `/api/v1/courses/${courseId}/lessons`);
  const shown = rows(rows(modules)[0]?.lessons);
  expect(shown.map(({ is_published }) => is_published)).toEqual(ids.map(() => false));
});

for (const sequence of ['absolute', 'shift'] as const) {
  test(`${sequence}: a new outline is planned, applied, verified and undone, with the same base_version as far as the API keeps numbers`, async () => {
    const { sandbox, call, patches } = await startOutlined(sequence);
    const before = await listsOf(sandbox);
    const outline = turned(before);
    await planned(call, { course_id: courseId, outline });
    expect(patches()).toBe(0);
    const apply = async (question: Row) => {
      const asked = await planned(call, { course_id: courseId, ...question });
      const { structured } = await call('apply_course_outline', { ...asked, confirm: true });
      return { asked, done: row(structured) };
    };
    const first = await apply({ outline });
    expect(first.done).toMatchObject({ verified: true });
    expect(first.done.failed ?? first.done.remaining).toBeUndefined();
    expect(await listsOf(sandbox)).toEqual(outline);
    expect(first.done.undo).toContain(`restores the state before this call (base_version ${first.asked.base_version}`);
    const undone = await apply({ outline: first.done.undo_outline });
    expect(undone.done).toMatchObject({ verified: true });
    expect(await listsOf(sandbox)).toEqual(before);
    // The seeded numbers have gaps, which a platform that counts places cannot store.
    const isKept = sequence === 'absolute';
    expect(undone.done.base_version === first.asked.base_version).toBe(isKept);
    if (!isKept)
      expect(undone.done.other_numbers).toMatch(/^the API gave other sequence numbers than requested to lesson \d/);
    const again = await apply({ outline });
    const last = await apply({ outline: again.done.undo_outline });
    expect(last.done).toMatchObject({ verified: true, base_version: again.asked.base_version });
    expect(last.done.other_numbers).toBeUndefined();
    expect(await listsOf(sandbox)).toEqual(before);
  });

  test(`${sequence}: a fault in the middle is reported correctly, and a second call finishes`, async () => {
    const { sandbox, call, between } = await startOutlined(sequence);
    const outline = turned(await listsOf(sandbox));
    const asked = await planned(call, { course_id: courseId, outline });
    let passed = 0;
    const isThird = (method: string) => {
      passed += isPatch(method) ? 1 : 0;
      return isPatch(method) && passed > 2;
    };
    between.arm({ name: 'refuse', fault: refusing(422), match: isThird });
    const part = await call('apply_course_outline', { ...asked, confirm: true });
    const { applied, failed, remaining, verified, base_version, outline: goal } = row(part.structured);
    expect(part.isError).toBe(false);
    expect(verified).toBe(false);
    expect(applied).toHaveLength(2);
    expect(rows(failed)).toMatchObject([{ why: expect.stringContaining('unprocessable') }]);
    expect(remaining).not.toContain(rows(failed)[0]?.lesson_id);
    expect(await listsOf(sandbox)).not.toEqual(outline);
    const rest = { course_id: courseId, outline: goal, base_version, confirm: true };
    expect(row((await call('apply_course_outline', rest)).structured)).toMatchObject({ verified: true });
    expect(await listsOf(sandbox)).toEqual(outline);
  });
}

test('one lesson moved in a module with gaps is one PATCH', async () => {
  const { sandbox, call, patches } = await startOutlined();
  const { modules } = await listsOf(sandbox);
  const { module_id, lesson_ids = [] } = modules[1] ?? {};
  const moves = [{ lesson_id: lesson_ids.at(-1), module_id, position: 2 }];
  const plan = await call('plan_course_outline', { course_id: courseId, moves });
  expect(row(plan.structured).requests).toBe(3);
  const asked = await planned(call, { course_id: courseId, moves });
  await call('apply_course_outline', { ...asked, confirm: true });
  expect(patches()).toBe(1);
  const [first, ...others] = lesson_ids;
  expect((await listsOf(sandbox)).modules[1]?.lesson_ids).toEqual([first, others.at(-1), ...others.slice(0, -1)]);
});

test('a course that changed between plan and apply is refused with the difference, and nothing is written', async () => {
  const { sandbox, call, patches, another } = await startOutlined();
  const outline = turned(await listsOf(sandbox));
  const asked = await planned(call, { course_id: courseId, outline });
  const lesson = outline.ungrouped_lesson_ids.at(-1);
  const colleague = await another();
  await colleague.call('update_lesson', { lesson_id: lesson, title: 'Renamed meanwhile' });
  for (const confirm of [true, undefined]) {
    const text = expectRefusal(await call('apply_course_outline', { ...asked, confirm }), 'stale_version');
    expect(text).toContain(`lesson ${lesson}`);
    expect(text).toContain('Renamed meanwhile');
    expect(text).toContain('Outcome: not_applied');
  }
  expect(patches()).toBe(1);
});

test('a stale version is refused even if nothing is left to do', async () => {
  const { sandbox, call, patches } = await startOutlined();
  const outline = turned(await listsOf(sandbox));
  const asked = await planned(call, { course_id: courseId, outline });
  await call('apply_course_outline', { ...asked, confirm: true });
  const written = patches();
  expectRefusal(await call('apply_course_outline', { ...asked, confirm: true }), 'stale_version');
  const again = await planned(call, { course_id: courseId, outline });
  const nothing = await call('apply_course_outline', { ...again, confirm: true });
  expect(row(nothing.structured)).toMatchObject({ verified: true });
  expect(requestsOf(nothing)).toBe(1);
  expect(patches()).toBe(written);
});

test('without confirm: true nothing is written, and the plan is shown', async () => {
  const { sandbox, call, patches } = await startOutlined();
  const before = await listsOf(sandbox);
  const asked = await planned(call, { course_id: courseId, outline: turned(before) });
  const text = expectRefusal(await call('apply_course_outline', asked), 'confirmation_required');
  expect(text).toContain('before');
  expect(text).toContain('after');
  expect(text).toMatch(/Lessons to write: \d+\. Cost: \d+ requests/);
  expect(patches()).toBe(0);
  expect(await listsOf(sandbox)).toEqual(before);
});

test('titles and publication change in the same call, and undo restores them', async () => {
  const { sandbox, call } = await startOutlined();
  const { modules } = await listsOf(sandbox);
  const [lesson_id] = modules[0]?.lesson_ids ?? [];
  const shown = async () => {
    const { modules: now } = await truth(sandbox, `/api/v1/courses/${courseId}/lessons`);
    const found = rows(now)
      .flatMap(({ lessons }) => rows(lessons))
      .find(({ id }) => id === lesson_id);
    return { title: found?.title, is_published: found?.is_published };
  };
  const before = await shown();
  const change = { title: 'Another title', is_published: !before.is_published };
  const asked = await planned(call, { course_id: courseId, moves: [], lessons: [{ lesson_id, ...change }] });
  const done = row((await call('apply_course_outline', { ...asked, confirm: true })).structured);
  expect(done).toMatchObject({ verified: true, applied: [lesson_id] });
  expect(await shown()).toEqual(change);
  const { undo_outline: outline, undo_lessons: lessons, base_version } = done;
  await call('apply_course_outline', { course_id: courseId, outline, lessons, base_version, confirm: true });
  expect(await shown()).toEqual(before);
});

test('an outline with too few sequence numbers is refused', async () => {
  const { sandbox, call } = await startOutlined();
  const { modules, ungrouped_lesson_ids } = await listsOf(sandbox);
  const outline = { modules, ungrouped_lesson_ids, sequences: [1] };
  const text = expectRefusal(await call('plan_course_outline', { course_id: courseId, outline }), 'invalid_input');
  expect(text).toContain('sequences must have a number for each lesson: 1');
});

test('an outline that does not fit the course is refused with the wrong ids', async () => {
  const { sandbox, call, patches } = await startOutlined();
  const { modules, ungrouped_lesson_ids } = await listsOf(sandbox);
  const [first, ...others] = modules;
  const missing = first?.lesson_ids[0];
  const wrong = {
    modules: [...others, { module_id: 999, lesson_ids: [88888] }],
    ungrouped_lesson_ids: [...ungrouped_lesson_ids, ungrouped_lesson_ids[0]],
  };
  const text = expectRefusal(
    await call('plan_course_outline', { course_id: courseId, outline: wrong }),
    'invalid_input',
  );
  for (const id of [999, 88888, ungrouped_lesson_ids[0], missing]) expect(text).toContain(String(id));
  for (const [form, why] of [
    [{}, 'give outline, moves or lessons'],
    [{ outline: { modules, ungrouped_lesson_ids }, moves: [] }, 'give only one of outline and moves'],
  ] as const) {
    const answer = await call('plan_course_outline', { course_id: courseId, ...form });
    expect(expectRefusal(answer, 'invalid_input')).toContain(why);
    expect(requestsOf(answer)).toBe(0);
  }
  expect(patches()).toBe(0);
});
