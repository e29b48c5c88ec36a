import { mkdir } from 'node:fs/promises';
import { at } from '../support/academy.ts';
import { apps, eras } from '../support/eras.ts';
import { startHttp } from '../support/http-server.ts';
import { launch } from './chromium.ts';
import { openView } from './host/host.ts';

// npx tsx test/ui/screenshots.ts: writes the pictures of the documents, in both themes and three widths. Look at each
// before you commit it. They do not depend on the day: the academy and the server have a fixed clock.

const now = new Date('2026-11-20T09:00:00Z');

const folder = new URL('../../docs/images/', import.meta.url).pathname;

const pictures = [
  { name: 'buyers', tool: 'find_buyers', args: { product: '9', product_type: 'course', period: 'this_year' } },
  { name: 'sales', tool: 'sales_report', args: { period: 'last_30_days', group_by: 'day' } },
  {
    name: 'outline',
    tool: 'plan_course_outline',
    args: {
      course_id: 5,
      moves: [{ lesson_id: 1074, module_id: 219, position: 2 }],
      lessons: [
        { lesson_id: 1075, title: 'Aperture: a window' },
        { lesson_id: 1077, is_published: true },
      ],
    },
  },
];

const sizes = [
  { width: 320, displayMode: 'inline' },
  { width: 760, displayMode: 'inline' },
  { width: 1_000, displayMode: 'fullscreen' },
] as const;

const closing: (() => Promise<unknown>)[] = [];
const atEnd = (close: () => Promise<unknown>) => void closing.push(close);
const academy = { seed: 7, students: 60, orders: 300, now };
const server = await startHttp({}, { sandbox: academy, now: () => now, atEnd });
const client = await at(eras, 0).connect({ url: server.url }, undefined, atEnd, apps);
const browser = await launch();
atEnd(() => browser.close());

await mkdir(folder, { recursive: true });
for (const { name, ...options } of pictures) {
  for (const theme of ['light', 'dark'] as const) {
    for (const size of sizes) {
      const view = await openView(browser, { client, ...options, ...size, theme, height: 620, atEnd });
      await view.frame.locator('.content > *').first().waitFor();
      await view.page.locator('iframe').screenshot({ path: `${folder}${name}-${theme}-${size.width}.png` });
      await view.page.context().close();
    }
  }
}
for (const close of closing.toReversed()) await close();
