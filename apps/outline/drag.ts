/** The place between two lines where a dragged lesson would land. */
export interface Landing {
  readonly module_id: number | null;
  /** The lesson that it would follow; undefined: the first place. */
  readonly after: number | undefined;
}

/** Movement below this many pixels is a press, not a drag. */
const threshold = 6;
/** Pixels at the edge of the scrolled area in which it scrolls. */
const edge = 40;

const moduleOf = (text: string | undefined): number | null =>
  text === 'none' || text === undefined ? null : Number(text);

/** The line after which the pointer is: that of a module or of a lesson. */
function lineAt(list: HTMLElement, y: number): HTMLElement | undefined {
  const lines = [...list.querySelectorAll<HTMLElement>('li')];
  const above = lines.findLast((line) => {
    const { top, height } = line.getBoundingClientRect();
    return line.dataset.module === undefined ? y > top + height / 2 : y > top;
  });
  return above ?? lines[0];
}

function landingOf(line: HTMLElement, dragged: number): Landing {
  let at: Element | null = line;
  // The dragged lesson is no neighbour of itself.
  if (line.dataset.lesson === String(dragged)) at = line.previousElementSibling;
  const after = at instanceof HTMLElement && at.dataset.lesson !== undefined ? Number(at.dataset.lesson) : undefined;
  while (at instanceof HTMLElement && at.dataset.module === undefined) at = at.previousElementSibling;
  return { module_id: moduleOf(at instanceof HTMLElement ? at.dataset.module : undefined), after };
}

export interface Drag {
  readonly list: HTMLElement;
  readonly scroller: HTMLElement;
  readonly id: number;
  readonly onDrop: (landing: Landing) => void;
}

/** Follows the pointer from a handle until it is released. Escape ends the drag without a move. */
export function startDrag(event: PointerEvent, { list, scroller, id, onDrop }: Drag): void {
  if (event.button !== 0 || !(event.currentTarget instanceof HTMLElement)) return;
  const handle = event.currentTarget;
  const own = handle.closest('li');
  const startY = event.clientY;
  let line: HTMLElement | undefined;
  let isDragging = false;

  function mark(next: HTMLElement | undefined): void {
    line?.classList.remove('landing');
    line = next;
    line?.classList.add('landing');
  }

  function onMove({ clientY }: PointerEvent): void {
    isDragging ||= Math.abs(clientY - startY) > threshold;
    if (!isDragging) return;
    own?.classList.add('dragged');
    mark(lineAt(list, clientY));
    const { top, bottom } = scroller.getBoundingClientRect();
    if (clientY < top + edge) scroller.scrollBy(0, -12);
    if (clientY > bottom - edge) scroller.scrollBy(0, 12);
  }

  function end(isDropped: boolean): void {
    const landed = line;
    mark(undefined);
    own?.classList.remove('dragged');
    handle.removeEventListener('pointermove', onMove);
    handle.removeEventListener('pointerup', onUp);
    handle.removeEventListener('pointercancel', onCancel);
    window.removeEventListener('keydown', onKey, true);
    if (isDropped && isDragging && landed !== undefined) onDrop(landingOf(landed, id));
  }

  const onUp = () => {
    // The click that follows a drag is none.
    if (isDragging)
      handle.addEventListener('click', (click) => click.stopImmediatePropagation(), { capture: true, once: true });
    end(true);
  };
  const onCancel = () => end(false);
  const onKey = (pressed: KeyboardEvent) => {
    if (pressed.key === 'Escape') end(false);
  };
  handle.setPointerCapture(event.pointerId);
  handle.addEventListener('pointermove', onMove);
  handle.addEventListener('pointerup', onUp);
  handle.addEventListener('pointercancel', onCancel);
  window.addEventListener('keydown', onKey, true);
}
