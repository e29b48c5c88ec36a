import type { Course } from '../../src/insights/outline/course.ts';
import { button, choice, element } from '../shared/dom.ts';
import { nameOf } from './rows.ts';
import { moved, placeOf, stepped, type Target } from './target.ts';

export interface Moving {
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
export function createMover({ onMove, onDone }: MoverOptions) {
  const outer = element('div', { class: 'mover', role: 'group' });

  function buttonsFor({ id, course: { lists }, target }: Moving): Node[] {
    const list = lists[placeOf(target, id)?.list ?? 0];
    const step = (by: 1 | -1) => () => onMove(stepped(target, id, by), id);
    const toEnd = (value: string) => {
      onMove(moved(target, id, value === 'null' ? null : Number(value), Number.MAX_SAFE_INTEGER), id);
    };
    const modules = lists.map((one) => [String(one.module_id), nameOf(one)] as const);
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
