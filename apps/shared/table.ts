import { button, element, keepFocus, scrollArea } from './dom.ts';

/** The height of a row in pixels, as in style.css. */
const rowHeight = 35;

/** Rows that are drawn above and below those in sight. */
const margin = 10;

interface TableOptions<Row> {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  /** The text without a row. */
  readonly empty: string;
}

/** A table to sort. Of thousands of rows, only those near the ones in sight are in the document. */
export function createTable<Row>({ caption, columns, empty }: TableOptions<Row>) {
  let unsorted: readonly Row[] = [];
  let rows: readonly Row[] = [];
  let order: Order | undefined;
  /** The rows that are drawn. */
  let [start, end] = [0, 0];
  const head = element('thead');
  const body = element('tbody');
  const table = element('table', {}, element('caption', {}, caption), head, body);
  const scroller = scrollArea(caption, table);
  scroller.addEventListener('scroll', () => draw());

  function sortBy(by: string): void {
    order = { by, isDescending: order?.by === by && !order.isDescending };
    keepFocus(arrange);
  }

  function arrange(): void {
    const compare = columns.find(({ title }) => title === order?.by)?.compare;
    const sign = order?.isDescending ? -1 : 1;
    rows = compare === undefined ? unsorted : unsorted.toSorted((one, other) => sign * compare(one, other));
    const headings = columns.map((column) => headingOf(column, order, () => sortBy(column.title)));
    head.replaceChildren(element('tr', {}, ...headings));
    table.setAttribute('aria-rowcount', String(rows.length + 1));
    draw(true);
  }

  /** `isNew`: also if the rows in sight are drawn already. */
  function draw(isNew = false): void {
    const first = Math.min(rows.length, Math.floor(scroller.scrollTop / rowHeight));
    // No more than the screen has room for.
    const last = Math.min(rows.length, first + Math.ceil(screen.height / rowHeight));
    if (!isNew && first >= start && last <= end) return;
    [start, end] = [Math.max(0, first - margin), Math.min(rows.length, last + margin)];
    const isInside = body.contains(document.activeElement);
    const none = element('tr', {}, element('td', { colspan: columns.length, class: 'empty' }, empty));
    const near = rows.slice(start, end).map((row, at) => {
      // Counted from 1, after the row of the headings.
      const values = { 'aria-rowindex': start + at + 2 };
      return element('tr', values, ...columns.map((column) => cellOf(column, row)));
    });
    keepFocus(() => body.replaceChildren(...(rows.length === 0 ? [none] : near)));
    // A removed element would lose the focus to the top of the page.
    if (isInside && !body.contains(document.activeElement)) scroller.focus({ preventScroll: true });
    table.style.marginBlock = `${start * rowHeight}px ${(rows.length - end) * rowHeight}px`;
  }

  return {
    element: scroller,
    /** Shows other rows, from the first one unless `isMore`. */
    show: (next: readonly Row[], isMore = false) => {
      unsorted = next;
      if (!isMore) scroller.scrollTop = 0;
      arrange();
    },
    rows: () => rows,
  };
}

export type Table<Row> = ReturnType<typeof createTable<Row>>;

export interface Column<Row> {
  readonly title: string;
  /** Two lines at most. */
  readonly cell: (row: Row) => readonly [first: Node | string, second?: Node | string];
  readonly compare: (one: Row, other: Row) => number;
  /** Only shown if the page is wide. */
  readonly isWide?: boolean;
  readonly isNumber?: boolean;
}

interface Order {
  /** The title of a column. */
  readonly by: string;
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

function headingOf<Row>(column: Column<Row>, order: Order | undefined, sort: () => void) {
  const { title } = column;
  const direction = order?.isDescending ? 'descending' : 'ascending';
  const sorted = order?.by === title ? direction : undefined;
  const sorter = button(title, sort, { id: `sort-${title.replace(' ', '-')}`, class: sorted });
  return element('th', { scope: 'col', class: classOf(column), 'aria-sort': sorted }, sorter);
}
