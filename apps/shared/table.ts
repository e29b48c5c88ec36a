import type { Host } from './bridge.ts';
import { button, element } from './dom.ts';
import { allowScrolling, fitRows, keepFocus, pager } from './fit.ts';
import { heightLimit } from './theme.ts';

export interface Column<Row> {
  readonly key: string;
  readonly title: string;
  /** Two lines at most. */
  readonly cell: (row: Row) => readonly [first: Node | string, second?: Node | string];
  /** Orders the rows; without it, the column cannot be sorted. */
  readonly compare?: (one: Row, other: Row) => number;
  /** Only shown if the page is wide. */
  readonly isWide?: boolean;
  readonly isNumber?: boolean;
}

export interface Table<Row> {
  readonly element: HTMLElement;
  /** Shows other rows, from the first one unless `isMore`. */
  show(rows: readonly Row[], isMore?: boolean): void;
  /** The rows as they are shown. */
  rows(): readonly Row[];
  /** Draws again, after a change of size or mode. */
  draw(): void;
}

export interface TableOptions<Row> {
  readonly host: Host;
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  /** Shown instead of no rows. */
  readonly empty: string;
}

/** The height of a row in pixels, as in style.css. */
const rowHeight = 53;
/** Rows that are drawn above and below those in sight. */
const margin = 10;

interface Order {
  readonly key: string;
  readonly isDescending: boolean;
}

function cellOf<Row>({ cell, isWide, isNumber }: Column<Row>, row: Row): HTMLTableCellElement {
  const [first, second] = cell(row);
  const lines = [
    element('div', { class: 'line' }, first),
    second === undefined || second === '' ? undefined : element('div', { class: 'line second' }, second),
  ];
  const names = [isWide ? 'wide' : '', isNumber ? 'number' : ''].filter(Boolean).join(' ');
  const made = element('td', { class: names || undefined }, ...lines);
  made.title = [...made.children].map(({ textContent }) => textContent).join('\n');
  return made;
}

function rowOf<Row>(columns: readonly Column<Row>[], row: Row, index: number): HTMLTableRowElement {
  return element('tr', { 'aria-rowindex': index + 2 }, ...columns.map((column) => cellOf(column, row)));
}

function headingOf<Row>(
  { key, title, compare, isWide, isNumber }: Column<Row>,
  order: Order | undefined,
  sort: () => void,
) {
  const isSorted = order?.key === key;
  const direction = order?.isDescending ? 'descending' : 'ascending';
  const names = [isWide ? 'wide' : '', isNumber ? 'number' : ''].filter(Boolean).join(' ');
  const label =
    compare === undefined ? title : button(title, sort, { id: `sort-${key}`, class: isSorted ? direction : undefined });
  return element(
    'th',
    { scope: 'col', class: names || undefined, 'aria-sort': isSorted ? direction : undefined },
    label,
  );
}

/**
 * A table that the person can sort. Within a conversation it shows as many rows as fit, and turns pages, since a view
 * there must not scroll. On the full screen it scrolls, and only the rows in sight are in the document.
 */
export function createTable<Row>({ host, caption, columns, empty }: TableOptions<Row>): Table<Row> {
  let given: readonly Row[] = [];
  let rows: readonly Row[] = [];
  let order: Order | undefined;
  let start = 0;
  const head = element('thead');
  const body = element('tbody');
  const table = element('table', {}, element('caption', {}, caption), head, body);
  const foot = element('div');
  const scroller = element('div', { class: 'scroller', onscroll: () => drawInSight() }, table);
  const outer = element('div', { class: 'table' }, scroller, foot);

  function sortBy(key: string): void {
    const isSame = order?.key === key;
    order = { key, isDescending: isSame && !order?.isDescending };
    start = 0;
    arrange();
    keepFocus(draw);
  }

  function arrange(): void {
    const compare = columns.find(({ key }) => key === order?.key)?.compare;
    const sign = order?.isDescending ? -1 : 1;
    rows = compare === undefined ? given : given.toSorted((one, other) => sign * compare(one, other));
  }

  function drawPage(shown: number): void {
    body.replaceChildren(...rows.slice(start, start + shown).map((row, at) => rowOf(columns, row, start + at)));
    const go = (to: number) => {
      start = to;
      keepFocus(draw);
    };
    foot.replaceChildren(
      ...(shown < rows.length
        ? [pager({ start, shown: Math.min(shown, rows.length - start), count: rows.length }, go)]
        : []),
    );
  }

  const spacers = {
    above: element('tr', { 'aria-hidden': 'true', class: 'spacer' }),
    below: element('tr', { 'aria-hidden': 'true', class: 'spacer' }),
  };
  const drawn = new Map<number, HTMLTableRowElement>();

  function drawInSight(): void {
    if (heightLimit(host.context()) !== undefined) return;
    const first = Math.max(0, Math.floor(scroller.scrollTop / rowHeight) - margin);
    const end = Math.min(rows.length, first + Math.ceil(scroller.clientHeight / rowHeight) + 2 * margin);
    for (const [index, row] of drawn) {
      if (index >= first && index < end) continue;
      // A removed element would lose the focus to the top of the page.
      if (row.contains(document.activeElement)) scroller.focus({ preventScroll: true });
      row.remove();
      drawn.delete(index);
    }
    let after: Element = spacers.above;
    for (let index = first; index < end; index += 1) {
      const row = rows[index];
      if (row === undefined) continue;
      const made = drawn.get(index) ?? rowOf(columns, row, index);
      if (!drawn.has(index)) after.after(made);
      drawn.set(index, made);
      after = made;
    }
    spacers.above.style.height = `${first * rowHeight}px`;
    spacers.below.style.height = `${(rows.length - end) * rowHeight}px`;
  }

  function draw(): void {
    head.replaceChildren(
      element('tr', {}, ...columns.map((column) => headingOf(column, order, () => sortBy(column.key)))),
    );
    table.setAttribute('aria-rowcount', String(rows.length + 1));
    const isFull = heightLimit(host.context()) === undefined;
    allowScrolling(scroller, host, caption);
    drawn.clear();
    if (rows.length === 0) {
      body.replaceChildren(element('tr', {}, element('td', { colspan: columns.length, class: 'empty' }, empty)));
      foot.replaceChildren();
    } else if (isFull) {
      foot.replaceChildren();
      body.replaceChildren(spacers.above, spacers.below);
      drawInSight();
    } else {
      fitRows(host, rows.length - start, drawPage);
    }
  }

  return {
    element: outer,
    show: (next, isMore = false) => {
      given = next;
      if (!isMore) {
        start = 0;
        scroller.scrollTop = 0;
      }
      arrange();
      draw();
    },
    rows: () => rows,
    draw: () => keepFocus(draw),
  };
}
