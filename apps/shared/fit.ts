import type { HostContext } from './bridge.ts';
import { element } from './dom.ts';

/** Only the variables of the specification: a client cannot set any other property. */
const variable = /^--(color|font|border|shadow)-[\w-]+$/;

/** The most pixels that a view takes within a conversation. */
const maxInline = 500;

/** The most that the page takes: the screen, or within a conversation, what the client gives. */
function heightLimit({ displayMode, containerDimensions }: HostContext): string {
  if (displayMode === 'fullscreen') return '100vh';
  const { height = maxInline, maxHeight = maxInline } = containerDimensions ?? {};
  return `${Math.max(280, Math.min(maxInline, height, maxHeight))}px`;
}

/** Takes on the look and the room of the client. Without a look, the page follows the system. */
export function applyContext(context: HostContext): void {
  const { theme, styles } = context;
  const { style } = document.documentElement;
  if (theme === 'light' || theme === 'dark') style.colorScheme = theme;
  style.setProperty('--limit', heightLimit(context));
  for (const [name, value] of Object.entries(styles?.variables ?? {})) {
    if (variable.test(name) && value !== undefined) style.setProperty(name, value);
  }
}

/** Runs a redraw and returns the focus to the element with the same id. */
export function keepFocus(redraw: () => void): void {
  const id = document.activeElement?.id ?? '';
  redraw();
  if (id !== '') document.getElementById(id)?.focus({ preventScroll: true });
}

/** The part of the page that scrolls, with the keyboard too. */
export function scrollArea(label: string, inner: HTMLElement): HTMLDivElement {
  return element('div', { class: 'scroller', tabindex: 0, role: 'group', 'aria-label': label }, inner);
}

/** Lines of text. `onEnd`: their end was in sight. */
export function createLines(lines: readonly string[], label: string, onEnd = () => {}): HTMLElement {
  const items = lines.map((line) => element('li', {}, line));
  const area = scrollArea(label, element('ol', { class: 'facts' }, ...items));
  const look = () => {
    if (area.scrollTop + area.clientHeight + 1 >= area.scrollHeight) onEnd();
  };
  area.addEventListener('scroll', look);
  // Also once it has its size: short lines need no scrolling.
  new ResizeObserver(look).observe(area);
  return area;
}
