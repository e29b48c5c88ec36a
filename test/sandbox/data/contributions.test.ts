import { expect, test } from 'vitest';
import { activities, nextActivity } from '../../../src/sandbox/activities.ts';
import { postText } from '../../../src/sandbox/seed/community.ts';
import { createRandom } from '../../../src/sandbox/seed/random.ts';
import { texts } from '../../../src/sandbox/seed/texts.ts';
import type { Academy } from '../../../src/sandbox/state/academy.ts';
import { makeAcademy, required } from './make-academy.ts';

/** An academy with many contributions, some of them after the seed. */
function busyAcademy(): Academy {
  const academy = makeAcademy({ students: 600, orders: 3000 });
  for (let count = 0; count < 300; count += 1) {
    const { name, input } = nextActivity(academy);
    activities[name](input, academy);
  }
  return academy;
}

/** Han characters, kana, Cyrillic, or a letter that English does not have. */
const notEnglish = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Cyrillic}çãõéêàüößłść]/u;

test('an answer fits its question and the course of its lesson', () => {
  const academy = busyAcademy();
  for (const { question, answer, lesson_id } of academy.answers.all()) {
    if (texts.answersForMachines.includes(answer)) continue;
    const { answers } = required(texts.assignments.find((assignment) => assignment.question === question));
    const { about } = required(answers.find(({ text }) => text === answer));
    if (about !== undefined) expect(academy.lessons.get(lesson_id)?.course_id).toBe(about);
  }
});

test('a project post fits its project', () => {
  const academy = busyAcademy();
  for (const { title, content, project_id } of academy.projectPosts.all()) {
    if (texts.projectPostsForMachines.some(({ text }) => text === content)) continue;
    const post = required(texts.projectPosts.find((known) => known.title === title && known.text === content));
    expect([undefined, project_id]).toContain(post.about);
  }
});

test('texts in other languages than English come only from authors located in their countries', () => {
  const academy = busyAcademy();
  const written = [
    ...academy.answers.all().map((row) => ({ ...row, text: row.answer })),
    ...academy.projectPosts.all().map((row) => ({ ...row, text: row.content })),
  ].filter(({ text }) => notEnglish.test(text) && !texts.answersForMachines.includes(text));
  expect(written.length).toBeGreaterThan(10);
  for (const { text, student_id } of written) {
    const location = academy.students.get(student_id)?.location ?? '';
    expect(location, text).toMatch(/, (Brazil|Germany|France|Japan|Ukraine|Poland)$/);
    if (/\p{Script=Hiragana}/u.test(text)) expect(location).toMatch(/, Japan$/);
    if (/\p{Script=Cyrillic}/u.test(text)) expect(location).toMatch(/, Ukraine$/);
  }
});

test('a community post is in English, unless its author is from another country', () => {
  const random = createRandom('posts');
  const posts = (location: string | null) => Array.from({ length: 300 }, () => postText('Ovens', { location }, random));
  for (const location of [null, 'Portland, United States']) {
    expect(posts(location).filter((text) => /\p{Script=Han}|Gern auch auf/u.test(text))).toEqual([]);
  }
  expect(posts('京都市, Japan').some((text) => /\p{Script=Han}/u.test(text))).toBe(true);
});

test('all texts are used, each project has its own posts, and a few answers are prompt injections', () => {
  const academy = busyAcademy();
  const answers = academy.answers.all();
  expect(new Set(answers.map(({ question }) => question)).size).toBe(texts.assignments.length);
  const odd = answers.filter(({ answer }) => texts.answersForMachines.includes(answer)).length;
  expect(odd).toBeGreaterThan(0);
  expect(odd).toBeLessThan(answers.length / 8);
  for (const { id } of academy.catalogue.projects.all()) {
    expect(
      texts.projectPosts.filter(({ about, country }) => about === id && country === undefined).length,
    ).toBeGreaterThan(0);
  }
});
