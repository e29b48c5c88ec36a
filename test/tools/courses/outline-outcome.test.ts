import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type Row, row, rows } from '../../support/academy.ts';
import { type CourseServer, dataOf, lessonsIn, outlineOf, startOutlined, turned } from '../../support/course-server.ts';
import { expectRefusal } from '../../support/refusal.ts';

/** Lessons 1 to 6 in module 101, 7 to 12 in module 102. */
const lessons = () => lessonsIn(6);
const moved = { moves: [{ lesson_id: 1, module_id: 101, position: 3 }] };

test('a field that the API does not show counts as applied only after it is written, and is written once', async () => {
  const { course, done } = await startOutlined(lessons());
  course.hidden = ['title', 'is_published'];
  const change = { lesson_id: 1, title: 'Unseen', is_published: false };
  expect(await done({ moves: [], lessons: [change] })).toMatchObject({ verified: true, applied: [1] });
  expect(course.patches).toEqual([change]);
});

test('a title from which the API removes blanks counts as applied', async () => {
  const { course, done } = await startOutlined(lessons());
  const { write } = course;
  course.write = (id, { title, ...others }) =>
    write(id, { ...others, ...(title === undefined ? {} : { title: title.replaceAll(/\s+/g, ' ').trim() }) });
  const given = { moves: [], lessons: [{ lesson_id: 1, title: '  Two  blanks ' }] };
  expect(await done(given)).toMatchObject({ verified: true, applied: [1] });
  expect(course.patches).toHaveLength(1);
});

test('an extra blank is removed from a title on request', async () => {
  const { course, done } = await startOutlined(lessonsIn(2, (id) => `Two  blanks ${id}`));
  expect(await done({ moves: [], lessons: [{ lesson_id: 1, title: 'Two blanks 1' }] })).toMatchObject({ applied: [1] });
  expect(course.lessons[0]?.title).toBe('Two blanks 1');
});

test('an old title that cannot be written is left out of the undo, with a warning, and the rest is restored', async () => {
  const odd = ['', '   ', 'x'.repeat(256), 'Plain'];
  const { course, plan, done } = await startOutlined(lessonsIn(2, (id) => odd[id - 1] ?? ''));
  const change = [1, 2, 3, 4].map((id) => ({ lesson_id: id, title: `New ${id}` }));
  const question = { outline: turned(course.order()), lessons: change };
  const { warnings } = dataOf(await plan(question));
  expect(String(warnings)).toMatch(/undo cannot fully restore these lessons: 1, 2, 3 x+…;/);
  const { undo_outline: outline, undo_lessons, verified } = await done(question);
  expect([verified, undo_lessons]).toEqual([true, [{ lesson_id: 4, title: 'Plain' }]]);
  expect(await done({ outline, lessons: undo_lessons })).toMatchObject({ verified: true });
  expect(course.order()).toEqual([[1, 2], [3, 4], []]);
  expect(course.lessons.map(({ title }) => title)).toEqual(['New 1', 'New 2', 'New 3', 'Plain']);
});

test('after an unknown outcome the answer says how long to wait, and a call after that finishes', async () => {
  const { course, apply, done } = await startOutlined(lessons(), { ACADEMY_QUARANTINE_MS: '1500' });
  course.onPatch = (count) => (count >= 3 ? 'cut' : undefined);
  const goal = turned(course.order());
  const part = await done({ outline: goal });
  expect(part).toMatchObject({ verified: false, applied: [1, 2] });
  const [why] = rows(part.failed).map((failure) => failure.why);
  expect(why).toContain('outcome_unknown');
  expect(why).not.toContain('Do not repeat');
  expect(part.next).toMatch(/^wait 2 s, then call apply_course_outline with this outline/);
  course.onPatch = () => undefined;
  const sent = course.patches.length;
  const again = { outline: part.outline, base_version: part.base_version };
  const early = dataOf(await apply(again));
  expect(early.next).toMatch(/^wait [12] s, then/);
  expect(course.patches).toHaveLength(sent);
  await setTimeout(2_000);
  expect(dataOf(await apply(again))).toMatchObject({ verified: true });
  expect(turned(course.order().map((ids) => ids.toReversed()))).toEqual(goal);
});

