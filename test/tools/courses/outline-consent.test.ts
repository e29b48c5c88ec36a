import { expect, test } from 'vitest';
import { connectToApi } from '../../support/connect.ts';
import { lessonsIn } from '../../support/course-server.ts';
import { dataOf, startOutlined } from '../../support/outlined.ts';
import { expectRefusal } from '../../support/refusal.ts';

const long = (start: string) => start.padEnd(250, ' and so on').concat(' End.');

/** The answer of plan, and the question to a person: neither may omit anything. */
async function bothTexts(given: object, lessons = lessonsIn(4)) {
  const { course, plan, planned, apply } = await startOutlined(lessons);
  return {
    course,
    texts: async () => {
      const answer = await plan({ ...given });
      const told = await apply({ ...(await planned({ ...given })), confirm: undefined });
      return [answer.text, JSON.stringify(dataOf(answer)), expectRefusal(told, 'confirmation_required')];
    },
  };
}

test('a long title hides neither that a lesson is unpublished nor its changes', async () => {
  const moves = [{ lesson_id: 1, module_id: 101, position: 3 }];
  const lessons = [
    { lesson_id: 2, is_published: false },
    { lesson_id: 3, is_published: true },
  ];
  const { course, texts } = await bothTexts(
    { moves, lessons },
    lessonsIn(4, (id) => long(`Lesson ${id}`)),
  );
  course.write(1, { is_published: false });
  course.write(3, { is_published: false });
  for (const text of await texts()) {
    expect(text).toContain('1 (unpublished) Lesson 1 and so on');
    expect(text).toContain('2 (now unpublished) Lesson 2 and so on');
    expect(text).toContain('3 (unpublished) Lesson 3 and so on');
    expect(text).toContain('3 (now published) Lesson 3 and so on');
  }
});

test('a new title is shown and written whole, with all its blanks', async () => {
  const title = `${long('New')}  twice`.slice(0, 255);
  const spaced = 'Two  blanks\u00a0here';
  const lessons = [
    { lesson_id: 1, title },
    { lesson_id: 2, title: spaced },
  ];
  const { texts } = await bothTexts({ moves: [], lessons });
  const [text = '', data, told = ''] = await texts();
  expect(JSON.parse(data ?? '')).toMatchObject({ changes: [{ to: { title } }, { to: { title: spaced } }] });
  for (const form of [text, told]) {
    const shown = [...form.matchAll(/"(?:[^"\\]|\\.)*"/g)].map(([quote]) => JSON.parse(quote) as unknown);
    expect(shown).toContain(spaced);
    expect(form.includes(title) || shown.includes(title), form).toBe(true);
  }
  const { tree }: { tree: string[] } = JSON.parse(data ?? '');
  expect(tree.filter((line) => line.includes(JSON.stringify(title).slice(1, 240)))).toHaveLength(1);
  expect(tree.join('\n')).toContain(title.slice(-20, -8));
});

test('the consent names every lesson that is written, with its new number, title and publication', async () => {
  const outline = {
    moves: [{ lesson_id: 8, module_id: null, position: 1 }],
    lessons: [{ lesson_id: 1, title: 'New' }],
  };
  const { texts } = await bothTexts(outline);
  const [text = '', , told] = await texts();
  const written = text.split('\n').filter((line) => line.startsWith('Lesson '));
  expect(written).toHaveLength(2);
  for (const line of written) expect(told).toContain(line);
});

test('a title cannot forge another field of the line that shows it', async () => {
  const forger = 'A", module 5, 1 -> module 6, 1 (unpublished)';
  const { texts } = await bothTexts({ moves: [], lessons: [{ lesson_id: 1, title: forger }] });
  const [text, , told] = await texts();
  for (const form of [text, told]) {
    expect(form).toContain(JSON.stringify(forger));
    expect(form?.replaceAll(JSON.stringify(forger), '')).not.toContain('module 6');
  }
});

test('every lesson that undo cannot fully restore is named, however many there are', async () => {
  const lessons = lessonsIn(20).map(({ id }) => ({ lesson_id: id, title: `New ${id}` }));
  const { texts } = await bothTexts(
    { moves: [], lessons },
    lessonsIn(20, (id) => `Old\u200b ${id}`),
  );
  for (const text of await texts()) {
    for (const { lesson_id } of lessons)
      expect(text).toMatch(new RegExp(`cannot fully restore[^\\n]*\\b${lesson_id} Old ${lesson_id}\\b`));
  }
});

test('a module says that it is unpublished, and a plan is stale when that changes', async () => {
  let is_published = false;
  const { call } = await connectToApi(() => {
    const lessons = [
      { id: 1, title: 'One', sequence: 0, is_published: true },
      { id: 2, title: 'Two', sequence: 1, is_published: true },
    ];
    return { body: { course: { id: 1 }, modules: [{ id: 5, title: 'Hidden', sequence: 0, is_published, lessons }] } };
  });
  const moves = [{ lesson_id: 1, module_id: 5, position: 2 }];
  const answer = await call('plan_course_outline', { course_id: 1, moves });
  expect(answer.text).toContain('Module 5 (unpublished): Hidden');
  is_published = true;
  const { base_version } = dataOf(answer);
  const text = expectRefusal(
    await call('apply_course_outline', { course_id: 1, moves, base_version }),
    'stale_version',
  );
  expect(text).toContain('is_published was false, is true');
});

test('undo restores a title with all its blanks', async () => {
  const { course, done } = await startOutlined(lessonsIn(2, (id) => `Old  title\u00a0${id}`));
  const { undo_outline: outline, undo_lessons } = await done({ moves: [], lessons: [{ lesson_id: 1, title: 'New' }] });
  expect(await done({ outline, lessons: undo_lessons })).toMatchObject({ verified: true });
  expect(course.lessons.find(({ id }) => id === 1)?.title).toBe('Old  title\u00a01');
});
