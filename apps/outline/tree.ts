import type { Course } from '../../src/insights/outline/course.ts';
import { element } from '../shared/dom.ts';
import { allowScrolling, fitRows, keepFocus, pager } from '../shared/fit.ts';
import type { Page } from '../shared/page.ts';
import { heightLimit } from '../shared/theme.ts';
import { type Landing, startDrag } from './drag.ts';
import { type Mark, marksOf } from './marks.ts';
import { createMover, type Moving } from './mover.ts';
import { changes, type Handle, nameOf, type Row, rowElement, rowsOf } from './rows.ts';
import { createSides } from './sides.ts';
import { currentTarget, type Edit, moved, placeOf, stepped, type Target } from './target.ts';

export interface TreeState {
  readonly course: Course;
  readonly target: Target;
  readonly edits: readonly Edit[];
}

export interface Tree {
  readonly element: HTMLElement;
  /** Shows a state. `isNew`: from the first change on. */
  show(state: TreeState, isNew?: boolean): void;
}

const emptyTree: TreeState = { course: { lists: [] }, target: [], edits: [] };

const idOf = (row: Row | undefined) => (row?.kind === 'lesson' ? row.id : undefined);
const indexOf = (rows: readonly Row[], id: number) => rows.findIndex((row) => idOf(row) === id);

function focusOn(id: string): void {
  document.getElementById(id)?.focus();
}

/**
 * The course as a tree, before and after. Lessons move by dragging, by the arrow keys on their handle, or, after a press
 * on the handle, by buttons: each way works without the others.
 */
export function createTree(page: Page, onMove: (target: Target) => void): Tree {
  let state = emptyTree;
  let marks: ReadonlyMap<number, Mark> = new Map();
  let start = 0;
  /** The lesson that stays in sight when other parts of the page take room from the rows, until the person turns pages. */
  let inSight: number | undefined;
  /** The lesson that the buttons move. */
  let chosen: number | undefined;
  const sides = createSides(() => keepFocus(draw));
  const mover = createMover({ onMove: change, onDone: choose });
  const foot = element('div');
  const scroller = element('div', { class: 'scroller' }, sides.element);
  const outer = element('div', { class: 'table outline' }, scroller, mover.element, foot);
  const rows = () => rowsOf(state.course, state.target);
  const oldRows = () => rowsOf(state.course, currentTarget(state.course));
  const hasChanges = () => [...marks.values()].some(changes);

  function change(target: Target, id: number): void {
    if (JSON.stringify(target) === JSON.stringify(state.target)) return;
    show({ ...state, target });
    reveal(id);
    const place = placeOf(target, id);
    const list = state.course.lists[place?.list ?? 0];
    page.say(place === undefined || list === undefined ? '' : `Now ${place.index + 1} in ${nameOf(list)}`);
    onMove(target);
  }

  /** Turns to the page of a lesson. */
  function reveal(id: number): void {
    start = Math.min(start, indexOf(rows(), id));
    inSight = id;
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
      startDrag(event, { list: sides.after, scroller, id, onDrop: (landing) => land(id, landing) }),
  };

  function moving(): Moving | undefined {
    const { course, target } = state;
    if (chosen === undefined || placeOf(target, chosen) === undefined) return undefined;
    return { id: chosen, title: marks.get(chosen)?.lesson.title ?? '', course, target };
  }

  function drawRows(shown: number): void {
    const [old, next] = [oldRows(), rows()];
    const plain = marksOf(state.course, currentTarget(state.course), []);
    const mine = page.host.canCallTools ? handle : undefined;
    const part = (some: readonly Row[]) => some.slice(start, start + shown);
    sides.before.replaceChildren(...part(old).map((row) => rowElement(row, plain, undefined)));
    sides.after.replaceChildren(...part(next).map((row) => rowElement(row, marks, mine)));
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
    const count = Math.max(oldRows().length, rows().length);
    const isFull = heightLimit(page.host.context()) === undefined;
    allowScrolling(scroller, page.host, 'Lessons');
    sides.arrange(hasChanges());
    mover.show(moving());
    if (isFull) start = 0;
    if (isFull) drawRows(count);
    else fitPage(count);
  }

  function fitPage(count: number): void {
    const shown = fitRows(page.host, count - start, drawRows);
    const at = inSight === undefined ? start : indexOf(rows(), inSight);
    if (at < start + shown) return;
    start = at - shown + 1;
    fitRows(page.host, count - start, drawRows);
  }

  function show(next: TreeState, isNew = false): void {
    state = next;
    marks = marksOf(next.course, next.target, next.edits);
    if (isNew) {
      chosen = undefined;
      const first = rows().findIndex((row) => row.kind === 'lesson' && changes(marks.get(row.id)));
      start = Math.max(0, first - 2);
      inSight = idOf(rows()[first]);
    }
    keepFocus(draw);
  }

  return { element: outer, show };
}
