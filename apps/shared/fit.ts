import type { Host } from './bridge.ts';
import { button, element } from './dom.ts';
import { heightLimit } from './theme.ts';
import { grouped } from './values.ts';

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
