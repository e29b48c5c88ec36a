import { expect, test } from 'vitest';
import { row, rows } from '../../support/academy.ts';
import { lessonsIn } from '../../support/course-server.ts';
import { dataOf, outlineOf, startOutlined, turned } from '../../support/outlined.ts';
import { expectRefusal } from '../../support/refusal.ts';

const longest = 40_000;
const wordy = (id: number) =>
  `A title as teachers write them, with a few words more, so that one can see what it is about: number ${id}`;

test.each([120, 300, 1000])(
  'a plan of %i lessons says what apply needs, and cuts what is only to be seen',
  async (count) => {
    const { course, plan } = await startOutlined(lessonsIn(count / 2, wordy));
    const answer = await plan({ outline: turned(course.order()) });
    const { base_version, requests, minutes, warnings, changes, tree, cut } = dataOf(answer);
    expect(base_version).toMatch(/^[0-9a-f]{16}$/);
    expect([requests, minutes]).toEqual([count, 0]);
    expect(warnings).not.toEqual([]);
    expect(cut).toMatch(/^cut to \d+ of \d+ records to stay readable; apply does all of them; not shown here$/);
    expect(rows(changes).length).toBeGreaterThan(20);
    expect(String(tree)).toMatch(/… \d+ more/);
    const lines = answer.text.split('\n');
    expect(lines).toContain(`base_version: ${base_version}`);
    expect(lines).toEqual(expect.arrayContaining([tree].flat()));
    expect(lines.filter((line) => line.startsWith('Lesson '))).toHaveLength(rows(changes).length);
    expect(Math.max(answer.text.length, JSON.stringify(answer.structured).length)).toBeLessThanOrEqual(longest);
  },
);

test('a course of 300 lessons is applied from such a plan, and undone', async () => {
  const { course, done } = await startOutlined(lessonsIn(150, wordy));
  const before = course.order();
  const { verified, undo_outline } = await done({ outline: turned(before) });
  expect([verified, course.order()]).toEqual([true, before.map((ids) => ids.toReversed())]);
  expect(await done({ outline: undo_outline })).toMatchObject({ verified: true });
  expect(course.order()).toEqual(before);
});

test('one lesson that moves in a long module is seen before and after, without the others', async () => {
  const { plan } = await startOutlined(lessonsIn(500, wordy));
  const { tree } = dataOf(await plan({ moves: [{ lesson_id: 300, module_id: 101, position: 302 }] }));
  expect(tree).toEqual([
    'Module 101: Module 101',
    '  before',
    '    … 299 the same before and after',
    `    300. 300 ${wordy(300)}`,
    `    301. 301 ${wordy(301)}`,
    `    302. 302 ${wordy(302)}`,
    '    … 198 the same before and after',
    '  after',
    '    … 299 the same before and after',
    `    300. 301 ${wordy(301)}`,
    `    301. 302 ${wordy(302)}`,
    `    302. 300 ${wordy(300)}`,
    '    … 198 the same before and after',
    '… 2 other parts of the course: unchanged',
  ]);
});

test('titles of which no answer could hold the undo are refused by plan and apply, with how many can', async () => {
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
  expect(row(undo_outline)).toEqual(outlineOf(course.order()));
  expect(await done({ outline: undo_outline, lessons: undo_lessons })).toMatchObject({ verified: true });
  expect(course.lessons.map(({ title }) => title)).toEqual([...former.values()]);
});
