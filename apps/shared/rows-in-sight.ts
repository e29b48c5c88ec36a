import { element } from './dom.ts';

/** The height of a row in pixels, as in style.css. */
const rowHeight = 53;
/** Rows that are drawn above and below those in sight. */
const margin = 10;

export interface RowsInSight {
  /** Starts again, with a number of rows. */
  reset(count: number): void;
  /** Draws the rows in sight, and removes the others. */
  draw(): void;
}

/** The rows of a table that scrolls: of thousands, only those in sight are in the document. */
export function createRowsInSight(
  scroller: HTMLElement,
  body: HTMLElement,
  make: (index: number) => HTMLElement | undefined,
): RowsInSight {
  const above = element('tr', { 'aria-hidden': 'true', class: 'spacer' });
  const below = element('tr', { 'aria-hidden': 'true', class: 'spacer' });
  const drawn = new Map<number, HTMLElement>();
  let count = 0;

  function remove(index: number, row: HTMLElement): void {
    // A removed element would lose the focus to the top of the page.
    if (row.contains(document.activeElement)) scroller.focus({ preventScroll: true });
    row.remove();
    drawn.delete(index);
  }

  function insert(first: number, end: number): void {
    let after: Element = above;
    for (let index = first; index < end; index += 1) {
      const row = drawn.get(index) ?? make(index);
      if (row === undefined) return;
      if (!drawn.has(index)) after.after(row);
      drawn.set(index, row);
      after = row;
    }
  }

  return {
    reset: (rows) => {
      count = rows;
      drawn.clear();
      body.replaceChildren(above, below);
    },
    draw: () => {
      const first = Math.max(0, Math.floor(scroller.scrollTop / rowHeight) - margin);
      const end = Math.min(count, first + Math.ceil(scroller.clientHeight / rowHeight) + 2 * margin);
      for (const [index, row] of drawn) if (index < first || index >= end) remove(index, row);
      insert(first, end);
      above.style.height = `${first * rowHeight}px`;
      below.style.height = `${(count - end) * rowHeight}px`;
    },
  };
}
