import { button, element } from '../shared/dom.ts';
import { allowScrolling, fitRows, keepFocus, pager } from '../shared/fit.ts';
import type { Page } from '../shared/page.ts';
import { heightLimit } from '../shared/theme.ts';

export interface Question {
  readonly title: string;
  readonly lines: readonly string[];
  /** The code that the server wants to see again; true if it wants none. */
  readonly consent: true | string;
  readonly agree: () => void;
  readonly cancel: () => void;
}

/**
 * Shows what the server says a person must agree to. The answer is a button of its own, which works only after every line
 * was shown: the press that began this is no consent.
 */
export function askConsent(page: Page, { title, lines, consent, agree, cancel }: Question): { draw: () => void } {
  const list = element('ol', { class: 'facts' });
  const scroller = element('div', { class: 'scroller' }, list);
  const foot = element('div');
  const yes = button(consent === true ? 'Yes, apply now' : `Apply with code ${consent}`, agree, {
    id: 'agree',
    class: 'main',
  });
  const heading = element('h2', { tabindex: -1, id: 'consent' }, title);
  const code =
    consent === true
      ? undefined
      : element('p', {}, 'Code of this plan, valid once, for 5 minutes: ', element('code', {}, consent));
  let start = 0;
  let seen = 0;

  function drawPage(shown: number): void {
    const some = lines.slice(start, start + shown);
    list.replaceChildren(...some.map((line) => element('li', {}, line)));
    const go = (to: number) => {
      start = to;
      keepFocus(draw);
    };
    const place = { start, shown: some.length, count: lines.length };
    foot.replaceChildren(...(some.length < lines.length ? [pager(place, go)] : []));
  }

  function draw(): void {
    allowScrolling(scroller, page.host, title);
    const isFull = heightLimit(page.host.context()) === undefined;
    if (isFull) drawPage(lines.length);
    const shown = isFull ? lines.length : fitRows(page.host, lines.length - start, drawPage);
    seen = Math.max(seen, start + shown);
    yes.disabled = seen < lines.length;
  }

  page.controls(yes, button('Cancel', cancel, { id: 'cancel' }));
  page.content(element('section', { 'aria-labelledby': 'consent' }, heading, code, scroller, foot));
  draw();
  heading.focus();
  return { draw };
}
