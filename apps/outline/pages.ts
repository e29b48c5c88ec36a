import type { Host } from '../shared/bridge.ts';
import { element } from '../shared/dom.ts';
import { allowScrolling, fitRows, keepFocus, pager } from '../shared/fit.ts';
import { heightLimit } from '../shared/theme.ts';
import type { Row } from './rows.ts';
import type { createSides } from './sides.ts';

interface PagesOptions {
  readonly host: Host;
  readonly sides: ReturnType<typeof createSides>;
  /** All lines before and after. */
  readonly rows: () => readonly [before: readonly Row[], after: readonly Row[]];
  readonly hasChanges: () => boolean;
  readonly rowElements: (before: readonly Row[], after: readonly Row[]) => [HTMLElement[], HTMLElement[]];
}

const idOf = (row: Row | undefined) => (row?.kind === 'lesson' ? row.id : undefined);
const indexOf = (rows: readonly Row[], id: number) => rows.findIndex((row) => idOf(row) === id);

/** The lines of both sides: as many as fit, with pages for the others; on the full screen all, which scroll. */
export function createPages({ host, sides, rows, hasChanges, rowElements }: PagesOptions) {
  const foot = element('div');
  const scroller = element('div', { class: 'scroller' }, sides.element);
  let start = 0;
  /** The lesson that stays in sight when other parts of the page take room from the rows, until the person turns pages. */
  let inSight: number | undefined;

  function drawRows(shown: number): void {
    const [old, next] = rows();
    const [before, after] = rowElements(old.slice(start, start + shown), next.slice(start, start + shown));
    sides.before.replaceChildren(...before);
    sides.after.replaceChildren(...after);
    drawFoot(shown, Math.max(old.length, next.length));
  }

  function go(to: number): void {
    start = to;
    inSight = undefined;
    keepFocus(draw);
  }

  function drawFoot(shown: number, count: number): void {
    const place = { start, shown: Math.min(shown, count - start), count };
    const parts = [shown < count ? pager(place, go) : undefined, sides.swapper(hasChanges())];
    foot.replaceChildren(...parts.filter((part) => part !== undefined));
  }

  function draw(): void {
    const [old, next] = rows();
    const count = Math.max(old.length, next.length);
    const isFull = heightLimit(host.context()) === undefined;
    allowScrolling(scroller, host, 'Lessons');
    if (isFull) start = 0;
    if (isFull) drawRows(count);
    else drawPage(count, next);
  }

  function drawPage(count: number, next: readonly Row[]): void {
    const shown = fitRows(host, count - start, drawRows);
    const at = inSight === undefined ? start : indexOf(next, inSight);
    if (at < start + shown) return;
    start = at - shown + 1;
    fitRows(host, count - start, drawRows);
  }

  return {
    scroller,
    foot,
    draw,
    /** Starts again, two lines above the first change. */
    begin: (first: Row | undefined) => {
      inSight = idOf(first);
      start = inSight === undefined ? 0 : Math.max(0, indexOf(rows()[1], inSight) - 2);
    },
    /** Turns to the page of a lesson. */
    keepInSight: (id: number) => {
      inSight = id;
      start = Math.min(start, indexOf(rows()[1], id));
    },
  };
}
