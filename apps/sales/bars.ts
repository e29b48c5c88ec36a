import type { Host } from '../shared/bridge.ts';
import { element } from '../shared/dom.ts';
import { allowScrolling, fitRows, keepFocus, pager } from '../shared/fit.ts';
import { heightLimit } from '../shared/theme.ts';
import type { Bar } from './columns.ts';

function rowOf({ label, value, text, detail }: Bar, largest: number): HTMLElement {
  const fill = element('span', { class: 'fill' });
  fill.style.width = `${largest > 0 ? (100 * value) / largest : 0}%`;
  return element(
    'li',
    {},
    element('span', { class: 'name', title: label }, label),
    element('span', { class: 'amount' }, text, element('span', { class: 'wide' }, detail && `, ${detail}`)),
    element('span', { class: 'track', 'aria-hidden': 'true' }, fill),
  );
}

/** Bars with names, the largest first: as many as fit, with pages for the others. Draws when `draw` is called. */
export function barList(host: Host, given: readonly Bar[], title: string): { element: HTMLElement; draw: () => void } {
  const bars = given.toSorted((one, other) => other.value - one.value);
  const largest = bars[0]?.value ?? 0;
  const list = element('ul', { class: 'bars', 'aria-label': title });
  const foot = element('div');
  const scroller = element('div', { class: 'scroller' }, list);
  const outer = element('div', { class: 'table' }, scroller, foot);
  let start = 0;

  function drawPage(shown: number): void {
    list.replaceChildren(...bars.slice(start, start + shown).map((bar) => rowOf(bar, largest)));
    const go = (to: number) => {
      start = to;
      keepFocus(draw);
    };
    const place = { start, shown: Math.min(shown, bars.length - start), count: bars.length };
    foot.replaceChildren(...(shown < bars.length ? [pager(place, go)] : []));
  }

  function draw(): void {
    allowScrolling(scroller, host, title);
    if (heightLimit(host.context()) === undefined) {
      start = 0;
      drawPage(bars.length);
    } else {
      fitRows(host, bars.length - start, drawPage);
    }
  }

  return { element: outer, draw };
}
