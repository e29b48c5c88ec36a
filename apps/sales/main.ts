import { revenueOf } from '../../src/insights/money.ts';
import type { Json } from '../../src/shared/json.ts';
import { createAnswer } from '../shared/answer.ts';
import { button, choice, element, scrollArea, svg } from '../shared/dom.ts';
import { openPage, type Page, type ShowAnswer } from '../shared/page.ts';
import { type Column, createTable, type Table } from '../shared/table.ts';
import { capitalized, counted, grouped, sumsText, text } from '../shared/values.ts';
import { type Answer, type Group, periodBefore, readAnswer } from './answer.ts';

const groupLabel = ({ key, label, isPartial }: Group, isCalendar: boolean): string =>
  `${isCalendar ? dateText(key, false) : label || key}${isPartial ? ' (part)' : ''}`;

const countColumn = (key: 'orders' | 'buyers', title: string): Column<Group> => ({
  title,
  isNumber: true,
  isWide: true,
  cell: (group) => [grouped(String(group[key]))],
  compare: (one, other) => one[key] - other[key],
});

function salesTable(isCalendar: boolean, currency: string): Table<Group> {
  const amount = ({ revenue }: Group) => Number(revenue[currency] ?? 0);
  const sortText = (group: Group) => (isCalendar ? group.key : groupLabel(group, false));
  return createTable<Group>({
    caption: 'Sales',
    empty: 'Nothing was sold in this period.',
    columns: [
      {
        title: isCalendar ? 'Date' : 'Name',
        cell: (group) => [groupLabel(group, isCalendar), isCalendar ? group.label : group.key],
        compare: (one, other) => sortText(one).localeCompare(sortText(other)),
      },
      countColumn('orders', 'Orders'),
      countColumn('buyers', 'Buyers'),
      {
        title: 'Revenue',
        isNumber: true,
        cell: ({ revenue, orders }) => [
          sumsText(revenue) || '0',
          element('span', { class: 'narrow' }, counted(orders, 'order')),
        ],
        compare: (one, other) => amount(one) - amount(other),
      },
    ],
  });
}

/** "Last 7 days" of "last_7_days". */
const titled = (name: string) => [name, capitalized(name).replaceAll('_', ' ')] as const;

const groupings = ['product', 'day', 'week', 'month', 'country'].map(titled);

const periods =
  'today yesterday this_week last_week last_7_days last_30_days this_month last_month this_year last_year all_time'
    .split(' ')
    .map(titled);

/** A period of chosen dates, which no choice can ask for. */
const custom = 'custom';

function periodOf({ period, created_after, created_before }: Json): string {
  return created_after !== undefined || created_before !== undefined ? custom : (text(period) ?? 'all_time');
}

/** The arguments with another period or grouping. Drops what depends on the old one. */
function changed(args: Json, change: { period?: string; group_by?: string }): Json {
  const { cursor: _cursor, ...same } = args;
  const { created_after: _after, created_before: _before, ...unbounded } = same;
  const next: Json = { ...(change.period === undefined ? same : unbounded), ...change };
  if ((next.group_by ?? 'product') !== 'product') delete next.include_unsold;
  return next;
}

const byOrders = 'orders';

/** The height and the words of a bar. `measure`: a currency, or `byOrders`. */
function measured({ orders, revenue }: Group, measure: string) {
  const count = counted(orders, 'order');
  if (measure === byOrders) return { value: orders, text: count, detail: '' };
  const amount = revenue[measure] ?? '0';
  return { value: Number(amount), text: `${grouped(amount)} ${measure}`, detail: count };
}

/** "27 Oct" or "27 Oct 2025" of a day, "Oct 2026" of a month; any other key as it is. */
function dateText(key: string, isOneYear: boolean): string {
  if (!/^\d{4}-\d\d(-\d\d)?$/.test(key)) return isOneYear ? key.slice(5) : key;
  const month = new Date(`${key.slice(0, 7)}-01`).toLocaleString('en-GB', { month: 'short', timeZone: 'UTC' });
  const parts = [key.slice(8).replace(/^0/, ''), month.slice(0, 3), isOneYear ? '' : key.slice(0, 4)];
  return parts.filter((part) => part !== '').join(' ');
}

