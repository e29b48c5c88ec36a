import type { Frame } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { startSandbox } from '../../src/sandbox/index.ts';
import { apps, type EraClient, eras, type Person } from '../support/eras.ts';
import { call } from '../support/sandbox.ts';
import { ways } from '../support/ways.ts';
import { type OpenedView, openView, type ViewOptions } from './host/host.ts';
import { sharedBrowser, startServer } from './setup.ts';

const course_id = 5;
/** The fourth lesson of the first module goes to the fourth place of the second one. */
const move = { lesson_id: 1074, module_id: 219, position: 4 };
const planned = { course_id, moves: [move] };

interface Structure {
  modules: { id: number; lessons: { id: number; title: string; is_published: boolean }[] }[];
  ungrouped_lessons: { id: number }[];
}

type Sandbox = Parameters<typeof call>[0];

/** The order of the lessons, read from the API without the server. */
async function orderOf(sandbox: Sandbox): Promise<Record<string, number[]>> {
  const { body } = await call(sandbox, 'GET', `/api/v1/courses/${course_id}/lessons`);
  const { modules, ungrouped_lessons } = body as Structure;
  return Object.fromEntries([
    ...modules.map(({ id, lessons }) => [String(id), lessons.map((lesson) => lesson.id)]),
    ['none', ungrouped_lessons.map(({ id }) => id)],
  ]);
}

const press = (frame: Frame, name: string | RegExp) => frame.getByRole('button', { name }).click();

/** The lessons of the side that the person edits, by module as it is shown. */
function shownOrder(frame: Frame): Promise<Record<string, number[]>> {
  return frame.locator('ol[aria-label="After"] > li').evaluateAll((lines) => {
    const order: Record<string, number[]> = {};
    let list = 'none';
    for (const line of lines as HTMLElement[]) {
      if (line.dataset.module !== undefined) list = line.dataset.module;
      order[list] ??= [];
      if (line.dataset.lesson !== undefined) order[list]?.push(Number(line.dataset.lesson));
    }
    return order;
  });
}

async function open(client: EraClient, options: Partial<ViewOptions> = {}): Promise<OpenedView> {
  const view = await openView(await sharedBrowser(), {
    client,
    tool: 'plan_course_outline',
    args: planned,
    displayMode: 'fullscreen',
    ...options,
  });
  await view.frame.locator('.tree, pre').first().waitFor();
  return view;
}

const isReady = (frame: Frame) =>
  expect.poll(() => frame.getByRole('button', { name: 'Apply', exact: true }).isEnabled());

async function applyAll(frame: Frame): Promise<void> {
  await isReady(frame).toBe(true);
  await press(frame, 'Apply');
  await press(frame, /^Yes, apply now$/);
  await frame
    .getByText(/^(Applied|Undone) and verified/)
    .first()
    .waitFor();
}

for (const way of ways.slice(0, 2)) {
  for (const era of eras.filter((_, index) => index === 0 || index === 3)) {
    test(`${era.name} over ${way.name}: shows all views, and restructures a course and undoes it`, async () => {
      const sandbox = await startSandbox({ rateLimit: 'off', seed: 7, students: 40, orders: 200 });
      onTestFinished(() => sandbox.close());
      const place = await way.place(sandbox, onTestFinished);
      const client = await era.connect(place, undefined, onTestFinished, apps);
      const browser = await sharedBrowser();
      for (const [tool, selector] of [
        ['find_buyers', 'tbody tr'],
        ['sales_report', '.bars li'],
      ] as const) {
        const view = await openView(browser, { client, tool, args: { period: 'all_time' } });
        await view.frame.locator(selector).first().waitFor();
        expect(view.problems).toEqual([]);
      }
      const before = await orderOf(sandbox);
      const { frame, told, problems } = await open(client);
      await applyAll(frame);
      const after = await orderOf(sandbox);
      expect(after['218']).toEqual(before['218']?.filter((id) => id !== move.lesson_id));
      expect(after['219']?.indexOf(move.lesson_id)).toBe(3);
      await press(frame, 'Undo');
      await press(frame, /^Yes, apply now$/);
      await frame
        .getByText(/^Undone and verified/)
        .first()
        .waitFor();
      expect(await orderOf(sandbox)).toEqual(before);
      await expect
        .poll(told)
        .toEqual([
          'Applied by the person in the view of course 5: 1 lesson written, read back and verified.',
          'Undone by the person in the view of course 5: 1 lesson written, read back and verified.',
        ]);
      expect(problems).toEqual([]);
    });
  }
}

