import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { atEnd, createScope } from '../support/at-end.ts';
import { sharedBrowser } from './chromium.ts';
import { type OpenedView, openView, type ViewOptions } from './host/host.ts';
import { measureScroll } from './measure.ts';
import { startServer } from './setup.ts';

// Measures the views in Chromium and prints the figures as JSON. test/bench/views.ts makes a table of them.

const rounds = 15;
const buyers = 5_000;

const scope = createScope();
scope.enter();

const structure = { tool: 'get_course_structure', args: { course_id: 5 } };

const questions = [
  { page: 'buyers', shown: '100 buyers', tool: 'find_buyers', args: { limit: 100 } },
  { page: 'sales', shown: '30 days', tool: 'sales_report', args: { period: 'last_30_days', group_by: 'day' } },
  { page: 'outline', shown: '28 lessons', ...structure },
  {
    page: 'outline',
    shown: '500 lessons, full screen',
    ...structure,
    result: manyLessons(),
    displayMode: 'fullscreen',
  },
] as const;

/** Milliseconds from the answer until its first frame is painted. */
async function paintTime(
  { page, frame, send }: OpenedView,
  result: Parameters<OpenedView['send']>[0],
): Promise<number> {
  const painted = frame.evaluate(async () => {
    // No named function: tsx would wrap it in a helper that the browser does not have.
    while (document.querySelector('.content > *') === null) await new Promise(requestAnimationFrame);
    await new Promise(requestAnimationFrame);
    return performance.timeOrigin + performance.now();
  });
  const sent = await page.evaluate(() => performance.timeOrigin + performance.now());
  await send(result);
  return (await painted) - sent;
}

async function paintTimes(options: ViewOptions): Promise<number[]> {
  const result = options.result ?? (await options.client.call(options.tool, options.args));
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const view = await openView({ ...options, pending: true, atEnd });
    times.push(await paintTime(view, result));
    await view.page.context().close();
  }
  return times.sort((one, other) => one - other);
}

function manyLessons() {
  const lessonsOf = (module: number) =>
    Array.from({ length: 50 }, (_, index) => ({
      id: module * 100 + index,
      title: `Lesson ${index} of the usual length`,
    }));
  const modules = Array.from({ length: 10 }, (_, index) => ({
    id: index + 1,
    title: `Module ${index}`,
    lessons: lessonsOf(index + 1),
  }));
  return { content: [], structuredContent: { course: { id: 5, title: 'Everything' }, modules } };
}

function manyBuyers() {
  const rows = Array.from({ length: buyers }, (_, index) => ({
    email: `student-${index}@mail.example.com`,
    name: `Student Number ${index}`,
    orders: 1 + (index % 7),
    amount: `${index}.50`,
    date: new Date(1_790_000_000_000 - index * 60_000).toISOString(),
  }));
  return { content: [], structuredContent: { currency: 'USD', totals: { buyers, orders: buyers }, buyers: rows } };
}

async function sizesOf(name: string) {
  const html = await readFile(new URL(`../../dist/apps/${name}.html`, import.meta.url));
  return { bytes: html.length, gzip: gzipSync(html).length };
}

const { client } = await startServer({ students: 300, orders: 2_000 });
const browser = await sharedBrowser();
atEnd(() => browser.close());

const pages = [];
for (const { page, shown, ...options } of questions) {
  pages.push({ page, shown, ...(await sizesOf(page)), paint: await paintTimes({ client, ...options }) });
}
const table = { client, tool: 'find_buyers', result: manyBuyers(), displayMode: 'fullscreen' as const, atEnd };
const view = await openView(table);
const { rows, frames } = await measureScroll(view.frame);
await scope.close();
console.log(JSON.stringify({ browser: browser.version(), pages, scroll: { rows, frames } }));
