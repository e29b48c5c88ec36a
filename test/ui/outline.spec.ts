import { expect, test } from 'vitest';
import { apps, eras } from '../support/eras.ts';
import { start } from '../support/sandbox.ts';
import { ways } from '../support/ways.ts';
import { openView } from './host/host.ts';
import { applyAll, move, openOutline, orderOf, startOutline, structure, undoAll } from './outline.ts';

for (const way of ways.slice(0, 2)) {
  for (const era of eras.filter((_, index) => index === 0 || index === 3)) {
    test(`${era.name} over ${way.name}: shows all views, and restructures a course and undoes it`, async () => {
      const sandbox = await start({ rateLimit: 'off', seed: 7, students: 40, orders: 200 });
      const place = await way.place(sandbox);
      const client = await era.connect(place, undefined, apps);
      for (const [tool, selector] of [
        ['find_buyers', 'tbody tr'],
        ['sales_report', '.bars li'],
      ] as const) {
        const view = await openView({ client, tool, args: { period: 'all_time' } });
        await view.frame.locator(selector).first().waitFor();
      }
      const before = await orderOf(sandbox);
      const { frame, told } = await openOutline(client);
      await applyAll(frame);
      const after = await orderOf(sandbox);
      expect(after['218']).toEqual(before['218']?.filter((id) => id !== move.lesson_id));
      expect(after['219']?.indexOf(move.lesson_id)).toBe(3);
      await undoAll(frame);
      expect(await orderOf(sandbox)).toEqual(before);
      await expect
        .poll(told)
        .toEqual([
          'Applied by the person in the view of course 5: 1 lesson written, read back and verified.',
          'Undone by the person in the view of course 5: 1 lesson written, read back and verified.',
        ]);
    });
  }
}

test('shows the course before and after, with moves, new titles and publication marked, also for numbers and flags as text', async () => {
  const lessons = [
    { lesson_id: '1075', title: 'Aperture: a window' },
    { lesson_id: 1077, is_published: 'true' },
    { lesson_id: 1071, is_published: false },
  ];
  const moves = [{ lesson_id: '1074', module_id: '219', position: '4' }];
  const { frame, change, heights } = await startOutline({ args: { course_id: '5', moves, lessons } });
  const line = (id: number) => frame.locator(`ol[aria-label="After"] [data-lesson="${id}"]`);
  await expect.poll(() => line(1075).innerText()).toMatch(/Aperture: a window[\s\S]*renamed/);
  await expect.poll(() => line(1074).innerText()).toMatch(/from Seeing/);
  await expect.poll(() => line(1077).innerText()).toMatch(/now published/);
  await expect.poll(() => line(1071).innerText()).toMatch(/now unpublished/);
  expect(await frame.locator('ol[aria-label="Before"] [data-lesson="1071"]').innerText()).not.toMatch(/unpublished/);
  await expect.poll(() => frame.locator('.summary').innerText()).toMatch(/^4 lessons to write/);
  await change({ displayMode: 'inline' });
  await expect.poll(async () => (await heights()).at(-1)).toBeLessThanOrEqual(500);
});

test('shows the lines of the plan in a client that lets views call no tool, and says why it has no buttons', async () => {
  const { frame, calls } = await startOutline({ noTools: true });
  await expect.poll(() => frame.locator('.facts').innerText()).toContain('Module 219: The camera');
  expect(await frame.getByRole('button', { name: 'Apply' }).count()).toBe(0);
  await expect.poll(() => frame.locator('.notes').innerText()).toContain('does not let views call tools');
  expect(calls).toEqual([]);
});

test('shows a course without lessons', async () => {
  const answer = { course: { id: 5, title: 'Nothing yet' }, lesson_count: 0, modules: [{ id: 1, title: 'Empty' }] };
  const result = { content: [], structuredContent: answer };
  const { frame } = await startOutline({ ...structure, result });
  await expect.poll(() => frame.locator('.summary').innerText()).toBe('0 lessons');
  await expect.poll(() => frame.locator('ol[aria-label="After"]').innerText()).toContain('Empty');
});

test('shows the error of the tool, and that a call was cancelled', async () => {
  const { frame, page, send, client } = await startOutline();
  await send(await client.call('plan_course_outline', { course_id: 4_711, moves: [move] }));
  await expect.poll(() => frame.getByRole('alert').innerText()).toMatch(/^not_found: /);
  await page.evaluate(() => window.host.cancel('the person pressed stop'));
  await expect.poll(() => frame.locator('h1').innerText()).toBe('Cancelled');
});

test('shows the first warning of a plan within the conversation, without a press', async () => {
  const { frame } = await startOutline({ displayMode: 'inline' });
  await expect.poll(() => frame.locator('.notes p').first().innerText()).toMatch(/published lesson moves/);
  expect(await frame.locator('.notes p').first().isVisible()).toBe(true);
});
