import { expect, test } from 'vitest';
import { row, rows } from '../../support/academy.ts';
import type { ToolAnswer } from '../../support/connect.ts';
import { lessonsIn } from '../../support/course-server.ts';
import { dataOf, outlineOf, startOutlined, turned } from '../../support/outlined.ts';
import { expectRefusal } from '../../support/refusal.ts';

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

test('one lesson that moves in a long module is shown before and after, without the others', async () => {
  const { plan } = await startOutlined(lessonsIn(500, wordy));
  const { tree } = dataOf(await plan({ moves: [{ lesson_id: 300, module_id: 101, position: 302 }] }));
  expect(tree).toEqual([
    'Module 101: Module 101',
    '  before',
    '    … 299 the same before and after',
    `    300. 300 ${JSON.stringify(wordy(300))}`,
    `    301. 301 ${JSON.stringify(wordy(301))}`,
    `    302. 302 ${JSON.stringify(wordy(302))}`,
    '    … 198 the same before and after',
    '  after',
    '    … 299 the same before and after',
    `    300. 301 ${JSON.stringify(wordy(301))}`,
    `    301. 302 ${JSON.stringify(wordy(302))}`,
    `    302. 300 ${JSON.stringify(wordy(300))}`,
    '    … 198 the same before and after',
    '… 2 other parts of the course: unchanged',
  ]);
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
