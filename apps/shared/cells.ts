import { button, element } from './dom.ts';

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

/** The column by which the rows are sorted. */
export interface Order {
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

export interface ShownRow<Row> {
  readonly row: Row;
  /** Its place among all rows, from 0. */
  readonly index: number;
  /** A press on the row opens it, besides the button in it, which the keyboard reaches. */
  readonly onOpen?: ((row: Row) => void) | undefined;
}

export function rowOf<Row>(columns: readonly Column<Row>[], { row, index, onOpen }: ShownRow<Row>) {
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
export function headingOf<Row>(column: Column<Row>, order: Order | undefined, sort: () => void) {
  const { key, title, compare } = column;
  const isSorted = order?.key === key;
  const direction = order?.isDescending ? 'descending' : 'ascending';
  const sorter = () => button(title, sort, { id: `sort-${key}`, class: isSorted ? direction : undefined });
  const values = { scope: 'col', class: classOf(column), 'aria-sort': isSorted ? direction : undefined };
  return element('th', values, compare === undefined ? title : sorter());
}
