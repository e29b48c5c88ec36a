import type { Frame } from 'playwright-core';
import { expect, test } from 'vitest';
import { call } from '../support/sandbox.ts';
import { applyAll, course_id, isReady, move, openOutline, orderOf, press, shownOrder, undoAll } from './outline.ts';
import { startServer } from './setup.ts';

test('a lesson that is dragged makes a new plan, which applies as it is shown', async () => {
  const { client, sandbox } = await startServer();
  const { frame, page, calls } = await openOutline(client, {
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
});

test('Escape ends a drag without a move', async () => {
  const { client } = await startServer();
  const { frame, page, calls } = await openOutline(client, {
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
});

test('the arrow keys on a handle move a lesson, into other modules too, and say where it is', async () => {
  const { client } = await startServer();
  const { frame, page, calls } = await openOutline(client, {
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
});

test('a press on a handle gives buttons that move the lesson without dragging', async () => {
  const { client } = await startServer();
  const { frame } = await openOutline(client, {
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
});

/** Waits until the view says that somebody else has changed the course. */
async function saidStale(frame: Frame): Promise<string> {
  const notes = frame.locator('.notes');
  await expect.poll(() => notes.innerText()).toMatch(/the course has changed since this was planned/i);
  return await notes.innerText();
}

test('a course that somebody else has changed: the view says how, and plans the same moves again', async () => {
  const { client, sandbox } = await startServer();
  const { frame } = await openOutline(client);
  await call(sandbox, 'PATCH', '/api/v1/lessons/1090', { module_id: 218, sequence: 0 });
  const created = await call(sandbox, 'POST', `/api/v1/courses/${course_id}/lessons`, {
    title: 'A new one',
  });
  expect(created.status).toBeLessThan(300);
  await press(frame, 'Apply');
  expect(await saidStale(frame)).toContain('lesson 1090');
  await isReady(frame).toBe(true);
  expect(await frame.locator('[data-lesson="1074"]').last().innerText()).toContain('from Seeing');
  await applyAll(frame);
  const after = await orderOf(sandbox);
  expect(after['219']?.indexOf(move.lesson_id)).toBe(3);
  expect(after['218']).toContain(1090);
});

test('an undo of a course that somebody else has changed: the view says how, and plans the undo again', async () => {
  const { client, sandbox } = await startServer();
  const before = await orderOf(sandbox);
  const { frame } = await openOutline(client);
  await applyAll(frame);
  await call(sandbox, 'PATCH', '/api/v1/lessons/1098', { title: 'Even further reading' });
  await call(sandbox, 'PATCH', '/api/v1/lessons/1090', { module_id: 218, sequence: 9 });
  await press(frame, 'Undo');
  expect(await saidStale(frame)).toContain('lesson 1090');
  await isReady(frame).toBe(true);
  await applyAll(frame);
  const after = await orderOf(sandbox);
  expect(after['218']?.filter((id) => id !== 1090)).toEqual(before['218']);
  expect(after['218']).toContain(1090);
});

test('a plan that was not applied leaves the undo of the one before', async () => {
  const { client, sandbox } = await startServer();
  const before = await orderOf(sandbox);
  const { frame, page } = await openOutline(client);
  await applyAll(frame);
  await frame.locator('#move-1095').focus();
  await page.keyboard.press('ArrowUp');
  await isReady(frame).toBe(true);
  expect(await frame.getByRole('button', { name: 'Undo' }).count()).toBe(0);
  await press(frame, 'Discard');
  await undoAll(frame);
  expect(await orderOf(sandbox)).toEqual(before);
});
