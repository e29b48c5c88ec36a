import type { Course } from '../../src/insights/outline/course.ts';
import type { Host } from '../shared/bridge.ts';
import { button, choice, element } from '../shared/dom.ts';
import { allowScrolling, fitRows, heightLimit, keepFocus, pager } from '../shared/fit.ts';
import type { Page } from '../shared/page.ts';
import { type Landing, startDrag } from './drag.ts';
import { changes, type Handle, moduleTitle, type Row, rowElement, rowsOf } from './rows.ts';
import { currentTarget, type Edit, type Mark, marksOf, moved, placeOf, stepped, type Target } from './target.ts';

/** Below this width, in pixels, before and after are shown one at a time. */
const bothFrom = 600;

/** The course before and after: side by side if there is room, and only once if nothing changes. */
function createSides(redraw: () => void) {
  const before = element('ol', { class: 'tree', 'aria-label': 'Before' });
  const after = element('ol', { class: 'tree', 'aria-label': 'After' });
  const outer = element('div', { class: 'columns' });
  let showsBefore = false;
  const isWide = () => window.innerWidth >= bothFrom;

  function side(isBefore: boolean): HTMLElement {
    const title = element('h2', {}, isBefore ? 'Before' : 'After');
    return element('div', {}, title, isBefore ? before : after);
  }

  function swap(): void {
    showsBefore = !showsBefore;
    redraw();
  }

  return {
    element: outer,
    before,
    after,
    arrange: (hasChanges: boolean) => {
      if (!hasChanges) outer.replaceChildren(after);
      else outer.replaceChildren(...(isWide() ? [side(true), side(false)] : [side(showsBefore)]));
    },
    /** The button that shows the other side, if there is room for one only. */
    swapper: (hasChanges: boolean): Node | undefined =>
      isWide() || !hasChanges ? undefined : button(showsBefore ? 'Show after' : 'Show before', swap, { id: 'swap' }),
  };
}

interface PagesOptions {
  readonly host: Host;
  readonly sides: ReturnType<typeof createSides>;
  readonly rows: () => readonly [before: readonly Row[], after: readonly Row[]];
  readonly hasChanges: () => boolean;
  readonly rowElements: (before: readonly Row[], after: readonly Row[]) => [HTMLElement[], HTMLElement[]];
}

const idOf = (row: Row | undefined) => (row?.kind === 'lesson' ? row.id : undefined);
const indexOf = (rows: readonly Row[], id: number) => rows.findIndex((row) => idOf(row) === id);

/** The lines of both sides: as many as fit, with pages for the others; on the full screen all, which scroll. */
function createPages({ host, sides, rows, hasChanges, rowElements }: PagesOptions) {
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
    keepInSight: (id: number) => {
      inSight = id;
      start = Math.min(start, indexOf(rows()[1], id));
    },
  };
}

interface TreeState {
  readonly course: Course;
  readonly target: Target;
  readonly edits: readonly Edit[];
}

const emptyTree: TreeState = { course: { lists: [] }, target: [], edits: [] };

function focusOn(id: string): void {
  document.getElementById(id)?.focus();
}

