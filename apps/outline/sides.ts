import { button, element } from '../shared/dom.ts';

/** Below this width, in pixels, before and after are shown one at a time. */
const bothFrom = 600;

/** The course before and after: side by side if there is room, and only once if nothing changes. */
export function createSides(redraw: () => void) {
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
