import { button, element } from '../shared/dom.ts';
import type { Page } from '../shared/page.ts';
import { createLines } from './lines.ts';

export interface Question {
  readonly title: string;
  readonly lines: readonly string[];
  /** The code that the server wants to see again; true if it wants none. */
  readonly consent: true | string;
  readonly agree: () => void;
  readonly cancel: () => void;
}

/** Milliseconds in which the second press of a double click would hit the button that agrees. */
const pause = 500;

function codeLine(code: string): HTMLElement {
  return element('p', {}, 'Code of this plan, valid once, for 5 minutes: ', element('code', {}, code));
}

/**
 * Shows what the server says a person must agree to. The answer is a button of its own, which works only after every line
 * was shown, and not at once: the press that began this is no consent.
 */
export function askConsent(page: Page, { title, lines, consent, agree, cancel }: Question): { draw: () => void } {
  const label = consent === true ? 'Yes, apply now' : `Apply with code ${consent}`;
  const yes = button(label, agree, { id: 'agree', class: 'main', disabled: true });
  const shown = createLines(page.host, { lines, label: title, onDraw: allow });
  const heading = element('h2', { tabindex: -1, id: 'consent' }, title);
  const code = consent === true ? undefined : codeLine(consent);
  let isEarly = true;

  function allow(): void {
    yes.disabled = isEarly || shown.seen() < lines.length;
  }

  page.notes(['The first button works once you have seen every line.']);
  page.controls(yes, button('Cancel', cancel, { id: 'cancel' }));
  page.content(element('section', { 'aria-labelledby': 'consent' }, heading, code, shown.element));
  shown.draw();
  heading.focus();
  setTimeout(() => {
    isEarly = false;
    allow();
  }, pause);
  return { draw: shown.draw };
}