test('shows the course before and after, with moves, new titles and publication marked', async () => {
  const { client } = await startServer();
  const lessons = [
    { lesson_id: 1075, title: 'Aperture: a window' },
    { lesson_id: 1077, is_published: true },
    { lesson_id: 1071, is_published: false },
  ];
  const { frame, change, heights, problems } = await open(client, { args: { ...planned, lessons } });
  const line = (id: number) => frame.locator(`ol[aria-label="After"] [data-lesson="${id}"]`);
  expect(await line(1075).innerText()).toMatch(/Aperture: a window[\s\S]*renamed/);
  expect(await line(1074).innerText()).toMatch(/from Seeing/);
  expect(await line(1077).innerText()).toMatch(/now published/);
  expect(await line(1071).innerText()).toMatch(/now unpublished/);
  expect(await frame.locator('ol[aria-label="Before"] [data-lesson="1071"]').innerText()).not.toMatch(/unpublished/);
  expect(await frame.locator('.summary').innerText()).toMatch(/^4 lessons to write/);
  await change({ displayMode: 'inline' });
  await frame.getByRole('button', { name: 'Next' }).waitFor();
  await expect.poll(async () => (await heights()).at(-1)).toBeLessThanOrEqual(500);
  expect(problems).toEqual([]);
});

test('a lesson that is dragged makes a new plan, which applies as it is shown', async () => {
  const { client, sandbox } = await startServer();
  const { frame, page, calls, problems } = await open(client, { tool: 'get_course_structure', args: { course_id } });
  const handle = await frame.locator('#move-1071').boundingBox();
  const goal = await frame.locator('[data-lesson="1076"]').boundingBox();
  if (handle === null || goal === null) throw new Error('the lessons are not in sight');
  await page.mouse.move(handle.x + 20, handle.y + 20);
  await page.mouse.down();
  await page.mouse.move(handle.x + 20, handle.y + 60, { steps: 3 });
  await page.mouse.move(goal.x + 20, goal.y + goal.height - 6, { steps: 5 });
  await page.mouse.up();
  await isReady(frame).toBe(true);
  const wanted = await shownOrder(frame);
  expect(wanted['219']?.slice(0, 3)).toEqual([1075, 1076, 1071]);
  expect(calls.filter(({ name }) => name === 'plan_course_outline')).toHaveLength(1);
  await applyAll(frame);
  expect(await orderOf(sandbox)).toEqual(wanted);
  expect(problems).toEqual([]);
});

test('Escape ends a drag without a move', async () => {
  const { client } = await startServer();
  const { frame, page, calls, problems } = await open(client, { tool: 'get_course_structure', args: { course_id } });
  const before = await shownOrder(frame);
  const handle = await frame.locator('#move-1071').boundingBox();
  await page.mouse.move((handle?.x ?? 0) + 20, (handle?.y ?? 0) + 20);
  await page.mouse.down();
  await page.mouse.move((handle?.x ?? 0) + 20, (handle?.y ?? 0) + 200, { steps: 4 });
  await page.keyboard.press('Escape');
  await page.mouse.up();
  expect(await shownOrder(frame)).toEqual(before);
  expect(calls).toEqual([]);
  expect(problems).toEqual([]);
});

test('the arrow keys on a handle move a lesson, into other modules too, and say where it is', async () => {
  const { client } = await startServer();
  const { frame, page, calls, problems } = await open(client, { tool: 'get_course_structure', args: { course_id } });
  await frame.locator('#move-1073').focus();
  for (const _step of [1, 2, 3]) await page.keyboard.press('ArrowDown');
  expect((await shownOrder(frame))['219']?.slice(0, 3)).toEqual([1075, 1073, 1076]);
  expect(await frame.evaluate(() => document.activeElement?.id)).toBe('move-1073');
  expect(await frame.getByRole('status').innerText()).toBe('Now 2 in The camera');
  await isReady(frame).toBe(true);
  expect(calls.map(({ name }) => name)).toEqual(['plan_course_outline']);
  await press(frame, 'Discard');
  expect((await shownOrder(frame))['218']).toContain(1073);
  expect(problems).toEqual([]);
});

test('a press on a handle gives buttons that move the lesson without dragging', async () => {
  const { client } = await startServer();
  const { frame, problems } = await open(client, {
    tool: 'get_course_structure',
    args: { course_id },
    displayMode: 'inline',
    width: 400,
  });
  await frame.locator('#move-1072').click();
  await press(frame, '↑ Up');
  await frame.getByRole('combobox', { name: 'To' }).selectOption({ label: 'People' });
  await press(frame, 'Done');
  await isReady(frame).toBe(true);
  expect(await frame.locator('[data-lesson="1072"]').innerText()).toContain('from Seeing');
  expect(problems).toEqual([]);
});

