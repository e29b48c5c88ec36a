import type { Frame } from 'playwright-core';
import { expect, test } from 'vitest';
import { call } from '../support/sandbox.ts';
import { agree, applyAll, course_id, isReady, move, openOutline, orderOf, press } from './outline.ts';
import { startServer } from './setup.ts';

/** Waits until the view says that somebody else has changed the course. */
async function saidStale(frame: Frame): Promise<string> {
  const notes = frame.locator('.notes');
  await expect.poll(() => notes.innerText()).toMatch(/the course has changed since this was planned/i);
  return await notes.innerText();
}

test('a course that somebody else has changed: the view says how, and plans the same moves again', async () => {
  const { client, sandbox } = await startServer();
  const { frame, problems } = await openOutline(client);
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
  expect(problems).toEqual([]);
});

test('an undo of a course that somebody else has changed: the view says how, and plans the undo again', async () => {
  const { client, sandbox } = await startServer();
  const before = await orderOf(sandbox);
  const { frame, problems } = await openOutline(client);
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
  expect(problems).toEqual([]);
});

test('a plan that was not applied leaves the undo of the one before', async () => {
  const { client, sandbox } = await startServer();
  const before = await orderOf(sandbox);
  const { frame, page, problems } = await openOutline(client);
  await applyAll(frame);
  await frame.locator('#move-1095').focus();
  await page.keyboard.press('ArrowUp');
  await isReady(frame).toBe(true);
  expect(await frame.getByRole('button', { name: 'Undo' }).count()).toBe(0);
  await press(frame, 'Discard');
  await press(frame, 'Undo');
  await agree(frame);
  await frame
    .getByText(/^Undone and verified/)
    .first()
    .waitFor();
  expect(await orderOf(sandbox)).toEqual(before);
  expect(problems).toEqual([]);
});
