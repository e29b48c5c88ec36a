import { expect, test } from 'vitest';
import { applyAll, course_id, isReady, openOutline, orderOf, press, shownOrder } from './outline.ts';
import { startServer } from './setup.ts';

test('a lesson that is dragged makes a new plan, which applies as it is shown', async () => {
  const { client, sandbox } = await startServer();
  const { frame, page, calls, problems } = await openOutline(client, {
    tool: 'get_course_structure',
    args: { course_id },
  });
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
  const { frame, page, calls, problems } = await openOutline(client, {
    tool: 'get_course_structure',
    args: { course_id },
  });
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
  const { frame, page, calls, problems } = await openOutline(client, {
    tool: 'get_course_structure',
    args: { course_id },
  });
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
  const { frame, problems } = await openOutline(client, {
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
