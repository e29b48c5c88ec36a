import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Frame } from 'playwright-core';
import { expect, test } from 'vitest';
import { openView } from './host/host.ts';
import { startServer } from './setup.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Finding {
  id: string;
  nodes: { html: string; failureSummary?: string }[];
}

/** Every rule of axe-core for WCAG 2.2 A and AA, and its best practices. */
async function findingsIn(frame: Frame): Promise<string[]> {
  await frame.evaluate(axe);
  const { violations } = (await frame.evaluate('axe.run()')) as { violations: Finding[] };
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  );
}

/** Controls smaller than 44 pixels in one direction, except links within a line of a table. */
function smallTargets(frame: Frame): Promise<string[]> {
  return frame.locator('button:visible:not(.link), select:visible, input:visible').evaluateAll((all) =>
    all.flatMap((one) => {
      const { width, height } = one.getBoundingClientRect();
      return width < 44 || height < 44 ? [`${one.outerHTML.slice(0, 80)}: ${width} x ${height}`] : [];
    }),
  );
}

const plan = {
  course_id: 5,
  moves: [{ lesson_id: 1074, module_id: 219, position: 4 }],
  lessons: [
    { lesson_id: 1075, title: 'Aperture: a window' },
    { lesson_id: 1077, is_published: true },
  ],
};

const press = (name: string | RegExp) => (frame: Frame) => frame.getByRole('button', { name }).first().click();

/** Every state of every view. */
const states = [
  { name: 'buyers', tool: 'find_buyers', args: {} },
  {
    name: 'a profile',
    tool: 'find_buyers',
    args: {},
    act: (frame: Frame) => frame.locator('tbody button').first().click(),
    until: '#back',
  },
  { name: 'an error', tool: 'find_buyers', args: { product: 'no such product' }, until: '[role=alert]' },
  { name: 'days', tool: 'sales_report', args: { period: 'last_30_days', group_by: 'day' } },
  { name: 'products', tool: 'sales_report', args: { group_by: 'product' } },
  { name: 'figures', tool: 'sales_report', args: { group_by: 'month' }, act: press('Table'), until: 'table' },
  { name: 'a course', tool: 'get_course_structure', args: { course_id: 5 } },
  { name: 'a plan', tool: 'plan_course_outline', args: plan },
  { name: 'a lesson that is moved', tool: 'plan_course_outline', args: plan, act: press(/^Move /), until: '#up' },
  { name: 'a plan without tools', tool: 'plan_course_outline', args: plan, noTools: true },
  { name: 'the consent', tool: 'plan_course_outline', args: plan, act: press('Apply'), until: '#agree' },
];

for (const theme of ['light', 'dark'] as const) {
  test(`axe-core finds nothing in any state of any view, ${theme}, inline, on the full screen and at 320 pixels`, async () => {
    const { client } = await startServer({ students: 60, orders: 300 });
    for (const { name, act, until = '.content > *', ...options } of states) {
      for (const [width, displayMode] of [
        [760, 'inline'],
        [320, 'inline'],
        [1100, 'fullscreen'],
      ] as const) {
        const view = await openView({ client, ...options, theme, width, displayMode });
        const { frame, page, heights } = view;
        await frame
          .locator(act === undefined ? until : '.content > *')
          .first()
          .waitFor();
        await act?.(frame);
        await frame.locator(until).first().waitFor();
        const where = `${name}, ${width} px, ${displayMode}`;
        expect(await findingsIn(frame), where).toEqual([]);
        expect(await smallTargets(frame), where).toEqual([]);
        expect(await frame.evaluate(() => document.documentElement.scrollWidth), where).toBeLessThanOrEqual(width);
        if (displayMode === 'inline') expect(Math.max(...(await heights())), where).toBeLessThanOrEqual(500);
        await page.context().close();
      }
    }
  });
}

test('every control is reached with the Tab key, and shows where the focus is', async () => {
  const { client } = await startServer({ students: 8, orders: 40 });
  for (const { act: _act, until: _until, name, ...options } of states.filter((state) => !('act' in state))) {
    const { frame, page } = await openView({ client, ...options });
    const count = await frame
      .locator('button:enabled:visible, select:visible, input:visible, [tabindex="0"]:visible')
      .count();
    const reached = new Set<number>();
    await frame.evaluate(() => document.body.focus());
    for (let index = 0; index < count; index += 1) {
      await page.keyboard.press('Tab');
      const at = await frame.evaluate(() =>
        [...document.querySelectorAll('*')].indexOf(document.activeElement ?? document.body),
      );
      reached.add(at);
      const outline = await frame.evaluate(
        () => getComputedStyle(document.activeElement ?? document.body).outlineStyle,
      );
      expect(outline, name).toBe('solid');
    }
    expect(reached.size, name).toBe(count);
    await page.context().close();
  }
});

test('takes the colours of the client, and follows it when they change', async () => {
  const { client } = await startServer({ students: 10, orders: 40 });
  const styles = {
    variables: { '--color-background-primary': 'rgb(1, 2, 3)', '--color-text-primary': 'rgb(250, 251, 252)' },
  };
  const { frame, change } = await openView({
    client,
    tool: 'find_buyers',
    context: { styles: styles as never },
  });
  const background = () => frame.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  expect(await background()).toBe('rgb(1, 2, 3)');
  await change({ theme: 'dark', styles: { variables: { '--color-background-primary': 'rgb(4, 5, 6)' } } as never });
  await expect.poll(background).toBe('rgb(4, 5, 6)');
  expect(await frame.evaluate(() => document.documentElement.style.colorScheme)).toBe('dark');
});
