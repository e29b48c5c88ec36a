import { expect, test } from 'vitest';
import { row } from '../../support/academy.ts';
import { type CourseServer, lessonsIn } from '../../support/course-server.ts';
import { dataOf, outlineOf, startOutlined, turned } from '../../support/outlined.ts';
import { expectRefusal } from '../../support/refusal.ts';

/** Lessons 1 to 6 in module 101, 7 to 12 in module 102. */
const lessons = () => lessonsIn(6);
const moved = { moves: [{ lesson_id: 1, module_id: 101, position: 3 }] };

const edits: [string, (course: CourseServer) => void, string][] = [
  ['is moved to another place', (course) => course.write(12, { sequence: 5 }), 'Module 102'],
  ['is moved out of its module', (course) => course.write(8, { module_id: null }), 'lesson 8 (Lesson 8)'],
  ['is renamed', (course) => course.write(9, { title: 'Theirs' }), 'title was Lesson 9, is Theirs'],
  ['is hidden', (course) => course.write(9, { is_published: false }), 'is_published was true, is false'],
  ['is deleted', (course) => course.drop(9), 'lesson 9'],
  ['that we have written goes elsewhere', (course) => course.write(1, { module_id: 102 }), 'lesson 1'],
];

test.each(edits)(
  'if a lesson %s during the writes, nothing more is written, and the answer says so',
  async (_what, edit, words) => {
    const { course, done } = await startOutlined(lessons());
    let theirs: unknown;
    let reads = 0;
    course.onRead = () => {
      reads += 1;
      // The third reading comes after the write.
      if (reads === 3) edit(course);
      if (reads === 3) theirs = structuredClone(course.lessons);
      return undefined;
    };
    const { verified, changed_meanwhile, next } = await done(moved);
    expect(verified).toBe(false);
    expect(String(changed_meanwhile)).toContain(words);
    expect(next).toContain('plan again with plan_course_outline and this outline');
    expect(course.patches).toHaveLength(1);
    expect(course.lessons).toEqual(theirs);
  },
);

test.each([
  [
    'added',
    (course: CourseServer) =>
      void course.lessons.push({ id: 99, module_id: 101, title: 'New', sequence: 25, is_published: false }),
    'missing lessons: 99',
  ],
  ['deleted', (course: CourseServer) => course.drop(4), 'unknown lessons: 4'],
])(
  'a lesson that somebody has %s in the meantime is named, so that the outline can be corrected',
  async (_what, edit, words) => {
    const { course, done } = await startOutlined(lessons());
    course.onPatch = (count) => {
      if (count === 5) edit(course);
      return undefined;
    };
    const { verified, next, outline } = await done({ outline: turned(course.order()) });
    expect([verified, next]).toEqual([false, expect.stringContaining(words)]);
    const ids = course.order()[0] ?? [];
    const corrected = {
      ...row(outline),
      modules: outlineOf([[99, 6, 5, 4, 3, 2, 1].filter((id) => ids.includes(id)), [12, 11, 10, 9, 8, 7]]).modules,
    };
    expect(await done({ outline: corrected })).toMatchObject({ verified: true });
  },
);

test.each([false, true])('a shift of other lessons by our own writes is no edit, pushing: %s', async (pushes) => {
  const { course, done } = await startOutlined(lessons());
  course.pushes = pushes;
  const outline = outlineOf([
    [6, 9, 2, 3, 12, 1],
    [8, 7, 4],
    [11, 5, 10],
  ]);
  const { verified, changed_meanwhile } = await done({ outline });
  expect([verified, changed_meanwhile]).toEqual([true, undefined]);
});

test('of two concurrent changes of one course the second is refused, and writes nothing', async () => {
  const { course, apply, planned, another } = await startOutlined(lessons());
  const asked = await planned({ outline: turned(course.order()) });
  const colleague = await another();
  let refusal: Promise<string> | undefined;
  course.onPatch = async (count) => {
    if (count !== 2) return undefined;
    const theirs = colleague.call('apply_course_outline', { course_id: 14, confirm: true, ...asked });
    refusal = theirs.then((answer) => expectRefusal(answer, 'stale_version'));
    await refusal;
    return undefined;
  };
  expect(dataOf(await apply(asked))).toMatchObject({ verified: true });
  expect(await refusal).toContain('another change of this course is in progress');
  expect(await refusal).toContain('Outcome: not_applied');
  expect(course.patches).toHaveLength(10);
  expect(dataOf(await apply(await planned(moved)))).toMatchObject({ verified: true });
});
