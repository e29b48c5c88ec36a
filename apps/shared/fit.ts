import type { Host, HostContext } from './bridge.ts';
import { button, element } from './dom.ts';
import { grouped } from './values.ts';

/** Only the variables of the specification: a client cannot set any other property. */
const variable = /^--(color|font|border|shadow)-[\w-]+$/;

/** Takes on the look of the client. Without it, the page follows the system. */
export function applyTheme({ theme, styles, displayMode }: HostContext): void {
  const root = document.documentElement;
  if (theme === 'light' || theme === 'dark') root.dataset.theme = theme;
  root.dataset.mode = displayMode === 'fullscreen' ? 'fullscreen' : 'inline';
  for (const [name, value] of Object.entries(styles?.variables ?? {})) {
    if (variable.test(name) && value !== undefined) root.style.setProperty(name, value);
  }
}

/** The most pixels that a view takes within a conversation. */
const maxInline = 500;

/** How high the page may be; undefined if it fills the screen. */
export function heightLimit({ displayMode, containerDimensions }: HostContext): number | undefined {
  if (displayMode === 'fullscreen') return undefined;
  const { height, maxHeight } = containerDimensions ?? {};
  return Math.max(280, Math.min(maxInline, height ?? maxInline, maxHeight ?? maxInline));
}

/** Rows that are drawn first: more than fit into any view within a conversation. */
const mostRows = 12;
const leastRows = 1;

const pageHeight = () => Math.ceil(document.documentElement.getBoundingClientRect().height);

/** Draws as many rows as the page has room for, and returns how many. */
export function fitRows(host: Host, count: number, draw: (rows: number) => void): number {
  const limit = heightLimit(host.context()) ?? Number.POSITIVE_INFINITY;
  let rows = Math.min(count, mostRows);
  draw(rows);
  while (rows > leastRows && pageHeight() > limit) {
    rows -= 1;
    draw(rows);
  }
  return rows;
}

/** Lets the keyboard scroll an area, which it does only on the full screen. */
export function allowScrolling(area: HTMLElement, host: Host, label: string): void {
  area.tabIndex = heightLimit(host.context()) === undefined ? 0 : -1;
  area.role = 'group';
  area.ariaLabel = label;
}

/** "1 to 5 of 23", with a button for each direction. */
export function pager(
  { start, shown, count }: { start: number; shown: number; count: number },
  go: (start: number) => void,
): Node {
  const last = start + shown;
  const label =
    count === 0 ? '' : `${grouped(String(start + 1))} to ${grouped(String(last))} of ${grouped(String(count))}`;
  return element(
    'nav',
    { class: 'pager', 'aria-label': 'Rows' },
    button('Previous', () => go(Math.max(0, start - shown)), { id: 'previous', disabled: start === 0 }),
    element('span', {}, label),
    button('Next', () => go(last), { id: 'next', disabled: last >= count }),
  );
}

/** Runs a redraw and returns the focus to the element with the same id. */
export function keepFocus(redraw: () => void): void {
  const id = document.activeElement?.id ?? '';
  redraw();
  if (id === '' || document.activeElement?.id === id) return;
  const again = document.getElementById(id);
  // A button at the end of the list is disabled: its neighbour takes the focus.
  const other = again?.parentElement?.querySelector<HTMLElement>('button:not(:disabled)');
  if (again instanceof HTMLButtonElement && again.disabled) other?.focus();
  else again?.focus();
}

export interface List {
  readonly element: HTMLElement;
  draw(): void;
  /** The number of items that the person has seen. */
  seen(): number;
}

interface ListOptions {
  readonly list: HTMLElement;
  readonly items: readonly HTMLElement[];
  readonly label: string;
  readonly onDraw?: (() => void) | undefined;
}

/** A list: as many items as fit, with pages for the others; on the full screen all, which scroll. */
export function createList(host: Host, { list, items, label, onDraw = () => {} }: ListOptions): List {
  const scroller = element('div', { class: 'scroller', onscroll: () => isFull() && noteSeen() }, list);
  const foot = element('div');
  const count = items.length;
  let start = 0;
  let seen = 0;

  const isFull = () => heightLimit(host.context()) === undefined;

  /** On the full screen, an item below the end of the scrolled area is not seen yet. */
  function noteSeen(): void {
    const { bottom } = scroller.getBoundingClientRect();
    const below = items.findIndex((item) => item.getBoundingClientRect().bottom > bottom + 1);
    seen = Math.max(seen, below < 0 ? count : below);
    onDraw();
  }

  function drawPage(most: number): void {
    const some = items.slice(start, start + most);
    list.replaceChildren(...some);
    const place = { start, shown: some.length, count };
    foot.replaceChildren(...(some.length < count ? [pager(place, go)] : []));
  }

  function go(to: number): void {
    start = to;
    keepFocus(draw);
  }

  function draw(): void {
    allowScrolling(scroller, host, label);
    if (isFull()) {
      start = 0;
      drawPage(count);
      noteSeen();
    } else {
      seen = Math.max(seen, start + fitRows(host, count - start, drawPage));
      onDraw();
    }
  }

  return { element: element('div', { class: 'table' }, scroller, foot), draw, seen: () => seen };
}

/** Lines of text as a list. */
export function createLines(host: Host, lines: readonly string[], label: string, onDraw?: () => void): List {
  const items = lines.map((line) => element('li', {}, line));
  return createList(host, { list: element('ol', { class: 'facts' }), items, label, onDraw });
}