test('a write of unknown outcome that reading back confirms counts as applied, with an undo', async () => {
  const { course, done } = await startOutlined(lessons());
  const before = outlineOf(course.order());
  let looks = 0;
  course.onPatch = () => 'lost';
  course.onRead = () => {
    looks += course.patches.length > 0 ? 1 : 0;
    return looks === 1 ? 403 : undefined;
  };
  const { verified, applied, failed, undo, undo_outline, next } = await done(moved);
  expect([verified, applied, failed, next]).toEqual([true, [1], undefined, undefined]);
  expect(undo_outline).toMatchObject(before);
  expect(undo).toMatch(
    /^undo_outline, passed to the same tools, restores the state before this call \(base_version \w+,/,
  );
});

test('a write that the API has refused does not count as written, even if the course is as requested', async () => {
  const { course, done } = await startOutlined(lessons());
  course.onPatch = () => {
    course.write(1, { sequence: 21 });
    return 422;
  };
  const { verified, applied, failed } = await done(moved);
  expect([verified, applied, rows(failed).map(({ lesson_id }) => lesson_id)]).toEqual([true, undefined, [1]]);
});

test('the answer has an undo if something was sent, and says to plan again with the outline if the course cannot be read', async () => {
  const { course, done } = await startOutlined(lessons());
  const before = outlineOf(course.order());
  course.onPatch = () => 'lost';
  course.onRead = () => (course.patches.length > 0 ? 403 : undefined);
  const { verified, applied, next, outline, undo_outline, base_version } = await done(moved);
  expect([verified, applied, base_version]).toEqual([false, undefined, undefined]);
  expect(undo_outline).toMatchObject(before);
  expect(next).toMatch(/wait 120 s, then plan again with plan_course_outline and this outline \(not moves\)/);
  expect(outline).toEqual(outlineOf([[2, 3, 1, 4, 5, 6], [7, 8, 9, 10, 11, 12], []]));
});

test('the remaining lessons of a second pass include those that the first has written', async () => {
  const { course, done } = await startOutlined(lessons());
  course.pushes = true;
  for (const lesson of course.lessons) lesson.sequence /= 10;
  course.onPatch = (count) => (count === 12 ? 422 : undefined);
  course.onRead = () => (course.patches.length >= 12 ? 403 : undefined);
  const { applied, failed, remaining } = await done({ outline: turned(course.order()) });
  const [refused] = rows(failed).map(({ lesson_id }) => lesson_id);
  expect(applied).toContain(refused);
  expect(remaining).not.toContain(refused);
  expect(new Set([remaining].flat()).size).toBeGreaterThan(1);
});

test("a refusal of the API is shown in the API's words, has to be corrected first, and counts once", async () => {
  const { course, apply, planned } = await startOutlined(lessons());
  course.said = { errors: [{ code: 'locked', message: `Title is locked\u202e\nby the owner ${'x'.repeat(300)}` }] };
  course.onPatch = (count) => (count === 3 ? 422 : undefined);
  const part = await apply(await planned({ outline: turned(course.order()) }));
  const { applied, failed, remaining, next } = dataOf(part);
  const [{ lesson_id, why } = {}] = rows(failed);
  expect(why).toMatch(/^unprocessable: the API answered 422 \(locked: "Title is locked by the owner x+…"\)$/);
  expect(String(why).length).toBeLessThan(250);
  expect(next).toBe(`correct or drop the change of lesson ${lesson_id}, then plan again with plan_course_outline`);
  expect(part.text).toMatch(/: 2 lessons written, 1 failed, \d+ remaining\.$/m);
  const named = [applied, [lesson_id], remaining].flat();
  expect(new Set(named).size).toBe(named.length);
});

test('a course that cannot be read back after a refusal counts the refused lesson once too', async () => {
  const { course, done } = await startOutlined(lessons());
  course.onPatch = () => 422;
  course.onRead = () => (course.patches.length > 0 ? 403 : undefined);
  const { failed, remaining, next } = await done({ outline: turned(course.order()) });
  const [{ lesson_id } = {}] = rows(failed);
  expect(remaining).not.toContain(lesson_id);
  expect(next).toMatch(/^the course could not be read back: correct or drop the change of lesson \d+/);
});

test('after an outage nothing has to be corrected: the same call finishes', async () => {
  const { course, done } = await startOutlined(lessons());
  course.onPatch = () => 503;
  const { next } = await done({ outline: turned(course.order()) });
  expect(next).toMatch(/^(wait \d+ s, then )?call apply_course_outline with this outline, .* to finish$/);
});

test('a stale version says once that nothing was changed, and a plan states its cost once', async () => {
  const { course, apply, plan, planned } = await startOutlined(lessons());
  const { text } = await plan(moved);
  expect(text.match(/3 requests|requests: 3/g)).toHaveLength(1);
  const asked = await planned(moved);
  course.write(1, { title: 'Renamed meanwhile' });
  const stale = expectRefusal(await apply(asked), 'stale_version');
  expect(stale.match(/nothing was/gi)).toHaveLength(1);
});

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
