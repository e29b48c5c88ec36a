import { expect } from 'vitest';
import type { OpenedView } from './host/host.ts';

/** What a view may be made of. */
const known = new Set(
  'a? html head meta title style body script main h1 h2 p div span section nav button input label select option table caption thead tbody tr th td ul ol li svg g line rect text path meter pre code strong'.split(
    ' ',
  ),
);

/** Whether a page holds what it was built with, and nothing that a text has brought in. */
export async function expectHarmless({ frame, problems, page }: OpenedView): Promise<void> {
  const found = await frame.evaluate(() => ({
    names: [...new Set([...document.querySelectorAll('*')].map(({ localName }) => localName))],
    scripts: document.scripts.length,
    handlers: [...document.querySelectorAll('*')].filter((one) =>
      one.getAttributeNames().some((name) => name.startsWith('on')),
    ).length,
    styles: document.querySelectorAll('style').length,
    metas: document.querySelectorAll('meta').length,
  }));
  expect(found.names.filter((name) => !known.has(name))).toEqual([]);
  expect(found).toMatchObject({ scripts: 1, handlers: 0, styles: 1, metas: 3 });
  expect(page.frames()).toHaveLength(2);
  expect(problems).toEqual([]);
}
