import { mkdir } from 'node:fs/promises';
import { at } from '../support/academy.ts';
import { atEnd, createScope } from '../support/at-end.ts';
import { apps, eras } from '../support/eras.ts';
import { startHttp } from '../support/http-server.ts';
import { sharedBrowser } from './chromium.ts';
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

const scope = createScope();
scope.enter();
const academy = { seed: 7, students: 60, orders: 300, now };
const server = await startHttp({}, { sandbox: academy, now: () => now });
const client = await at(eras, 0).connect({ url: server.url }, undefined, apps);
const browser = await sharedBrowser();
atEnd(() => browser.close());

await mkdir(folder, { recursive: true });
for (const { name, ...options } of pictures) {
  for (const theme of ['light', 'dark'] as const) {
    for (const size of sizes) {
      const view = await openView({ client, ...options, ...size, theme, height: 620, atEnd });
      const compare = view.frame.getByRole('button', { name: 'Compare' });
      if (size.displayMode === 'fullscreen' && (await compare.count()) > 0) {
        await compare.click();
        await view.frame.locator('.chart .before').first().waitFor();
      }
      await view.page.locator('iframe').screenshot({ path: `${folder}${name}-${theme}-${size.width}.png` });
      await view.page.context().close();
    }
  }
}

// The first picture of the README: a question, the answer in plain words, and the view below it.

const question = 'Who bought the photography course last week?';
const inWords = ['Six people bought it: 795.00 USD and 514.90 BRL.', 'One more got it free, which is no sale.'];
const facts = ['6 buyers of course 5', '514.90 BRL, 795.00 USD', '1 of amount 0'];
const asked = { tool: 'find_buyers', args: { product: 'photography', period: 'last_week' } };

// The practice academy of the documents.
const noon = new Date('2026-11-20T12:00:00Z');
const practice = { seed: 1, students: 500, orders: 2_000, now: noon };
const second = await startHttp({}, { sandbox: practice, now: () => noon });
const reader = await at(eras, 0).connect({ url: second.url }, undefined, apps);
const { content } = await reader.call(asked.tool, asked.args);
for (const fact of facts) {
  if (content[0]?.text?.includes(fact) !== true) throw new Error(`the answer no longer says: ${fact}`);
}

function pageOf(theme: 'light' | 'dark', view: Buffer): string {
  const [back, fore, mine] = theme === 'light' ? ['#fff', '#1f2937', '#dbeafe'] : ['#0d1117', '#e6edf3', '#1e3a5f'];
  return `<!doctype html><body style="margin:0;padding:12px;background:${back};color:${fore};font:15px/1.45 'DejaVu Sans',sans-serif">
    <p style="margin:0 0 12px auto;padding:8px 12px;width:fit-content;max-width:300px;border-radius:12px;background:${mine}">${question}</p>
    <p style="margin:0 0 12px;font-size:14px">${inWords.join('<br>')}</p>
    <img style="display:block;width:376px" src="data:image/png;base64,${view.toString('base64')}"></body>`;
}

for (const theme of ['light', 'dark'] as const) {
  const options = { client: reader, ...asked, width: 376, height: 620, theme, displayMode: 'inline' as const, atEnd };
  const view = await openView({ ...options, scale: 2 });
  const shown = await view.page.locator('iframe').screenshot();
  await view.page.context().close();
  const context = await browser.newContext({ viewport: { width: 400, height: 100 }, deviceScaleFactor: 2 });
  const page = await context.newPage();
  await page.setContent(pageOf(theme, shown));
  await page.screenshot({ path: `${folder}first-question-${theme}.png`, fullPage: true });
  await context.close();
}
await scope.close();
