import type { Host } from '../shared/bridge.ts';
import { element } from '../shared/dom.ts';
import { allowScrolling, fitRows, keepFocus, pager } from '../shared/fit.ts';
import { heightLimit } from '../shared/theme.ts';

export interface Lines {
  readonly element: HTMLElement;
  draw(): void;
  /** The number of lines that the person has seen. */
  seen(): number;
}

interface LinesOptions {
  readonly lines: readonly string[];
  readonly label: string;
  readonly onDraw?: () => void;
}

/** Lines of text: as many as fit, with pages for the others; on the full screen all, which scroll. */
export function createLines(host: Host, { lines, label, onDraw = () => {} }: LinesOptions): Lines {
  const list = element('ol', { class: 'facts' });
  const scroller = element('div', { class: 'scroller', onscroll: () => isFull() && noteSeen() }, list);
  const foot = element('div');
  let start = 0;
  let seen = 0;

  const isFull = () => heightLimit(host.context()) === undefined;

  /** On the full screen, a line below the end of the scrolled area is not seen yet. */
  function noteSeen(): void {
    const { bottom } = scroller.getBoundingClientRect();
    const below = [...list.children].findIndex((line) => line.getBoundingClientRect().bottom > bottom + 1);
    seen = Math.max(seen, below < 0 ? lines.length : below);
    onDraw();
  }

  function drawAll(): void {
    start = 0;
    drawPage(lines.length);
    noteSeen();
  }

  function drawFitting(): void {
    seen = Math.max(seen, start + fitRows(host, lines.length - start, drawPage));
    onDraw();
  }

  function drawPage(shown: number): void {
    const some = lines.slice(start, start + shown);
    list.replaceChildren(...some.map((line) => element('li', {}, line)));
    const place = { start, shown: some.length, count: lines.length };
    foot.replaceChildren(...(some.length < lines.length ? [pager(place, go)] : []));
  }

  function go(to: number): void {
    start = to;
    keepFocus(draw);
  }

  function draw(): void {
    allowScrolling(scroller, host, label);
    if (isFull()) drawAll();
    else drawFitting();
  }

  return { element: element('div', { class: 'table' }, scroller, foot), draw, seen: () => seen };
}
