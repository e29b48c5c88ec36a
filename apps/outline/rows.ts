import type { Course, List } from '../../src/insights/outline/course.ts';
import { button, element } from '../shared/dom.ts';
import { counted } from '../shared/values.ts';
import type { Mark, Target } from './target.ts';

/** A line of the tree: a module, or a lesson in it. */
export type Row =
  | { readonly kind: 'module'; readonly list: List; readonly count: number }
  | { readonly kind: 'lesson'; readonly list: List; readonly id: number; readonly index: number };

export const moduleTitle = ({ module_id, title }: List): string =>
  module_id === null ? 'In no module' : title || `Module ${module_id}`;

export function rowsOf(course: Course, target: Target): Row[] {
  return course.lists.flatMap((list): Row[] => {
    const ids = target.find(({ module_id }) => module_id === list.module_id)?.lesson_ids ?? [];
    if (list.module_id === null && ids.length === 0) return [];
    const lessons = ids.map((id, index): Row => ({ kind: 'lesson', list, id, index }));
    return [{ kind: 'module', list, count: ids.length }, ...lessons];
  });
}

export const changes = (mark: Mark | undefined): boolean =>
  mark !== undefined &&
  (mark.movedFrom !== undefined || mark.oldTitle !== undefined || mark.publication?.startsWith('now') === true);

const tag = (text: string, name: string) => element('span', { class: `tag ${name}` }, text);

function tagsOf({ movedFrom, oldTitle, publication }: Mark, list: List): Node[] {
  const from = movedFrom?.module_id === list.module_id ? 'moved' : `from ${movedFrom && moduleTitle(movedFrom)}`;
  return [
    ...(movedFrom === undefined ? [] : [tag(`↕ ${from}`, 'moved')]),
    ...(oldTitle === undefined ? [] : [tag('✎ renamed', 'renamed')]),
    ...(publication === undefined ? [] : [tag(publication, publication.startsWith('now') ? 'published' : 'quiet')]),
  ];
}

function moduleRow({ list, count }: Extract<Row, { kind: 'module' }>): HTMLElement {
  const state = list.is_published === false ? [tag('unpublished', 'quiet')] : [];
  return element(
    'li',
    { class: 'module', 'data-module': list.module_id ?? 'none' },
    element('strong', {}, moduleTitle(list)),
    element('span', { class: 'second' }, counted(count, 'lesson')),
    ...state,
  );
}

export interface Handle {
  readonly onclick: (id: number) => void;
  readonly onkeydown: (event: KeyboardEvent, id: number) => void;
  readonly onpointerdown: (event: PointerEvent, id: number) => void;
}

function handleOf(id: number, title: string, handle: Handle): HTMLButtonElement {
  return button('⠿', () => handle.onclick(id), {
    class: 'handle',
    id: `move-${id}`,
    'aria-label': `Move ${title}`,
    title: 'Drag, press, or use the arrow keys',
    onkeydown: (event: KeyboardEvent) => handle.onkeydown(event, id),
    onpointerdown: (event: PointerEvent) => handle.onpointerdown(event, id),
  });
}

export function rowElement(row: Row, marks: ReadonlyMap<number, Mark>, handle: Handle | undefined): HTMLElement {
  if (row.kind === 'module') return moduleRow(row);
  const { id, index, list } = row;
  const mark = marks.get(id);
  const title = mark?.lesson.title || `Lesson ${id}`;
  const old = mark?.oldTitle;
  return element(
    'li',
    { class: changes(mark) ? 'lesson changed' : 'lesson', 'data-lesson': id },
    handle === undefined ? undefined : handleOf(id, title, handle),
    element('span', { class: 'place' }, `${index + 1}.`),
    element('span', { class: 'name', title: old === undefined ? title : `${title}\n(was ${old})` }, title),
    ...(mark === undefined ? [] : tagsOf(mark, list)),
  );
}
