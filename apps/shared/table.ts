import type { Host } from './bridge.ts';
import { type Column, headingOf, type Order, rowOf } from './cells.ts';
import { element } from './dom.ts';
import { allowScrolling, fitRows, keepFocus, pager } from './fit.ts';
import { createRowsInSight } from './rows-in-sight.ts';
import { heightLimit } from './theme.ts';

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
  /** A press on a row. */
  readonly onOpen?: ((row: Row) => void) | undefined;
}

/**
 * A table that the person can sort. Within a conversation it shows as many rows as fit, and turns pages, since a view
 * there must not scroll. On the full screen it scrolls.
 */
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
  const made = (row: Row, index: number) => rowOf(columns, { row, index, onOpen });
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