test('the first press sends nothing: the server first says what a person agrees to', async () => {
  const { client, sandbox } = await startServer();
  const before = await orderOf(sandbox);
  const { frame, calls, problems } = await open(client, { displayMode: 'inline' });
  await press(frame, 'Apply');
  await frame.getByRole('heading', { name: 'Apply these changes?' }).waitFor();
  expect(calls.at(-1)?.args).not.toHaveProperty('confirm');
  expect(await orderOf(sandbox)).toEqual(before);
  const agree = frame.getByRole('button', { name: 'Yes, apply now' });
  expect(await agree.isEnabled()).toBe(false);
  const seen: string[] = [];
  for (;;) {
    seen.push(...(await frame.locator('.facts li').allInnerTexts()));
    if (await agree.isEnabled()) break;
    await press(frame, 'Next');
  }
  const refusal = await client.call('apply_course_outline', calls.at(-1)?.args);
  for (const line of seen) expect(refusal.content[0]?.text).toContain(line.trim());
  expect(seen.some((line) => line.startsWith('Warning: 1 published lesson moves'))).toBe(true);
  await press(frame, 'Cancel');
  await frame.getByRole('button', { name: 'Apply' }).waitFor();
  expect(await orderOf(sandbox)).toEqual(before);
  expect(problems).toEqual([]);
});

test('ACADEMY_CONFIRM=preview: the view shows the code, and sends it once the person agrees', async () => {
  const { client, sandbox } = await startServer({}, { ACADEMY_CONFIRM: 'preview' });
  const { frame, calls, problems } = await open(client);
  await press(frame, 'Apply');
  const code = await frame.locator('code').innerText();
  await frame.getByRole('button', { name: `Apply with code ${code}` }).dblclick();
  await frame
    .getByText(/^Applied and verified/)
    .first()
    .waitFor();
  expect(calls.filter(({ name }) => name === 'apply_course_outline').map(({ args }) => args.confirm)).toEqual([
    undefined,
    code,
  ]);
  expect((await orderOf(sandbox))['219']).toContain(move.lesson_id);
  expect(problems).toEqual([]);
});

test('ACADEMY_CONFIRM=human: the client asks the person too, whose answer decides', async () => {
  const answers: ReturnType<Person>[] = [{ action: 'decline' }, { action: 'accept', agree: true }];
  const asked: string[] = [];
  const person: Person = (question) => {
    asked.push(question);
    return answers[asked.length - 1] ?? { action: 'cancel' };
  };
  const { client, sandbox } = await startServer({}, { ACADEMY_CONFIRM: 'human' }, person);
  const before = await orderOf(sandbox);
  const { frame, problems } = await open(client);
  await press(frame, 'Apply');
  await press(frame, 'Yes, apply now');
  await expect.poll(() => frame.getByRole('alert').innerText()).toMatch(/^declined: /);
  expect(await orderOf(sandbox)).toEqual(before);
  await applyAll(frame);
  expect(asked).toHaveLength(2);
  expect(asked[0]).toContain('This changes the outline of course 5');
  expect(problems).toEqual([]);
});

test('ACADEMY_CONFIRM=block: the view shows the refusal, and nothing changes', async () => {
  const { client, sandbox } = await startServer({}, { ACADEMY_CONFIRM: 'block' });
  const before = await orderOf(sandbox);
  const { frame, problems } = await open(client);
  await press(frame, 'Apply');
  await expect.poll(() => frame.getByRole('alert').innerText()).toContain('ACADEMY_CONFIRM=block forbids this call');
  expect(await orderOf(sandbox)).toEqual(before);
  expect(problems).toEqual([]);
});

test('a course that somebody else has changed: the view says how, and plans the same wish again', async () => {
  const { client, sandbox } = await startServer();
  const { frame, problems } = await open(client);
  await call(sandbox, 'PATCH', '/api/v1/lessons/1090', { module_id: 218, sequence: 0 });
  const created = await call(sandbox, 'POST', `/api/v1/courses/${course_id}/lessons`, {
    title: 'A new one',
  });
  expect(created.status).toBeLessThan(300);
  await press(frame, 'Apply');
  await frame
    .getByText(/the course has changed since this was planned/)
    .first()
    .waitFor();
  expect(await frame.locator('.notes').innerText()).toContain('lesson 1090');
  await isReady(frame).toBe(true);
  expect(await frame.locator('[data-lesson="1074"]').last().innerText()).toContain('from Seeing');
  await applyAll(frame);
  const after = await orderOf(sandbox);
  expect(after['219']?.indexOf(move.lesson_id)).toBe(3);
  expect(problems).toEqual([]);
});

test('shows the lines of the plan in a client that lets views call no tool, and says why it has no buttons', async () => {
  const { client } = await startServer();
  const { frame, calls, problems } = await open(client, { noTools: true });
  expect(await frame.locator('pre').innerText()).toContain('Module 219: The camera');
  expect(await frame.getByRole('button', { name: 'Apply' }).count()).toBe(0);
  expect(await frame.locator('.notes').innerText()).toContain('does not let views call tools');
  expect(calls).toEqual([]);
  expect(problems).toEqual([]);
});
