import type { Host } from './bridge.ts';
import { button, element } from './dom.ts';
import { allowScrolling, fitRows, heightLimit, keepFocus, pager } from './fit.ts';

/** The height of a row in pixels, as in style.css. */
const rowHeight = 35;
/** Rows that are drawn above and below those in sight. */
const margin = 10;

/** The rows of a table that scrolls: of thousands, only those in sight are in the document. */
function createRowsInSight(scroller: HTMLElement, body: HTMLElement, make: (index: number) => HTMLElement | undefined) {
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
    /** Starts again, with a number of rows. */
    reset: (rows: number) => {
      count = rows;
      drawn.clear();
      body.replaceChildren(above, below);
    },
    /** Draws the rows in sight, and removes the others. */
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

export interface Table<Row> {
  readonly element: HTMLElement;
  /** Shows other rows, from the first one unless `isMore`. */
  show(rows: readonly Row[], isMore?: boolean): void;
  rows(): readonly Row[];
  draw(): void;
}

interface TableOptions<Row> {
  readonly host: Host;
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly empty: string;
  readonly onOpen?: ((row: Row) => void) | undefined;
}

/** A table to sort. Within a conversation, where a view must not scroll, it turns pages; on the full screen it scrolls. */
export function createTable<Row>({ host, caption, columns, empty, onOpen }: TableOptions<Row>): Table<Row> {
  let given: readonly Row[] = [];
  let rows: readonly Row[] = [];
  let order: Order | undefined;
  let start = 0;
  const head = element('thead');
  const body = element('tbody');
  const table = element('table', {}, element('caption', {}, caption), head, body);
  const foot = element('div');
  const scroller = element('div', { class: 'scroller', onscroll: () => isFull() && inSight.draw() }, table);
  const outer = element('div', { class: 'table' }, scroller, foot);
  const isFull = () => heightLimit(host.context()) === undefined;
  const made = (row: Row, index: number) => tableRow(columns, { row, index, onOpen });
  const inSight = createRowsInSight(
    scroller,
    body,
    (index) => rows.slice(index, index + 1).map((row) => made(row, index))[0],
  );

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

  function go(to: number): void {
    start = to;
    keepFocus(draw);
  }

  function drawPage(shown: number): void {
    body.replaceChildren(...rows.slice(start, start + shown).map((row, at) => made(row, start + at)));
    const place = { start, shown: Math.min(shown, rows.length - start), count: rows.length };
    foot.replaceChildren(...(shown < rows.length ? [pager(place, go)] : []));
  }

  function drawAll(): void {
    foot.replaceChildren();
    inSight.reset(rows.length);
    inSight.draw();
  }

  function drawEmpty(): void {
    body.replaceChildren(element('tr', {}, element('td', { colspan: columns.length, class: 'empty' }, empty)));
    foot.replaceChildren();
  }

  function draw(): void {
    const headings = columns.map((column) => headingOf(column, order, () => sortBy(column.key)));
    head.replaceChildren(element('tr', {}, ...headings));
    table.setAttribute('aria-rowcount', String(rows.length + 1));
    allowScrolling(scroller, host, caption);
    if (rows.length === 0) drawEmpty();
    else if (isFull()) drawAll();
    else fitRows(host, rows.length - start, drawPage);
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

interface Column<Row> {
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

interface Order {
  readonly key: string;
  readonly isDescending: boolean;
}

function classOf({ isWide, isNumber }: Pick<Column<never>, 'isWide' | 'isNumber'>): string | undefined {
  return [isWide ? 'wide' : '', isNumber ? 'number' : ''].filter(Boolean).join(' ') || undefined;
}

function cellOf<Row>(column: Column<Row>, row: Row): HTMLTableCellElement {
  const [first, second] = column.cell(row);
  const lines = [
    element('div', { class: 'line' }, first),
    second === undefined || second === '' ? undefined : element('div', { class: 'line second' }, second),
  ];
  const made = element('td', { class: classOf(column) }, ...lines);
  made.title = [...made.children].map(({ textContent }) => textContent).join('\n');
  return made;
}

/** A press on a button in the row, or the end of a selection of text, is no press on the row. */
function isOnRow({ target }: Event): boolean {
  const isButton = target instanceof Element && target.closest('button') !== null;
  return !isButton && getSelection()?.isCollapsed !== false;
}

interface ShownRow<Row> {
  readonly row: Row;
  /** Its place among all rows, from 0. */
  readonly index: number;
  /** A press on the row opens it, besides the button in it, which the keyboard reaches. */
  readonly onOpen?: ((row: Row) => void) | undefined;
}

function tableRow<Row>(columns: readonly Column<Row>[], { row, index, onOpen }: ShownRow<Row>) {
  const cells = columns.map((column) => cellOf(column, row));
  const values = onOpen && {
    class: 'open',
    onclick: (event: Event) => {
      if (isOnRow(event)) onOpen(row);
    },
  };
  return element('tr', { 'aria-rowindex': index + 2, ...values }, ...cells);
}

/** A heading, as a button that sorts if the column can be sorted. */
function headingOf<Row>(column: Column<Row>, order: Order | undefined, sort: () => void) {
  const { key, title, compare } = column;
  const isSorted = order?.key === key;
  const direction = order?.isDescending ? 'descending' : 'ascending';
  const sorter = () => button(title, sort, { id: `sort-${key}`, class: isSorted ? direction : undefined });
  const values = { scope: 'col', class: classOf(column), 'aria-sort': isSorted ? direction : undefined };
  return element('th', values, compare === undefined ? title : sorter());
}
