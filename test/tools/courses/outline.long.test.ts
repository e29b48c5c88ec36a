import { expect, test } from 'vitest';
import type { Act } from '../../reliability/fault-server.ts';
import { row, rows } from '../../support/academy.ts';
import type { connect, ToolAnswer } from '../../support/connect.ts';
import { dataOf, lessonsIn, outlineOf, startOutlined, turned } from '../../support/course-server.ts';
import { codeIn, startBetween } from '../../support/guarded.ts';
import { expectRefusal } from '../../support/refusal.ts';
import type { start } from '../../support/sandbox.ts';
import { truth } from '../../support/truth.ts';

type Connection = Awaited<ReturnType<typeof connect>>;

async function lessonIds(sandbox: Awaited<ReturnType<typeof start>>, courseId: number) {
  const { modules, ungrouped_lessons } = await truth(sandbox, `/api/v1/courses/${courseId}/lessons`);
  return [...rows(modules).flatMap(({ lessons }) => rows(lessons)), ...rows(ungrouped_lessons)].map(({ id }) => id);
}

/** All lessons of a course in its first module, the last one first. */
async function reshuffled(sandbox: Awaited<ReturnType<typeof start>>, courseId: number) {
  const { modules } = await truth(sandbox, `/api/v1/courses/${courseId}/lessons`);
  const ids = await lessonIds(sandbox, courseId);
  const outline = {
    modules: rows(modules).map(({ id }, index) => ({
      module_id: id,
      lesson_ids: index === 0 ? ids.toReversed() : [],
    })),
    ungrouped_lesson_ids: [],
  };
  return { ids, question: { course_id: courseId, outline } };
}

async function versionFor({ call }: Pick<Connection, 'call'>, question: object): Promise<unknown> {
  return row((await call('plan_course_outline', { ...question })).structured).base_version;
}

test("forty lessons are reordered within the account's limit, with increasing progress and without a 429", async () => {
  const { sandbox, between, ...connection } = await startBetween({ rateLimit: 60 }, { ACADEMY_RATE_LIMIT: 'auto' });
  const { ids, question } = await reshuffled(sandbox, 7);
  expect(ids.length).toBeGreaterThanOrEqual(40);
  const base_version = await versionFor(connection, question);
  const told: number[] = [];
  const answer = await connection.client.callTool(
    { name: 'apply_course_outline', arguments: { ...question, base_version, confirm: true } },
    undefined,
    { onprogress: ({ progress }) => void told.push(progress), timeout: 120_000, resetTimeoutOnProgress: true },
  );
  expect(row(answer.structuredContent)).toMatchObject({ verified: true });
  expect(between.log.filter(({ status }) => status === 429)).toEqual([]);
  expect(told.length).toBeGreaterThanOrEqual(35);
  expect(told).toEqual([...told].sort((one, other) => one - other));
  expect(await lessonIds(sandbox, 7)).toEqual(ids.toReversed());
});

test('the question to a person stays the same when the API refuses requests in the meantime', async () => {
  // The writes fit into one minute of the limit, but no longer after a refusal has reduced it.
  const settings = { ACADEMY_RATE_LIMIT: '60', ACADEMY_CONFIRM: 'preview' };
  const { sandbox, between, call } = await startBetween({}, settings);
  const { question } = await reshuffled(sandbox, 7);
  const base_version = await versionFor({ call }, question);
  const plan = async () => {
    const text = expectRefusal(
      await call('apply_course_outline', { ...question, base_version }),
      'confirmation_required',
    );
    return text.replace(codeIn(text), '');
  };
  const before = await plan();
  expect(before).toMatch(/Cost: 4\d requests, less than a minute/);
  const busy = { status: 429, headers: { 'retry-after': '0' }, body: '' };
  const refused: Act = { at: 'body', act: ({ answer }) => answer(busy) };
  between.arm({ name: 'refused', fault: refused });
  expect(await plan()).toBe(before);
});

const longest = 40_000;
const wordy = (id: number) =>
  `A title as teachers write them, with a few words more, so that one can see what it is about: number ${id}`;

const sizesOf = ({ text, structured }: ToolAnswer) => [text.length, JSON.stringify(structured).length];

