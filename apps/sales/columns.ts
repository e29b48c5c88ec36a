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

const edge = { top: 10, right: 4, bottom: 24, left: 52 };
/** Pixels that a label below the axis needs. */
const labelWidth = 74;

interface Plot {
  readonly bars: readonly Bar[];
  readonly width: number;
  readonly height: number;
  readonly top: number;
}

const depthOf = ({ height }: Plot) => height - edge.top - edge.bottom;

const valueText = ({ label, text, detail, before }: Bar) =>
  `${label}: ${text}${detail === '' ? '' : `, ${detail}`}${before === undefined ? '' : `; before: ${before.text}`}`;

const stepOf = ({ bars, width }: Plot) => (width - edge.left - edge.right) / bars.length;
const yOf = (plot: Plot, value: number) => edge.top + depthOf(plot) * (1 - value / plot.top);

function gridOf(plot: Plot, ticks: readonly number[]): SVGElement[] {
  return ticks.map((tick) => {
    const y = yOf(plot, tick);
    const line = svg('line', { x1: edge.left, x2: plot.width - edge.right, y1: y, y2: y, class: 'grid' });
    const label = svg('text', { x: edge.left - 8, y: y + 4, 'text-anchor': 'end' }, tickText(tick));
    return svg('g', {}, line, label);
  });
}

function columnsOf(plot: Plot): SVGElement[] {
  const step = stepOf(plot);
  const gap = Math.min(6, step * 0.25);
  return plot.bars.map(({ value, isPartial }, index) => {
    const y = yOf(plot, value);
    const x = edge.left + index * step + gap / 2;
    const size = { x, y, width: Math.max(1, step - gap), height: Math.max(0, edge.top + depthOf(plot) - y) };
    return svg('rect', { ...size, rx: Math.min(3, step / 4), class: isPartial ? 'bar partial' : 'bar' });
  });
}

function lineOf(plot: Plot): SVGElement[] {
  const points = plot.bars.flatMap(({ before }, index) =>
    before === undefined ? [] : [`${edge.left + (index + 0.5) * stepOf(plot)},${yOf(plot, before.value)}`],
  );
  return points.length === 0 ? [] : [svg('polyline', { points: points.join(' '), class: 'before' })];
}

function labelsOf(plot: Plot): SVGElement[] {
  const step = stepOf(plot);
  const every = Math.max(1, Math.ceil(labelWidth / step));
  return plot.bars.flatMap(({ label, short = label }, index) => {
    const x = edge.left + (index + 0.5) * step;
    const isWithin = x > edge.left + labelWidth / 4 && x < plot.width - labelWidth / 3;
    if (index % every !== 0 || (!isWithin && plot.bars.length > 1 && every > 1)) return [];
    return [svg('text', { x, y: plot.height - 6, 'text-anchor': 'middle' }, short)];
  });
}

/** Bars over time. Pointing at a bar, or moving to it with the arrow keys, shows its exact value. Sizes in pixels. */
export function columnChart(bars: readonly Bar[], title: string, size: { width: number; height: number }): HTMLElement {
  const { width, height } = size;
  const ticks = ticksFor(Math.max(0, ...bars.flatMap(({ value, before }) => [value, before?.value ?? 0])), 4);
  const plot: Plot = { bars, ...size, top: ticks.at(-1) ?? 1 };
  const columns = columnsOf(plot);
  const picture = svg(
    'svg',
    { viewBox: `0 0 ${width} ${height}`, width, height, 'aria-hidden': 'true' },
    ...gridOf(plot, ticks),
    ...columns,
    ...lineOf(plot),
    ...labelsOf(plot),
  );
  const tip = element('div', { class: 'tip', hidden: true, 'aria-hidden': 'true' });
  const chart = element(
    'div',
    { class: 'chart', role: 'slider', tabindex: 0, 'aria-label': `${title}. Arrow keys read each bar` },
    picture,
    tip,
  );
  let chosen = bars.length - 1;

  function describe(): void {
    const bar = bars[chosen];
    chart.ariaValueMin = '1';
    chart.ariaValueMax = String(bars.length);
    chart.ariaValueNow = String(chosen + 1);
    chart.ariaValueText = bar === undefined ? '' : valueText(bar);
  }

  function show(index: number): void {
    chosen = Math.min(bars.length - 1, Math.max(0, index));
    for (const [at, column] of columns.entries()) column.classList.toggle('chosen', at === chosen);
    describe();
    const bar = bars[chosen];
    tip.hidden = bar === undefined;
    if (bar === undefined) return;
    tip.textContent = valueText(bar);
    const center = edge.left + (chosen + 0.5) * stepOf(plot);
    const room = width - tip.offsetWidth;
    tip.style.left = `${Math.max(0, Math.min(room, center - tip.offsetWidth / 2))}px`;
    tip.style.top = `${Math.max(0, yOf(plot, bar.value) - 34)}px`;
  }

  function hide(): void {
    tip.hidden = true;
    for (const column of columns) column.classList.remove('chosen');
  }

  const keys: Record<string, (index: number) => number> = {
    ArrowLeft: (index) => index - 1,
    ArrowDown: (index) => index - 1,
    ArrowRight: (index) => index + 1,
    ArrowUp: (index) => index + 1,
    Home: () => 0,
    End: () => bars.length - 1,
  };
  chart.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') hide();
    const move = keys[event.key];
    if (move === undefined) return;
    event.preventDefault();
    show(move(chosen));
  });
  chart.addEventListener('focus', () => show(chosen));
  chart.addEventListener('blur', hide);
  chart.addEventListener('pointermove', ({ clientX }) => {
    const x = clientX - chart.getBoundingClientRect().left - edge.left;
    if (x >= 0) show(Math.floor(x / stepOf(plot)));
  });
  chart.addEventListener('pointerleave', hide);
  describe();
  return chart;
}

/** Round steps of an axis: 1, 2 or 5 times a power of ten. */
function stepFor(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = [1, 2, 5, 10].find((one) => one * power >= rough) ?? 10;
  return factor * power;
}

/** The values of the lines of an axis from 0 to at least `largest`. */
function ticksFor(largest: number, count: number): number[] {
  if (largest <= 0) return [0, 1];
  const step = stepFor(largest / count);
  return Array.from({ length: Math.ceil(largest / step - 1e-9) + 1 }, (_, index) => index * step);
}

/** "12,000", "0.5": the label of a tick. */
function tickText(value: number): string {
  return Number(value.toPrecision(6)).toLocaleString('en-US');
}
