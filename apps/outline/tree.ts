import type { Course } from '../../src/insights/outline/course.ts';
import { button, choice, element } from '../shared/dom.ts';
import { allowScrolling, fitRows, keepFocus, pager } from '../shared/fit.ts';
import type { Page } from '../shared/page.ts';
import { heightLimit } from '../shared/theme.ts';
import { type Landing, startDrag } from './drag.ts';
import { changes, type Handle, nameOf, type Row, rowElement, rowsOf } from './rows.ts';
import { currentTarget, type Edit, type Mark, marksOf, moved, placeOf, stepped, type Target } from './target.ts';

export interface TreeState {
  readonly course: Course;
  readonly target: Target;
  readonly edits: readonly Edit[];
}

export interface Tree {
  readonly element: HTMLElement;
  /** Shows a state. `isNew`: from the first change on. */
  show(state: TreeState, isNew?: boolean): void;
  draw(): void;
}

/** Below this width, in pixels, before and after are shown one at a time. */
const bothFrom = 600;

const noMarks: ReadonlyMap<number, Mark> = new Map();

const isChanged = (row: Row, marks: ReadonlyMap<number, Mark>): boolean =>
  row.kind === 'lesson' && changes(marks.get(row.id));

/**
 * The course as a tree, before and after. Lessons move by dragging, by the arrow keys on their handle, or, after a press
 * on the handle, by buttons: each way works without the others.
 */
