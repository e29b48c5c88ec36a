import type { Frame } from 'playwright-core';
import { openView } from './host/host.ts';
import { startServer } from './setup.ts';

export const everyone = { period: 'all_time' };
export const academy = { students: 60, orders: 300 };

export interface Shown {
  buyers: { email: string; name: string; orders?: number }[];
  totals: { buyers: number; order_total: Record<string, string> };
  next_cursor?: string;
}

/** A row without a number has one order. */
export const ordersOf = ({ orders = 1 }: Shown['buyers'][number]) => orders;

export const names = (frame: Frame) => frame.locator('tbody tr td:first-child .line:first-child').allInnerTexts();

/** Scrolls to the last row. */
export const toEnd = (frame: Frame) =>
  frame.locator('.scroller').evaluate((scroller) => scroller.scrollTo(0, scroller.scrollHeight));

/** The rows that are in sight, whole. */
export const rowsInSight = (frame: Frame) =>
  frame.locator('.scroller').evaluate((scroller) => {
    const [area, head] = [scroller.getBoundingClientRect(), scroller.querySelector('thead')?.getBoundingClientRect()];
    return [...scroller.querySelectorAll('tbody tr')].filter((row) => {
      const { top, bottom } = row.getBoundingClientRect();
      return top + 1 >= (head?.bottom ?? area.top) && bottom <= Math.min(area.bottom, innerHeight) + 1;
    }).length;
  });

/** The email of a copied line: texts are quoted. */
export const firstCell = (line: string) => line.split(',')[0]?.replaceAll('"', '');

/** The lines that the button copies, without the heading. */
export async function copiedRows(frame: Frame, count: number): Promise<string[]> {
  await frame.getByRole('button', { name: 'Copy as CSV' }).click();
  await frame.getByText(`${count} rows copied`).waitFor({ state: 'attached' });
  const csv = await frame.page().evaluate(() => navigator.clipboard.readText());
  return csv.split('\r\n').slice(1);
}

export async function openBuyers(args: Record<string, unknown> = everyone, options: object = {}) {
  const { client } = await startServer(academy);
  const result = await client.call('find_buyers', args);
  const answer = result.structuredContent as unknown as Shown;
  const view = await openView({ client, tool: 'find_buyers', args, result, ...options });
  await view.frame.getByRole('table').waitFor();
  return { client, answer, ...view };
}
