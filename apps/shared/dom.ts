type Child = Node | string | undefined;
type Listener = (event: never) => void;
type Value = string | number | boolean | Listener | undefined;

const svgNamespace = 'http://www.w3.org/2000/svg';

function setValue(target: Element, name: string, value: Value): void {
  if (value === undefined || value === false) return;
  if (typeof value === 'function') target.addEventListener(name.slice(2), value as EventListener);
  else target.setAttribute(name, value === true ? '' : String(value));
}

function fill<Made extends Element>(made: Made, values: Record<string, Value>, children: readonly Child[]): Made {
  for (const [name, value] of Object.entries(values)) setValue(made, name, value);
  // Strings become text nodes: no text is ever read as markup.
  made.append(...children.filter((child) => child !== undefined));
  return made;
}

/** An element with attributes; a value named `on…` is a listener. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  values: Record<string, Value> = {},
  ...children: Child[]
): HTMLElementTagNameMap[Name] {
  return fill(document.createElement(name), values, children);
}

export function svg<Name extends keyof SVGElementTagNameMap>(
  name: Name,
  values: Record<string, Value> = {},
  ...children: Child[]
): SVGElementTagNameMap[Name] {
  return fill(document.createElementNS(svgNamespace, name), values, children);
}

export function button(label: string, onclick: () => void, values: Record<string, Value> = {}): HTMLButtonElement {
  return element('button', { type: 'button', onclick, ...values }, label);
}

/** A labelled choice. `choices`: value and text of each. */
export function choice(
  label: string,
  choices: readonly (readonly [value: string, text: string])[],
  chosen: string,
  onchange: (value: string) => void,
): HTMLLabelElement {
  const options = choices.map(([value, text]) => element('option', { value, selected: value === chosen }, text));
  const select = element('select', { onchange: () => onchange(select.value) }, ...options);
  return element('label', { class: 'choice' }, element('span', {}, label), select);
}

/** A drawing of 16 by 16 pixels, for a button that has a label of its own. */
export function icon(path: string): SVGSVGElement {
  const line = svg('path', { d: path, fill: 'none', stroke: 'currentColor', 'stroke-width': 2 });
  return svg('svg', { viewBox: '0 0 16 16', width: 16, height: 16, 'aria-hidden': 'true' }, line);
}