/** "2,787.80 USD": the sum of what is shown. */
function sumOf(groups: readonly Group[], measure: string): string {
  const orders = groups.reduce((sum, group) => sum + group.orders, 0);
  const amounts = groups.map(({ revenue }) => ({ amount: revenue[measure] ?? '0', currency: measure }));
  return (measure === byOrders ? counted(orders, 'order') : sumsText(revenueOf(amounts))) || '0';
}

const byKey = (one: Group, other: Group) => one.key.localeCompare(other.key);

/** A bar for each group. Time runs from left to right, however the question sorts the groups. */
function barsOf({ rows: groups, groupBy, isCalendar }: Answer, measure: string, before: readonly Group[] | undefined) {
  const isOneYear = groupBy !== 'month' && new Set(groups.map(({ key }) => key.slice(0, 4))).size === 1;
  const inOrder = isCalendar ? groups.toSorted(byKey) : groups;
  const earlier = before?.toSorted(byKey);
  return inOrder.map((group, index) => ({
    label: groupLabel(group, isCalendar),
    /** The label below the axis. */
    short: dateText(group.key, isOneYear),
    isPartial: group.isPartial,
    /** The same place in the period before. */
    before: earlier?.[index] && measured(earlier[index], measure),
    ...measured(group, measure),
  }));
}

type Bar = ReturnType<typeof barsOf>[number];

function createView(page: Page): ShowAnswer {
  let measure = '';
  let isTable = false;
  /** The groups of the period before, once they were asked for. */
  let before: readonly Group[] | undefined;
  const answer = createAnswer(page, 'sales_report', readAnswer, show);

  function draw(shown = answer.shown()): void {
    if (shown === undefined) return;
    page.title(shown.heading, shown.summary);
    page.controls(...controls(shown));
    page.notes(notes(shown));
    drawFigures(shown);
  }

  function notes({ rows: groups, count, notes: own }: Answer): string[] {
    const part = groups.length < count ? [`${groups.length} of ${counted(count, 'group')} loaded.`] : [];
    const sum = isTable || groups.length === 0 ? [] : [`In the bars: ${sumOf(groups, measure)}.`];
    const line = isTable || before === undefined ? [] : [`Line: the period before, ${sumOf(before, measure)}.`];
    return [...sum, ...line, ...part, ...own];
  }

  function drawFigures(shown: Answer): void {
    const { rows: groups, groupBy, isCalendar } = shown;
    if (isTable || groups.length === 0) {
      const table = salesTable(isCalendar, measure);
      page.content(table.element);
      table.show(groups);
    } else {
      const bars = barsOf(shown, measure, isCalendar ? before : undefined);
      const title = `${measure === byOrders ? 'Orders' : `Revenue in ${measure}`} by ${groupBy}`;
      page.content(isCalendar ? columnChart(bars, title) : barList(bars, title));
    }
  }

  function controls(shown: Answer): (Node | undefined)[] {
    const { groupBy, currencies } = shown;
    const measures = [...currencies.map((one) => [one, one] as const), [byOrders, 'Orders'] as const];
    const own = [
      choice('In', measures, measure, (value) => {
        measure = value;
        draw();
      }),
      button(isTable ? 'Chart' : 'Table', toggle, { id: 'toggle' }),
    ];
    if (!page.host.canCallTools) return own;
    const period = periodOf(answer.args());
    const choices = period === custom ? [[custom, 'Chosen dates'] as const, ...periods] : periods;
    return [
      choice('By', groupings, groupBy, (group_by) => ask({ group_by })),
      choice('Period', choices, period, (value) => value !== custom && ask({ period: value })),
      ...own,
      isComparable(shown) ? button('Compare', () => compare(shown), { id: 'compare' }) : undefined,
      answer.moreButton(),
    ];
  }

  function isComparable(shown: Answer): boolean {
    const isChart = !isTable && shown.rows.length > 0 && shown.isCalendar;
    return isChart && before === undefined && periodBefore(shown) !== undefined;
  }

  function toggle(): void {
    isTable = !isTable;
    draw();
    document.getElementById('toggle')?.focus();
  }

  /** Asks once for as many groups before these. */
  function compare(shown: Answer): void {
    const { period: _period, ...same } = answer.args();
    answer.ask('Loading the period before', { ...same, ...periodBefore(shown) }, (earlier) => {
      if (earlier.cursor !== undefined) throw new Error('The period before could not be read whole.');
      before = earlier.rows;
      draw();
    });
  }

  function show(next: Answer): void {
    before = undefined;
    if (!next.currencies.includes(measure) && measure !== byOrders) measure = next.currencies[0] ?? byOrders;
    draw(next);
    page.say(next.summary);
  }

  const ask = (change: { period?: string; group_by?: string }) => answer.ask('Loading', changed(answer.args(), change));

  return answer.receive;
}

