import type { HostContext } from './bridge.ts';

/** Only the variables of the specification: a client cannot set any other property. */
const variable = /^--(color|font|border|shadow)-[\w-]+$/;

/** Takes on the look of the client. Without it, the page follows the system. */
export function applyTheme({ theme, styles, displayMode }: HostContext): void {
  const root = document.documentElement;
  if (theme === 'light' || theme === 'dark') root.dataset.theme = theme;
  root.dataset.mode = displayMode === 'fullscreen' ? 'fullscreen' : 'inline';
  for (const [name, value] of Object.entries(styles?.variables ?? {})) {
    if (variable.test(name) && value !== undefined) root.style.setProperty(name, value);
  }
}

/** The most pixels that a view takes within a conversation. */
const maxInline = 500;

/** How high the page may be; undefined if it fills the screen. */
export function heightLimit({ displayMode, containerDimensions }: HostContext): number | undefined {
  if (displayMode === 'fullscreen') return undefined;
  const { height, maxHeight } = containerDimensions ?? {};
  return Math.max(280, Math.min(maxInline, height ?? maxInline, maxHeight ?? maxInline));
}
