import { readFile } from 'node:fs/promises';
import type { View } from '../src/mcp/view.ts';

/** The folder of the built pages, from a file of the bundle, one of its chunks or this file. */
const folders = ['./apps/', '../apps/', '../dist/apps/'];

/** Reads a page that `npm run build` made from `apps/`. Rejects if it was not built. */
async function readPage(name: string): Promise<string> {
  for (const folder of folders) {
    const html = await readFile(new URL(`${folder}${name}.html`, import.meta.url), 'utf8').catch(() => undefined);
    if (html !== undefined) return html;
  }
  throw new Error(`the page ${name} is missing: run npm run build`);
}

/** Each is read once: the pages never change while the program runs. */
function pageOf(name: string): View['html'] {
  let page: Promise<string> | undefined;
  return () => (page ??= readPage(name));
}

/** The page of `academy-mcp demo --open`, which shows the views as a client does. */
export const demoPage = pageOf('host');

function viewOf(page: string, title: string, description: string): View {
  return { uri: `ui://academy/${page}.html`, name: `${page}_view`, title, description, html: pageOf(page) };
}

export const views: readonly View[] = [
  { ...viewOf('buyers', 'Buyers', 'The buyers of find_buyers as a table to sort, filter and copy.'), copies: true },
  viewOf('sales', 'Sales', 'The sales of sales_report as a chart and a table.'),
  viewOf(
    'outline',
    'Outline of a course',
    'The modules and lessons of a course before and after a plan, to rearrange, apply and undo.',
  ),
];
