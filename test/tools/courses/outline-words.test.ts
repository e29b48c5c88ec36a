import { expect, test } from 'vitest';
import { fullPrincipal } from '../../../src/mcp/principal.ts';
import { row, rows } from '../../support/academy.ts';
import { openProgram } from '../../support/connect.ts';
import { dataOf, lessonsIn, startOutlined, turned } from '../../support/course-server.ts';
import { codeIn } from '../../support/guarded.ts';
import { expectRefusal } from '../../support/refusal.ts';

const lessons = () => lessonsIn(6);
const moved = { moves: [{ lesson_id: 1, module_id: 101, position: 3 }] };

test('the tree keeps its indentation in the question to a person', async () => {
  const asked: string[] = [];
  const { apply, planned } = await startOutlined(
    lessons(),
    {},
    {
      human: ({ message }) => {
        asked.push(message);
        return { action: 'decline' };
      },
    },
  );
  const question = await planned(moved);
  const told = expectRefusal(await apply({ ...question, confirm: undefined }), 'confirmation_required');
  expectRefusal(await apply(question), 'declined');
  for (const text of [told, asked[0]]) {
    expect(text?.split('\n')).toEqual(expect.arrayContaining(['  before', '    1. 1 Lesson 1', '    1. 2 Lesson 2']));
  }
});

test('the plan and the question say that more requests may be needed, and progress rises steadily when they are', async () => {
  const { course, client, plan, planned, apply } = await startOutlined(lessons());
  course.pushes = true;
  for (const lesson of course.lessons) lesson.sequence /= 10;
  const asked = await planned({ outline: turned(course.order()) });
  const told = expectRefusal(await apply({ ...asked, confirm: undefined }), 'confirmation_required');
  for (const text of [told, (await plan({ outline: asked.outline })).text]) {
    expect(text).toContain('this takes more requests than stated here');
  }
  const steps: (number | undefined)[][] = [];
  const answer = await client.callTool(
    { name: 'apply_course_outline', arguments: { course_id: 14, confirm: true, ...asked } },
    undefined,
    { onprogress: ({ progress, total }) => void steps.push([progress, total]) },
  );
  expect(row(answer.structuredContent)).toMatchObject({ verified: true });
  expect(steps.map(([progress]) => progress)).toEqual(course.patches.map((_, index) => index + 1));
  const totals = steps.map(([, total]) => total);
  expect(totals.at(-1)).toBe(course.patches.length);
  expect(totals[0]).toBeLessThan(course.patches.length);
});

test('the summary says one lesson in the singular, and does not claim to have read back when nothing was written', async () => {
  const { plan, apply, planned } = await startOutlined(lessons());
  expect((await plan(moved)).text).toMatch(/: 1 lesson to write, 3 requests,/);
  expect((await apply(await planned(moved))).text).toMatch(/verified: 1 lesson written, 0 failed/);
  const { text } = await apply(await planned({ moves: [] }));
  expect(text).toMatch(/^Course 14 "Course" already matches the request: nothing was written\.$/m);
  expect((await plan({ moves: [] })).text).toContain('0 lessons to write, 1 request,');
});

test('the warning about moves leaves out a lesson that the plan hides, and names one that it publishes', async () => {
  const { course, plan } = await startOutlined(lessons());
  course.write(12, { is_published: false });
  const seen = async (lesson_id: number, is_published: boolean) => {
    const moves = [{ lesson_id, module_id: null, position: 1 }];
    const { warnings } = dataOf(await plan({ moves, lessons: [{ lesson_id, is_published }] }));
    return String(warnings).includes('published lesson');
  };
  expect([await seen(1, false), await seen(12, true)]).toEqual([false, true]);
});

test('a lesson that gets another number and keeps its place is not said to move', async () => {
  const dense = lessons().map((lesson) => ({ ...lesson, sequence: lesson.sequence / 10 }));
  const { course, plan } = await startOutlined(dense);
  const { warnings, changes } = dataOf(
    await plan({
      moves: [{ lesson_id: 12, module_id: 101, position: 1 }],
      lessons: [{ lesson_id: 3, title: 'Three' }],
    }),
  );
  expect(rows(changes).length).toBeGreaterThan(6);
  expect(String(warnings)).toContain('1 published lesson moves, and students see it at once: 12 Lesson 12');
  course.write(12, { is_published: false });
  const unseen = dataOf(await plan({ moves: [{ lesson_id: 12, module_id: 101, position: 1 }] }));
  expect(String(unseen.warnings)).not.toContain('students see it');
});

