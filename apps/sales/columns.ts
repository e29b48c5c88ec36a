import { element, svg } from '../shared/dom.ts';

export interface Bar {
  readonly label: string;
  /** The label below the axis, if it is shorter. */
  readonly short?: string;
  readonly value: number;
  readonly text: string;
  readonly detail: string;
  readonly isPartial: boolean;
  /** The same place in the period before. */
  readonly before?: { readonly value: number; readonly text: string } | undefined;
}

const valueText = ({ label, text, detail, before }: Bar) =>
  `${label}: ${text}${detail === '' ? '' : `, ${detail}`}${before === undefined ? '' : `; before: ${before.text}`}`;

/** Most labels below the bars that a narrow page has room for. */
const mostLabels = 5;

/** Bars over time, each with its exact value for the pointer and for a screen reader. */
export function columnChart(bars: readonly Bar[], title: string): HTMLElement {
  const top = topFor(Math.max(0, ...bars.flatMap(({ value, before }) => [value, before?.value ?? 0])));
  const every = Math.ceil(bars.length / mostLabels);
  const share = (value: number) => `${(100 * value) / top}%`;

  function columnOf(bar: Bar, index: number): HTMLElement {
    const { label, short = label, value, isPartial } = bar;
    const fill = element('span', { class: isPartial ? 'bar partial' : 'bar' });
    fill.style.height = share(value);
    const said = element('span', { class: 'status' }, valueText(bar));
    const below = index % every === 0 ? element('span', { class: 'label', 'aria-hidden': 'true' }, short) : undefined;
    return element('li', { title: valueText(bar) }, said, fill, below);
  }

  const ticks = [top, top / 2, 0].map((tick) => element('span', {}, tickText(tick)));
  return element(
    'div',
    { class: 'chart' },
    element('div', { class: 'ticks', 'aria-hidden': 'true' }, ...ticks),
    element('div', { class: 'plot' }, element('ol', { 'aria-label': title }, ...bars.map(columnOf)), lineOf(bars, top)),
  );
}

/** The period before, as a line over the bars: one unit of width for each, from 0 at the bottom to 1. */
function lineOf(bars: readonly Bar[], top: number): SVGElement | undefined {
  const points = bars.flatMap(({ before }, index) => (before ? [`${index + 0.5},${1 - before.value / top}`] : []));
  if (points.length === 0) return undefined;
  const place = {
    viewBox: `0 0 ${bars.length} 1`,
    preserveAspectRatio: 'none',
    'aria-hidden': 'true',
    class: 'before',
  };
  return svg('svg', place, svg('polyline', { points: points.join(' ') }));
}

/** The top of an axis from 0 to at least `largest`: 1, 2, 4 or 6 times a power of ten. */
function topFor(largest: number): number {
  if (largest <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(largest));
  return power * ([1, 2, 4, 6].find((one) => one * power >= largest) ?? 10);
}

/** "12,000", "0.5": the label of a tick. */
function tickText(value: number): string {
  return Number(value.toPrecision(6)).toLocaleString('en-US');
}
