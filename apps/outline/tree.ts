import type { Course, List } from '../../src/insights/outline/course.ts';
import { currentTarget, type Target } from '../../src/insights/outline/target.ts';
import { button, choice, element, keepFocus, scrollArea } from '../shared/dom.ts';
import type { Page } from '../shared/page.ts';
import { counted } from '../shared/values.ts';
import type { Wish } from './server.ts';
import { isSame, type Mark, marksOf, moved, placeOf, stepped } from './target.ts';

type Row =
  | { readonly kind: 'module'; readonly list: List; readonly count: number }
  | { readonly kind: 'lesson'; readonly list: List; readonly id: number; readonly index: number };

const moduleTitle = ({ module_id, title }: List): string =>
  module_id === null ? 'In no module' : title || `Module ${module_id}`;

function rowsOf(course: Course, target: Target): Row[] {
  return course.lists.flatMap((list): Row[] => {
    const ids = target.find(({ module_id }) => module_id === list.module_id)?.lesson_ids ?? [];
    if (list.module_id === null && ids.length === 0) return [];
    const lessons = ids.map((id, index): Row => ({ kind: 'lesson', list, id, index }));
    return [{ kind: 'module', list, count: ids.length }, ...lessons];
  });
}

const changes = (mark: Mark | undefined): boolean =>
  mark !== undefined &&
  (mark.movedFrom !== undefined || mark.oldTitle !== undefined || mark.publication?.startsWith('now') === true);

const tag = (text: string) => element('span', { class: 'tag' }, text);

function tagsOf({ movedFrom, oldTitle, publication }: Mark, list: List): Node[] {
  const from = movedFrom?.module_id === list.module_id ? 'moved' : `from ${movedFrom && moduleTitle(movedFrom)}`;
  const moved = movedFrom === undefined ? undefined : `↕ ${from}`;
  const renamed = oldTitle === undefined ? undefined : '✎ renamed';
  return [moved, renamed, publication].filter((text) => text !== undefined).map(tag);
}

function moduleRow({ list, count }: Extract<Row, { kind: 'module' }>): HTMLElement {
  return element(
    'li',
    { class: 'module', 'data-module': list.module_id ?? 'none' },
    element('strong', {}, moduleTitle(list)),
    element('span', { class: 'second' }, counted(count, 'lesson')),
    list.is_published === false ? tag('unpublished') : undefined,
  );
}

/** Makes the button by which a lesson moves. */
type HandleOf = (id: number, title: string) => HTMLElement;

function rowElement(row: Row, marks: ReadonlyMap<number, Mark>, handleOf?: HandleOf): HTMLElement {
  if (row.kind === 'module') return moduleRow(row);
  const { id, index, list } = row;
  const mark = marks.get(id);
  const title = mark?.lesson.title || `Lesson ${id}`;
  const old = mark?.oldTitle;
  return element(
    'li',
    { class: changes(mark) ? 'lesson changed' : 'lesson', 'data-lesson': id, draggable: handleOf && 'true' },
    handleOf?.(id, title),
    element('span', { class: 'place' }, `${index + 1}.`),
    element('span', { class: 'name', title: old === undefined ? title : `${title}\n(was ${old})` }, title),
    ...(mark === undefined ? [] : tagsOf(mark, list)),
  );
}

/** Lets the lines of a list be dragged by the pointer, and dropped onto others: calls `onDrop` with their numbers. */
function dragLines(list: HTMLElement, onDrop: (from: number, onto: number) => void): void {
  let dragged: Element | undefined;
  let goal: Element | undefined;
  const lineOf = ({ target }: Event) => (target instanceof Element && target.closest('li')) || undefined;
  const numberOf = (line: Element) => [...list.children].indexOf(line);
  const mark = (next: Element | undefined) => {
    goal?.classList.remove('landing');
    goal = next;
    goal?.classList.add('landing');
  };
  list.addEventListener('dragstart', (event) => {
    dragged = lineOf(event);
    // Firefox drags nothing without data.
    event.dataTransfer?.setData('text/plain', '');
  });
  list.addEventListener('dragover', (event) => {
    if (dragged === undefined) return;
    event.preventDefault();
    mark(lineOf(event));
  });
  list.addEventListener('drop', (event) => {
    event.preventDefault();
    const [from, onto] = [dragged, goal];
    dragged = undefined;
    if (from !== undefined && onto !== undefined) onDrop(numberOf(from), numberOf(onto));
  });
  list.addEventListener('dragend', () => {
    mark(undefined);
    dragged = undefined;
  });
}

export interface TreeState extends Wish {
  readonly course: Course;
}