/** The course before and after. Lessons move by dragging, by arrow keys, or by buttons: each way works without the others. */
export function createTree(page: Page, onMove: (target: Target) => void) {
  let state = emptyTree;
  let marks: ReadonlyMap<number, Mark> = new Map();
  let chosen: number | undefined;
  let plain: ReadonlyMap<number, Mark> = new Map();
  const sides = createSides(() => keepFocus(draw));
  const mover = createMover({ onMove: change, onDone: choose });
  const pages = createPages({ host: page.host, sides, rows: bothRows, hasChanges, rowElements });
  const outer = element('div', { class: 'table outline' }, pages.scroller, mover.element, pages.foot);
  const rows = () => rowsOf(state.course, state.target);

  function bothRows(): [Row[], Row[]] {
    return [rowsOf(state.course, currentTarget(state.course)), rows()];
  }

  function hasChanges(): boolean {
    return [...marks.values()].some(changes);
  }

  function rowElements(before: readonly Row[], after: readonly Row[]): [HTMLElement[], HTMLElement[]] {
    const mine = page.host.canCallTools ? handle : undefined;
    return [before.map((row) => rowElement(row, plain, undefined)), after.map((row) => rowElement(row, marks, mine))];
  }

  function change(target: Target, id: number): void {
    if (JSON.stringify(target) === JSON.stringify(state.target)) return;
    show({ ...state, target });
    reveal(id);
    const place = placeOf(target, id);
    const list = state.course.lists[place?.list ?? 0];
    page.say(place === undefined || list === undefined ? '' : `Now ${place.index + 1} in ${moduleTitle(list)}`);
    onMove(target);
  }

  function reveal(id: number): void {
    pages.keepInSight(id);
    draw();
    document.getElementById(`move-${id}`)?.scrollIntoView({ block: 'nearest' });
  }

  function land(id: number, { module_id, after }: Landing): void {
    const others = state.target.find((list) => list.module_id === module_id)?.lesson_ids.filter((one) => one !== id);
    const index = after === undefined ? 0 : (others?.indexOf(after) ?? -1) + 1;
    change(moved(state.target, id, module_id, index), id);
  }

  /** Shows the buttons for a lesson, or hides them again. */
  function choose(id: number): void {
    chosen = chosen === id ? undefined : id;
    draw();
    focusOn(chosen === undefined ? `move-${id}` : 'up');
  }

  const handle: Handle = {
    onclick: choose,
    onkeydown: (event, id) => {
      const step = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : undefined;
      if (step === undefined) return;
      event.preventDefault();
      change(stepped(state.target, id, step), id);
      focusOn(`move-${id}`);
    },
    onpointerdown: (event, id) =>
      startDrag(event, { list: sides.after, scroller: pages.scroller, id, onDrop: (landing) => land(id, landing) }),
  };

  function moving(): Moving | undefined {
    const { course, target } = state;
    if (chosen === undefined || placeOf(target, chosen) === undefined) return undefined;
    return { id: chosen, title: marks.get(chosen)?.lesson.title ?? '', course, target };
  }

  function draw(): void {
    sides.arrange(hasChanges());
    mover.show(moving());
    pages.draw();
  }

  /** `isNew`: from the first change on. */
  function show(next: TreeState, isNew = false): void {
    state = next;
    marks = marksOf(next.course, next.target, next.edits);
    plain = marksOf(next.course, currentTarget(next.course), []);
    if (isNew) {
      chosen = undefined;
      pages.begin(rows().find((row) => row.kind === 'lesson' && changes(marks.get(row.id))));
    }
    keepFocus(draw);
  }

  return { element: outer, show };
}

interface Moving {
  readonly id: number;
  readonly title: string;
  readonly course: Course;
  readonly target: Target;
}

interface MoverOptions {
  readonly onMove: (target: Target, id: number) => void;
  readonly onDone: (id: number) => void;
}

/** The buttons that move a lesson, for those who cannot drag. */
function createMover({ onMove, onDone }: MoverOptions) {
  const outer = element('div', { class: 'mover', role: 'group' });

  function buttonsFor({ id, course: { lists }, target }: Moving): Node[] {
    const list = lists[placeOf(target, id)?.list ?? 0];
    const step = (by: 1 | -1) => () => onMove(stepped(target, id, by), id);
    const toEnd = (value: string) => {
      onMove(moved(target, id, value === 'null' ? null : Number(value), Number.MAX_SAFE_INTEGER), id);
    };
    const modules = lists.map((one) => [String(one.module_id), moduleTitle(one)] as const);
    return [
      button('↑ Up', step(-1), { id: 'up' }),
      button('↓ Down', step(1), { id: 'down' }),
      choice('To', modules, String(list?.module_id ?? null), toEnd),
      button('Done', () => onDone(id), { id: 'done' }),
    ];
  }

  return {
    element: outer,
    show: (moving: Moving | undefined) => {
      outer.setAttribute('aria-label', `Move ${moving?.title ?? ''}`);
      outer.replaceChildren(...(moving === undefined ? [] : buttonsFor(moving)));
    },
  };
}
