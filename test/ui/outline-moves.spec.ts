import type { Frame } from 'playwright-core';
import { expect, test } from 'vitest';
import { call } from '../support/sandbox.ts';
import {
  applyAll,
  course_id,
  isReady,
  move,
  orderOf,
  press,
  shownOrder,
  startOutline,
  structure,
  undoAll,
} from './outline.ts';

test('a lesson that is dragged makes a new plan, which applies as it is shown', async () => {
  const { frame, calls, sandbox } = await startOutline(structure);
  const line = (id: number) => frame.locator(`ol[aria-label="After"] [data-lesson="${id}"]`);
  await line(1071).dragTo(line(1076));
  await isReady(frame).toBe(true);
  const wanted = await shownOrder(frame);
  expect(wanted['219']?.slice(0, 3)).toEqual([1075, 1076, 1071]);
  expect(calls.filter(({ name }) => name === 'plan_course_outline')).toHaveLength(1);
  await applyAll(frame);
  expect(await orderOf(sandbox)).toEqual(wanted);
});

test('a lesson that is dropped onto a module becomes its first one', async () => {
  const { frame } = await startOutline(structure);
  const after = frame.locator('ol[aria-label="After"]');
  await after.locator('[data-lesson="1071"]').dragTo(after.locator('[data-module="219"]'));
  expect((await shownOrder(frame))['219']?.slice(0, 2)).toEqual([1071, 1075]);
});

test('the arrow keys on a handle move a lesson, into other modules too, and say where it is', async () => {
  const { frame, page, calls } = await startOutline(structure);
  await frame.locator('#move-1073').focus();
  for (const _step of [1, 2, 3]) await page.keyboard.press('ArrowDown');
  expect((await shownOrder(frame))['219']?.slice(0, 3)).toEqual([1075, 1073, 1076]);
  expect(await frame.evaluate(() => document.activeElement?.id)).toBe('move-1073');
  await expect.poll(() => frame.getByRole('status').innerText()).toBe('Now 2 in The camera');
  await isReady(frame).toBe(true);
  expect(calls.map(({ name }) => name)).toEqual(['plan_course_outline']);
  await press(frame, 'Discard');
  expect((await shownOrder(frame))['218']).toContain(1073);
});

test('a press on a handle gives buttons that move the lesson without dragging', async () => {
  const { frame } = await startOutline({ ...structure, displayMode: 'inline', width: 400 });
  await frame.locator('#move-1072').click();
  await press(frame, '↑ Up');
  await frame.getByRole('combobox', { name: 'To' }).selectOption({ label: 'People' });
  await press(frame, 'Done');
  await isReady(frame).toBe(true);
  await expect.poll(() => frame.locator('[data-lesson="1072"]').last().innerText()).toContain('from Seeing');
});

test('the buttons that move a lesson are below the outline on the full screen too', async () => {
  const { frame } = await startOutline(structure);
  await frame.locator('#move-1072').click();
  const [rows, up] = [await frame.locator('.scroller').boundingBox(), await frame.locator('#up').boundingBox()];
  expect(up?.height).toBe(44);
  expect(up?.y).toBeGreaterThanOrEqual((rows?.y ?? 0) + (rows?.height ?? 0));
});

/** Waits until the view says that somebody else has changed the course. */
async function saidStale(frame: Frame): Promise<string> {
  const notes = frame.locator('.notes');
  await expect.poll(() => notes.innerText()).toMatch(/the course has changed since this was planned/i);
  return await notes.innerText();
}

test('a course that somebody else has changed: the view says how, and plans the same moves again', async () => {
  const { frame, sandbox } = await startOutline();
  await call(sandbox, 'PATCH', '/api/v1/lessons/1090', { module_id: 218, sequence: 0 });
  const created = await call(sandbox, 'POST', `/api/v1/courses/${course_id}/lessons`, {
    title: 'A new one',
  });
  expect(created.status).toBeLessThan(300);
  await press(frame, 'Apply');
  expect(await saidStale(frame)).toContain('lesson 1090');
  await isReady(frame).toBe(true);
  await expect.poll(() => frame.locator('[data-lesson="1074"]').last().innerText()).toContain('from Seeing');
  await applyAll(frame);
  const after = await orderOf(sandbox);
  expect(after['219']?.indexOf(move.lesson_id)).toBe(3);
  expect(after['218']).toContain(1090);
});

test('an undo of a course that somebody else has changed: the view says how, and plans the undo again', async () => {
  const { frame, sandbox } = await startOutline();
  const before = await orderOf(sandbox);
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
  const { frame, page, sandbox } = await startOutline();
  const before = await orderOf(sandbox);
  await applyAll(frame);
  await frame.locator('#move-1095').focus();
  await page.keyboard.press('ArrowUp');
  await isReady(frame).toBe(true);
  expect(await frame.getByRole('button', { name: 'Undo' }).count()).toBe(0);
  await press(frame, 'Discard');
  await undoAll(frame);
  expect(await orderOf(sandbox)).toEqual(before);
});
