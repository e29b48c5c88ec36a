import { expect, test } from 'vitest';
import type { Row } from '../../support/academy.ts';
import { lessonsIn } from '../../support/course-server.ts';
import { startOutlined } from '../../support/outlined.ts';

const move = { moves: [{ lesson_id: 1, module_id: 102, position: 4 }] };
const title = { moves: [], lessons: [{ lesson_id: 1, title: 'Overture' }] };

test.each([
  { what: 'a move', question: move, field: 'module_id' },
  { what: 'a title', question: title, field: 'title' },
])(
  '$what that the API ignores does not count as written, or as an edit of somebody else',
  async ({ question, field }) => {
    const { course, done } = await startOutlined(lessonsIn(3));
    course.write = () => {};
    const data = await done(question);
    expect(data).toMatchObject({ verified: false, failed: [{ lesson_id: 1 }] });
    expect((data.failed as Row[])[0]?.why).toContain(field);
    expect(data).not.toHaveProperty('applied');
    expect(data).not.toHaveProperty('changed_meanwhile');
  },
);

test.each([
  { what: 'denies', said: { success: false, message: 'Course is archived' }, why: 'Course is archived' },
  { what: 'shows as before', said: { lesson: { id: 1, module_id: 101 } }, why: 'module_id' },
])('a move that a 200 $what is a failure of its lesson', async ({ said, why }) => {
  const { course, done } = await startOutlined(lessonsIn(3));
  course.said = said;
  course.onPatch = () => 200;
  const data = await done(move);
  expect(data).toMatchObject({ verified: false, failed: [{ lesson_id: 1 }] });
  expect((data.failed as Row[])[0]?.why).toContain(why);
  expect(data).not.toHaveProperty('applied');
});

test('new numbers that the API ignores do not count as written', async () => {
  const { course, done } = await startOutlined(lessonsIn(3));
  course.write = () => {};
  const data = await done({ moves: [{ lesson_id: 3, module_id: 101, position: 1 }] });
  expect(data.verified).toBe(false);
  expect(data).not.toHaveProperty('applied');
});
