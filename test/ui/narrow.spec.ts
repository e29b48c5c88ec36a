import type { Frame } from 'playwright-core';
import { expect, test } from 'vitest';
import { call } from '../support/sandbox.ts';
import { openView } from './host/host.ts';
import { isReady, press, startOutline } from './outline.ts';
import { startServer } from './setup.ts';

// At 320 pixels within a conversation, where there is room for little: the lines that a person must read are whole.

const ofCourse = { product: '9', product_type: 'course', period: 'this_year' };
const narrow = { width: 320, displayMode: 'inline' } as const;

/** The sentence that has a text, and whether anything around it cuts it. */
async function sentence(frame: Frame, text: string | RegExp) {
  const line = frame.locator('.notes p', { hasText: text });
  await line.waitFor({ state: 'attached' });
  const isCut = await line.evaluate((one) => {
    const { bottom } = one.getBoundingClientRect();
    let around = one.parentElement;
    while (around !== null && around.getBoundingClientRect().bottom + 1 >= bottom) around = around.parentElement;
    return around !== null && around !== document.body;
  });
  return { text: await line.innerText(), isCut };
}

test('says whole why the buttons are missing in a client that lets views call no tool', async () => {
  const { client } = await startServer({ students: 60, orders: 300 });
  for (const [tool, args] of [
    ['find_buyers', ofCourse],
    ['sales_report', ofCourse],
    ['plan_course_outline', { course_id: 5, moves: [{ lesson_id: 1074, module_id: 219, position: 4 }] }],
  ] as const) {
    const { frame, heights } = await openView({ client, tool, args, ...narrow, noTools: true });
    expect((await sentence(frame, 'does not let views call tools')).isCut, tool).toBe(false);
    expect((await heights()).at(-1), tool).toBeLessThanOrEqual(500);
  }
});

test('says whole how somebody else has changed the course', async () => {
  const { frame, heights, sandbox } = await startOutline(narrow);
  await isReady(frame).toBe(true);
  await call(sandbox, 'PATCH', '/api/v1/lessons/1090', { module_id: 218, sequence: 0 });
  await press(frame, 'Apply');
  const stale = await sentence(frame, 'the course has changed since this was planned');
  expect(stale.text).toContain('lesson 1090');
  expect(stale.isCut).toBe(false);
  await isReady(frame).toBe(true);
  // The message takes room from the rows: the lesson that moves is still among them.
  await frame.locator('ol[aria-label="After"] [data-lesson="1074"]').waitFor();
  expect((await heights()).at(-1)).toBeLessThanOrEqual(500);
});

test('says that a part of a long course is not the whole, in a client that lets views call no tool', async () => {
  const args = { course_id: 5, cursor: 'from-here' };
  const lessons = [{ id: 1, title: 'One' }];
  const structuredContent = { course: { id: 5, title: 'Long' }, lesson_count: 28, modules: [{ id: 1, lessons }] };
  const result = { content: [], structuredContent };
  const options = { tool: 'get_course_structure', args, result, ...narrow, noTools: true };
  const { frame } = await startOutline(options);
  expect(await sentence(frame, '1 of 28 lessons shown.')).toMatchObject({ isCut: false });
  expect(await frame.getByRole('alert').isVisible()).toBe(false);
});

test('the hint in the filter fits, and one order is no plural', async () => {
  const { client } = await startServer({ students: 60, orders: 300 });
  const buyers = await openView({ client, tool: 'find_buyers', args: ofCourse, ...narrow });
  const filter = buyers.frame.getByRole('searchbox', { name: 'Filter by name or email' });
  const hint = await filter.getAttribute('placeholder');
  await filter.fill(hint ?? '');
  expect(await filter.evaluate((box) => box.scrollWidth - box.clientWidth)).toBe(0);
  const args = { period: 'last_30_days', group_by: 'day' };
  for (const width of [320, 760]) {
    const { frame } = await openView({ client, tool: 'sales_report', args, width });
    await press(frame, 'Table');
    const cells = await frame.locator('tbody tr td:last-child').allInnerTexts();
    expect(cells.join(), String(width)).toMatch(width === 320 ? /\b1 order\b/ : /^\D*[\d.]+ /);
    expect(cells.join(), String(width)).not.toMatch(width === 320 ? /\b1 orders/ : /order/);
  }
});