test.each([40, 120, 300])('a plan of %i lessons is shown whole, with every lesson and its old place', async (count) => {
  const { course, plan, apply } = await startOutlined(lessonsIn(count / 2, wordy));
  const answer = await plan({ outline: turned(course.order()) });
  const { base_version, requests, minutes, warnings, tree, cut } = dataOf(answer);
  expect([requests, minutes, cut]).toEqual([count, 0, undefined]);
  expect(warnings).not.toEqual([]);
  const shown = [tree].flat().join('\n');
  expect(shown).not.toMatch(/… \d+ more/);
  const refusal = await apply({ outline: turned(course.order()), base_version, confirm: undefined });
  for (const text of [shown, answer.text, expectRefusal(refusal, 'confirmation_required')]) {
    const ids = new Set([...text.matchAll(/^ {4}\d+\. (\d+) /gm)].map(([, id]) => Number(id)));
    // The middle lesson of each list stays.
    expect(ids.size, text).toBeGreaterThanOrEqual(count - 2);
  }
  expect(answer.text.split('\n')).toContain(`base_version: ${base_version}`);
  expect(Math.max(...sizesOf(answer), refusal.text.length)).toBeLessThanOrEqual(longest);
});

test('a plan that does not fit into an answer is refused by plan and apply with advice to split it', async () => {
  const { course, plan, apply, planned } = await startOutlined(lessonsIn(500, wordy));
  const { base_version } = await planned({ moves: [] });
  const outline = turned(course.order());
  for (const refusal of [await plan({ outline }), await apply({ outline, base_version })]) {
    const text = expectRefusal(refusal, 'invalid_input');
    expect(text).toMatch(/too long to be shown whole: \d+ characters/);
    expect(text).toContain('Split it');
  }
  expect(course.patches).toEqual([]);
});

test('one lesson that passes all others of a long module is planned in a few lines', async () => {
  const { plan } = await startOutlined(lessonsIn(900, wordy));
  const answer = await plan({ moves: [{ lesson_id: 900, module_id: 101, position: 1 }] });
  expect(dataOf(answer).tree).toEqual([
    'Module 101: Module 101: 900 lessons before, 900 after',
    expect.stringMatching(/^ {4}1\. 900 "A title as teachers .*…" <- 900, sequence 8990 -> 0$/),
    // No number is free between two consecutive ones: the first one gets another.
    expect.stringMatching(/^ {4}2\. 1 "A title as teachers .*…" <- 1, sequence 0 -> 1$/),
    '    3-900. as 2-899 before',
    '… 2 other parts of the course: unchanged',
  ]);
});

test('a course of 300 lessons is applied from such a plan, and undone', async () => {
  const { course, done } = await startOutlined(lessonsIn(150, wordy));
  const before = course.order();
  const { verified, undo_outline } = await done({ outline: turned(before) });
  expect([verified, course.order()]).toEqual([true, before.map((ids) => ids.toReversed())]);
  expect(await done({ outline: undo_outline })).toMatchObject({ verified: true });
  expect(course.order()).toEqual(before);
});

test('titles whose undo does not fit into an answer are refused by plan and apply, with the number that fits', async () => {
  const { course, plan, apply, planned, done } = await startOutlined(lessonsIn(70, (id) => `${id} "`.padEnd(255, 'x')));
  const former = new Map(course.lessons.map(({ id, title }) => [id, title]));
  const lessons = course.lessons.map(({ id }) => ({ lesson_id: id, title: `New ${id}` }));
  const { base_version } = await planned({ moves: [] });
  const texts = [
    expectRefusal(await plan({ moves: [], lessons }), 'invalid_input'),
    expectRefusal(await apply({ moves: [], lessons, base_version }), 'invalid_input'),
  ];
  expect(course.patches).toEqual([]);
  const [, most] = /at most (\d+) lessons at once/.exec(texts[0] ?? '') ?? [];
  expect(texts[1]).toContain(`at most ${most} lessons at once`);
  expect(Number(most)).toBeGreaterThan(50);

  const some = lessons.slice(-Number(most));
  course.onPatch = (count) => (count === some.length ? 422 : undefined);
  const { undo_lessons, undo_outline, verified } = await done({ outline: outlineOf(course.order()), lessons: some });
  expect(verified).toBe(false);
  const told = rows(undo_lessons).map(({ lesson_id, title }) => [lesson_id, title]);
  expect(told).toEqual(some.map(({ lesson_id }) => [lesson_id, former.get(lesson_id)]));
  expect(row(undo_outline)).toMatchObject(outlineOf(course.order()));
  expect(await done({ outline: undo_outline, lessons: undo_lessons })).toMatchObject({ verified: true });
  expect(course.lessons.map(({ title }) => title)).toEqual([...former.values()]);
});
