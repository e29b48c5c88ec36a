import type { Course } from '../../src/insights/outline/course.ts';
import { element } from '../shared/dom.ts';
import { keepFocus } from '../shared/fit.ts';
import type { Page } from '../shared/page.ts';
import { type Landing, startDrag } from './drag.ts';
import { type Mark, marksOf } from './marks.ts';
import { createMover, type Moving } from './mover.ts';
import { createPages } from './pages.ts';
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
  /** The lesson that the buttons move. */
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
    page.say(place === undefined || list === undefined ? '' : `Now ${place.index + 1} in ${nameOf(list)}`);
    onMove(target);
  }

  /** Turns to the page of a lesson. */
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