test('the warnings name what becomes visible and what is hidden', async () => {
  const { course, plan } = await startOutlined(lessons());
  course.write(12, { is_published: false });
  const asked = [
    { lesson_id: 12, is_published: true },
    { lesson_id: 3, is_published: false },
    { lesson_id: 4, is_published: true },
  ];
  const answer = await plan({ moves: [], lessons: asked });
  expect(dataOf(answer).warnings).toEqual([
    'the order of the modules is not clear',
    '1 lesson becomes visible: 12 Lesson 12',
    '1 lesson is hidden: 3 Lesson 3',
  ]);
  expect(answer.text).toContain('Warning: 1 lesson becomes visible: 12 Lesson 12');
});

test('in an unpublished module no lesson becomes visible, and students see no move', async () => {
  const { course, plan } = await startOutlined(lessons());
  for (const module of course.modules) module.is_published = module.id === 101;
  course.write(12, { is_published: false });
  const published = { lessons: [{ lesson_id: 12, is_published: true }] };
  expect(String(dataOf(await plan({ moves: [], ...published })).warnings)).not.toContain('visible');
  const shown = dataOf(await plan({ moves: [{ lesson_id: 12, module_id: 101, position: 1 }], ...published }));
  expect(String(shown.warnings)).toContain('1 lesson becomes visible: 12 Lesson 12');
  const within = dataOf(await plan({ moves: [{ lesson_id: 11, module_id: 102, position: 1 }] }));
  expect(String(within.warnings)).not.toContain('students see it');
});

test('if the API does not show publication, no lesson counts as published', async () => {
  const { course, plan } = await startOutlined(lessons());
  course.hidden = ['is_published'];
  const { warnings } = dataOf(await plan({ moves: [{ lesson_id: 12, module_id: 101, position: 1 }] }));
  expect(String(warnings)).not.toContain('1 published lesson');
  expect(String(warnings)).toContain('the API does not show whether it is published: 12 Lesson 12');
});

test('a code for a plan stays valid while its minutes change with the used limit', async () => {
  const { course, call, apply, planned } = await startOutlined(lessonsIn(9), {
    ACADEMY_CONFIRM: 'preview',
    ACADEMY_RATE_LIMIT: '30',
  });
  const asked = await planned({ outline: turned(course.order()) });
  for (let spent = 0; spent < 5; spent += 1) await call('get_course_structure', { course_id: 14 });
  const confirm = codeIn(expectRefusal(await apply({ ...asked, confirm: undefined }), 'confirmation_required'));
  // From here on the writes do not all fit into the limit at once.
  for (let spent = 0; spent < 3; spent += 1) await call('get_course_structure', { course_id: 14 });
  course.onPatch = () => 422;
  expect(dataOf(await apply({ ...asked, confirm }))).toMatchObject({ verified: false });
  expect(course.patches).toHaveLength(1);
});

test('after a cancellation the lesson in flight has an unknown outcome, and the next one was not sent', async () => {
  const { course, planned } = await startOutlined(lessons());
  const { app } = openProgram({ ACADEMY_BASE_URL: course.url, ACADEMY_RATE_LIMIT: 'off' });
  const service = app.serviceFor(fullPrincipal('test'), { hasUserContent: false });
  const leaving = new AbortController();
  course.onPatch = async (count) => {
    if (count === 3) leaving.abort();
    return undefined;
  };
  const asked = { course_id: 14, ...(await planned({ outline: turned(course.order()) })), confirm: true };
  // A client that has cancelled gets no answer: the test calls the program directly to see it.
  const scope = { signal: leaving.signal, progress: () => {}, askHuman: undefined };
  const { structuredContent } = await service.call('apply_course_outline', asked, scope);
  const { applied, failed, undo_outline } = row(structuredContent);
  expect(applied).toHaveLength(2);
  expect(rows(failed)).toEqual([
    {
      lesson_id: course.patches[2]?.lesson_id,
      why: expect.stringMatching(/^outcome_unknown: cancelled after it was sent/),
    },
  ]);
  expect(undo_outline).toBeDefined();
  expect(course.patches).toHaveLength(3);
});

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
  const { course, plan, apply } = await startOutlined(lessonsIn(2));
  const publish = (is_published: boolean) => {
    for (const module of course.modules) module.is_published = is_published;
  };
  publish(false);
  const moves = [{ lesson_id: 1, module_id: 101, position: 2 }];
  const answer = await plan({ moves });
  expect(answer.text).toContain('Module 101 (unpublished): Module 101');
  publish(true);
  const { base_version } = dataOf(answer);
  const text = expectRefusal(await apply({ moves, base_version }), 'stale_version');
  expect(text).toContain('is_published was false, is true');
});

test('undo restores a title with all its blanks', async () => {
  const { course, done } = await startOutlined(lessonsIn(2, (id) => `Old  title\u00a0${id}`));
  const { undo_outline: outline, undo_lessons } = await done({ moves: [], lessons: [{ lesson_id: 1, title: 'New' }] });
  expect(await done({ outline, lessons: undo_lessons })).toMatchObject({ verified: true });
  expect(course.lessons.find(({ id }) => id === 1)?.title).toBe('Old  title\u00a01');
});
