import type { Host } from './bridge.ts';
import { button, icon } from './dom.ts';

/** Switches between the conversation and the full screen, if the client has it. */
export function modeButton(host: Host): Node | undefined {
  const { displayMode, availableDisplayModes = [] } = host.context();
  const isFull = displayMode === 'fullscreen';
  const other = isFull ? 'inline' : 'fullscreen';
  if (!availableDisplayModes.includes(other)) return undefined;
  const label = isFull ? 'Exit full screen' : 'Full screen';
  const made = button('', () => void host.requestMode(other).catch(() => {}), {
    id: 'mode',
    class: 'mode',
    'aria-label': label,
    title: label,
  });
  made.append(icon(isFull ? 'M6 2v4H2M10 2v4h4M14 10h-4v4M2 10h4v4' : 'M2 6V2h4M10 2h4v4M14 10v4h-4M6 14H2v-4'));
  return made;
}
