type Child = Node | string | undefined;
type Value = string | number | boolean | ((event: never) => void) | undefined;

function setValue(target: Element, name: string, value: Value): void {
  if (value === undefined || value === false) return;
  if (typeof value === 'function') target.addEventListener(name.slice(2), value as EventListener);
  else target.setAttribute(name, value === true ? '' : String(value));
}

/** An element with attributes; a value named `on…` is a listener. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  values: Record<string, Value> = {},
  ...children: Child[]
): HTMLElementTagNameMap[Name] {
  return filled(document.createElement(name), values, children);
}

export function svg(name: 'svg' | 'polyline', values: Record<string, Value>, ...children: Child[]): SVGElement {
  return filled(document.createElementNS('http://www.w3.org/2000/svg', name), values, children);
}

function filled<Made extends Element>(made: Made, values: Record<string, Value>, children: readonly Child[]): Made {
  for (const [key, value] of Object.entries(values)) setValue(made, key, value);
  // Strings become text nodes: no text is ever read as markup.
  made.append(...children.filter((child) => child !== undefined));
  return made;
}

export function button(label: string, onclick: () => void, values: Record<string, Value> = {}): HTMLButtonElement {
  return element('button', { type: 'button', onclick, ...values }, label);
}

export function choice(
  label: string,
  choices: readonly (readonly [value: string, text: string])[],
  chosen: string,
  onchange: (value: string) => void,
): HTMLLabelElement {
  const options = choices.map(([value, text]) => element('option', { value, selected: value === chosen }, text));
  const select = element('select', { 'aria-label': label, onchange: () => onchange(select.value) }, ...options);
  return element('label', { class: 'choice' }, element('span', { class: 'wide' }, label), select);
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