function barRow({ label, value, text, detail }: Bar, largest: number): HTMLElement {
  const fill = element('span', { class: 'fill' });
  fill.style.width = `${largest > 0 ? (100 * value) / largest : 0}%`;
  return element(
    'li',
    {},
    element('span', { class: 'name', title: label }, label),
    element('span', { class: 'amount' }, text, element('span', { class: 'wide' }, detail && `, ${detail}`)),
    element('span', { class: 'track', 'aria-hidden': 'true' }, fill),
  );
}

function barList(unsorted: readonly Bar[], title: string): HTMLElement {
  const bars = unsorted.toSorted((one, other) => other.value - one.value);
  const rows = bars.map((bar) => barRow(bar, bars[0]?.value ?? 0));
  return scrollArea(title, element('ul', { class: 'bars', 'aria-label': title }, ...rows));
}

const valueText = ({ label, text, detail, before }: Bar) =>
  `${label}: ${text}${detail === '' ? '' : `, ${detail}`}${before === undefined ? '' : `; before: ${before.text}`}`;

/** Most labels below the bars that a narrow page has room for. */
const mostLabels = 5;

/** Bars over time, each with its exact value for the pointer and for a screen reader. */
function columnChart(bars: readonly Bar[], title: string): HTMLElement {
  const top = topFor(Math.max(0, ...bars.flatMap(({ value, before }) => [value, before?.value ?? 0])));
  const every = Math.ceil(bars.length / mostLabels);
  const share = (value: number) => `${(100 * value) / top}%`;

  function columnOf(bar: Bar, index: number): HTMLElement {
    const { short, value, isPartial } = bar;
    const fill = element('span', { class: isPartial ? 'bar partial' : 'bar' });
    fill.style.height = share(value);
    const said = element('span', { class: 'status' }, valueText(bar));
    const below = index % every === 0 ? element('span', { class: 'label', 'aria-hidden': 'true' }, short) : undefined;
    return element('li', { title: valueText(bar) }, said, fill, below);
  }

  // "12,000", "0.5".
  const tickText = (tick: number) => Number(tick.toPrecision(6)).toLocaleString('en-US');
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
  const attributes = {
    viewBox: `0 0 ${bars.length} 1`,
    preserveAspectRatio: 'none',
    'aria-hidden': 'true',
    class: 'before',
  };
  return svg('svg', attributes, svg('polyline', { points: points.join(' ') }));
}

/** The top of an axis from 0 to at least `largest`: 1, 2, 4 or 6 times a power of ten. */
function topFor(largest: number): number {
  if (largest <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(largest));
  return power * ([1, 2, 4, 6].find((one) => one * power >= largest) ?? 10);
}

void openPage('sales', createView);