export function createTree(page: Page, onMove: (target: Target) => void): Tree {
  let state: TreeState | undefined;
  let marks = noMarks;
  let start = 0;
  let showsBefore = false;
  /** The lesson that the buttons move. */
  let chosen: number | undefined;
  const before = element('ol', { class: 'tree', 'aria-label': 'Before' });
  const after = element('ol', { class: 'tree', 'aria-label': 'After' });
  const mover = element('div', { class: 'mover', role: 'group' });
  const foot = element('div');
  const columns = element('div', { class: 'columns' });
  const scroller = element('div', { class: 'scroller' }, columns);
  const outer = element('div', { class: 'table outline' }, scroller, mover, foot);

  function change(target: Target, id: number): void {
    if (state === undefined || JSON.stringify(target) === JSON.stringify(state.target)) return;
    show({ ...state, target });
    reveal(id);
    const place = placeOf(target, id);
    const list = state.course.lists[place?.list ?? 0];
    page.say(place === undefined || list === undefined ? '' : `Now ${place.index + 1} in ${nameOf(list)}`);
    onMove(target);
  }

  /** Turns to the page of a lesson, and keeps the focus on its handle. */
  function reveal(id: number): void {
    if (state === undefined) return;
    const at = rowsOf(state.course, state.target).findIndex((row) => row.kind === 'lesson' && row.id === id);
    const shown = after.children.length;
    if (at < start) start = at;
    else if (at >= start + shown) start = at - shown + 1;
    draw();
    document.getElementById(`move-${id}`)?.scrollIntoView({ block: 'nearest' });
  }

  function land(id: number, { module_id, after: neighbour }: Landing): void {
    if (state === undefined) return;
    const others = state.target.find((list) => list.module_id === module_id)?.lesson_ids.filter((one) => one !== id);
    const index = neighbour === undefined ? 0 : (others?.indexOf(neighbour) ?? -1) + 1;
    change(moved(state.target, id, module_id, index), id);
  }

  const handle: Handle = {
    onclick: (id) => {
      chosen = chosen === id ? undefined : id;
      draw();
      document.getElementById(chosen === undefined ? `move-${id}` : 'up')?.focus();
    },
    onkeydown: (event, id) => {
      const step = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : undefined;
      if (step === undefined || state === undefined) return;
      event.preventDefault();
      change(stepped(state.target, id, step), id);
      document.getElementById(`move-${id}`)?.focus();
    },
    onpointerdown: (event, id) =>
      startDrag(event, { list: after, scroller, id, onDrop: (landing) => land(id, landing) }),
  };

  function drawMover(): void {
    const place = chosen === undefined || state === undefined ? undefined : placeOf(state.target, chosen);
    const parts = chosen === undefined || place === undefined ? [] : moverFor(chosen, place.list);
    mover.replaceChildren(...parts);
  }

  /** The buttons that move a lesson, for those who cannot drag. */
  function moverFor(id: number, list: number): Node[] {
    const lists = state?.course.lists ?? [];
    const step = (by: 1 | -1) => () => state && change(stepped(state.target, id, by), id);
    const into = (value: string) => {
      const module_id = value === 'null' ? null : Number(value);
      if (state !== undefined) change(moved(state.target, id, module_id, Number.MAX_SAFE_INTEGER), id);
    };
    mover.setAttribute('aria-label', `Move ${marks.get(id)?.lesson.title}`);
    const modules = lists.map((one) => [String(one.module_id), nameOf(one)] as const);
    return [
      button('↑ Up', step(-1), { id: 'up' }),
      button('↓ Down', step(1), { id: 'down' }),
      choice('To', modules, String(lists[list]?.module_id ?? null), into),
      button('Done', () => handle.onclick(id), { id: 'done' }),
    ];
  }

  function drawRows(shown: number): void {
    if (state === undefined) return;
    const { course, target } = state;
    const [old, next] = [rowsOf(course, currentTarget(course)), rowsOf(course, target)];
    const plain = marksOf(course, currentTarget(course), []);
    const canMove = page.host.canCallTools;
    before.replaceChildren(...old.slice(start, start + shown).map((row) => rowElement(row, plain, undefined)));
    after.replaceChildren(
      ...next.slice(start, start + shown).map((row) => rowElement(row, marks, canMove ? handle : undefined)),
    );
    drawFoot(shown, Math.max(old.length, next.length));
  }

  function drawFoot(shown: number, count: number): void {
    const go = (to: number) => {
      start = to;
      keepFocus(draw);
    };
    const place = { start, shown: Math.min(shown, count - start), count };
    const swap = button(
      showsBefore ? 'Show after' : 'Show before',
      () => {
        showsBefore = !showsBefore;
        keepFocus(draw);
      },
      { id: 'swap' },
    );
    const parts = [shown < count ? pager(place, go) : undefined, isBoth() || !hasChanges() ? undefined : swap];
    foot.replaceChildren(...parts.filter((part) => part !== undefined));
  }

  const hasChanges = () => [...marks.values()].some(changes);
  const isBoth = () => window.innerWidth >= bothFrom && hasChanges();

  function drawColumns(): void {
    const column = (title: string, list: HTMLElement) => element('div', {}, element('h2', {}, title), list);
    if (isBoth()) columns.replaceChildren(column('Before', before), column('After', after));
    else if (!hasChanges()) columns.replaceChildren(after);
    else columns.replaceChildren(showsBefore ? column('Before', before) : column('After', after));
  }

  function draw(): void {
    if (state === undefined) return;
    const { course, target } = state;
    const count = Math.max(rowsOf(course, currentTarget(course)).length, rowsOf(course, target).length);
    allowScrolling(scroller, page.host, 'Lessons');
    drawColumns();
    drawMover();
    if (heightLimit(page.host.context()) === undefined) {
      start = 0;
      drawRows(count);
    } else {
      fitRows(page.host, count - start, drawRows);
    }
  }

  function show(next: TreeState, isNew = false): void {
    state = next;
    marks = marksOf(next.course, next.target, next.edits);
    if (isNew) {
      chosen = undefined;
      const first = rowsOf(next.course, next.target).findIndex((row) => isChanged(row, marks));
      start = Math.max(0, first - 2);
    }
    keepFocus(draw);
  }

  return { element: outer, show, draw: () => keepFocus(draw) };
}