/** The course, after the changes and on a wide page also before. Lessons move by dragging, by arrow keys, or by buttons. */
export function createTree(page: Page, onMove: (target: Target) => void) {
  let state: TreeState = { course: { lists: [] }, target: [], edits: [] };
  let marks: ReadonlyMap<number, Mark> = new Map();
  let chosen: number | undefined;
  const before = element('ol', { class: 'tree', 'aria-label': 'Before' });
  const after = element('ol', { class: 'tree', 'aria-label': 'After' });
  const old = element('div', { class: 'wide' }, element('h2', {}, 'Before'), before);
  const title = element('h2', {}, 'After');
  const scroller = scrollArea('Lessons', element('div', { class: 'columns' }, old, element('div', {}, title, after)));
  const mover = element('div', { class: 'mover', role: 'group' });
  const rows = () => rowsOf(state.course, state.target);
  dragLines(after, drop);

  function change(target: Target, id: number): void {
    if (isSame(target, state.target)) return;
    show({ ...state, target });
    document.getElementById(`move-${id}`)?.scrollIntoView({ block: 'nearest' });
    const position = placeOf(target, id);
    const list = state.course.lists[position?.list ?? 0];
    page.say(position === undefined || list === undefined ? '' : `Now ${position.index + 1} in ${moduleTitle(list)}`);
    onMove(target);
  }

  /** A lesson that is dropped onto a module becomes its first one; onto a lesson, it follows that one. */
  function drop(from: number, onto: number): void {
    const [row, goal] = [rows()[from], rows()[onto]];
    if (row?.kind !== 'lesson' || goal === undefined || from === onto) return;
    const { module_id } = goal.list;
    const others = state.target.find((list) => list.module_id === module_id)?.lesson_ids.filter((id) => id !== row.id);
    const index = goal.kind === 'module' ? 0 : (others?.indexOf(goal.id) ?? -1) + 1;
    change(moved(state.target, row.id, module_id, index), row.id);
  }

  /** Shows the buttons for a lesson, or hides them again. */
  function choose(id: number): void {
    chosen = chosen === id ? undefined : id;
    drawMover();
    document.getElementById(chosen === undefined ? `move-${id}` : 'up')?.focus();
  }

  function drawMover(): void {
    const position = chosen === undefined ? undefined : placeOf(state.target, chosen);
    mover.setAttribute('aria-label', `Move ${marks.get(chosen ?? 0)?.lesson.title ?? ''}`);
    mover.replaceChildren(
      ...(chosen === undefined || position === undefined ? [] : moveButtons(chosen, position.list)),
    );
  }

  /** The buttons that move a lesson, for those who cannot drag. */
  function moveButtons(id: number, list: number): Node[] {
    const { lists } = state.course;
    const step = (by: 1 | -1) => () => change(stepped(state.target, id, by), id);
    const toEnd = (index: string) => {
      const module_id = lists[Number(index)]?.module_id ?? null;
      change(moved(state.target, id, module_id, Number.MAX_SAFE_INTEGER), id);
    };
    const modules = lists.map((one, index) => [String(index), moduleTitle(one)] as const);
    return [
      button('↑ Up', step(-1), { id: 'up' }),
      button('↓ Down', step(1), { id: 'down' }),
      choice('To', modules, String(list), toEnd),
      button('Done', () => choose(id), { id: 'done' }),
    ];
  }

  const handleOf: HandleOf = (id, title) =>
    button('⠿', () => choose(id), {
      class: 'handle',
      id: `move-${id}`,
      'aria-label': `Move ${title}`,
      title: 'Drag the lesson, press here, or use the arrow keys',
      onkeydown: (event: KeyboardEvent) => {
        if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return;
        event.preventDefault();
        change(stepped(state.target, id, event.key === 'ArrowUp' ? -1 : 1), id);
        document.getElementById(`move-${id}`)?.focus();
      },
    });

  function draw(): void {
    const { course } = state;
    const isUnchanged = ![...marks.values()].some(changes);
    [old.hidden, title.hidden] = [isUnchanged, isUnchanged];
    const current = currentTarget(course);
    const plain = marksOf(course, current, []);
    const earlier = isUnchanged ? [] : rowsOf(course, current);
    before.replaceChildren(...earlier.map((row) => rowElement(row, plain)));
    after.replaceChildren(
      ...rows().map((row) => rowElement(row, marks, page.host.canCallTools ? handleOf : undefined)),
    );
    drawMover();
  }

  /** `isNew`: scrolls to the first change. */
  function show(next: TreeState, isNew = false): void {
    state = next;
    marks = marksOf(next.course, next.target, next.edits);
    if (isNew) chosen = undefined;
    keepFocus(draw);
    const first = after.querySelector<HTMLElement>('.changed');
    // Two lines and the heading above the first change.
    if (isNew) scroller.scrollTop = (first?.offsetTop ?? 0) - 2.5 * (first?.offsetHeight ?? 0);
  }

  return { element: element('div', { class: 'outline' }, scroller, mover), show };
}
