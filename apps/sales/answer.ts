import type { Json } from '../../src/shared/json.ts';
import {
  isReplacing,
  notesText,
  number,
  record,
  rowsIn,
  type Sums,
  summaryText,
  sums,
  sumsIn,
  text,
} from '../shared/values.ts';

function groupOf(row: Json, currency: string) {
  return {
    key: text(row.key) ?? '',
    label: text(row.label) ?? text(row.title) ?? '',
    orders: number(row.orders) ?? 0,
    buyers: number(row.buyers) ?? 0,
    revenue: sumsIn(row.revenue ?? row.order_total ?? row.amount, currency),
    isPartial: row.partial === true,
  };
}

export type Group = ReturnType<typeof groupOf>;

/** Currencies with revenue, the one with the most groups first. */
function currenciesOf(groups: readonly Group[], total: Sums): string[] {
  const count = (currency: string) => groups.filter(({ revenue }) => currency in revenue).length;
  return Object.keys(total).sort((one, other) => count(other) - count(one));
}

/** What the lighter bars are: usually only the last one, which still runs. */
function lighterText({ period, group_by }: Json, groups: readonly Group[]): string {
  const partial = groups.filter(({ isPartial }) => isPartial);
  const last = groups
    .map(({ key }) => key)
    .toSorted()
    .at(-1);
  const isRunning = partial.length === 1 && partial[0]?.key === last && record(period).running === true;
  if (!isRunning) return 'Lighter bars: not whole, the period begins or ends within them.';
  const running = group_by === 'day' ? 'today' : `this ${text(group_by)}`;
  return partial[0]?.orders === 0 ? `No order ${running} so far.` : `The lighter bar is ${running} so far.`;
}

function firstDay({ from, timezone }: Json): string | undefined {
  const at = new Date(text(from) ?? '');
  if (Number.isNaN(at.getTime())) return undefined;
  const zone = text(timezone);
  return at.toLocaleDateString('en-CA', zone === undefined ? {} : { timeZone: zone });
}

/**
 * The bounds of as many days, weeks or months before: bare dates in the time zone of the question. Undefined if groups are missing,
 * or if the first week or month is a part: the period before would have one more.
 */
export function periodBefore(shown: Answer): { created_after: string; created_before: string } | undefined {
  const { from, groupBy, rows, count, cursor } = shown;
  if (from === undefined || rows.length < count || cursor !== undefined) return undefined;
  const start = new Date(`${from}T00:00:00Z`);
  if (groupBy === 'week' && start.getUTCDay() !== 1) return undefined;
  if (groupBy === 'month' && start.getUTCDate() !== 1) return undefined;
  if (groupBy === 'month') start.setUTCMonth(start.getUTCMonth() - count);
  else start.setUTCDate(start.getUTCDate() - count * (groupBy === 'week' ? 7 : 1));
  return { created_after: start.toISOString().slice(0, 10), created_before: from };
}

function unsoldText({ unsold }: Json): string[] {
  const names = Object.entries(record(unsold)).map(([key, title]) => text(title) || key);
  return names.length > 0 ? [`Without a sale: ${names.join(', ')}.`] : [];
}

export function readAnswer(data: Json) {
  const { revenue, order_total } = record(data.totals);
  const total = sums(revenue ?? order_total);
  const groups = rowsIn(data, 'groups').map((row) => groupOf(row, text(data.currency) ?? ''));
  const title = text(record(data.product).title);
  const groupBy = text(data.group_by) ?? 'product';
  return {
    heading: title === undefined ? 'Sales' : `Sales of ${title}`,
    summary: summaryText(data, total),
    groupBy,
    isCalendar: ['day', 'week', 'month'].includes(groupBy),
    rows: groups,
    /** The number of groups in all parts of the answer. */
    count: number(data.groups_total) ?? groups.length,
    currencies: currenciesOf(groups, total),
    cursor: text(data.next_cursor),
    /** The first day, in the time zone of the question. */
    from: firstDay(record(data.period)),
    notes: [
      ...notesText(data).map((one) => (one.startsWith('Partial:') ? lighterText(data, groups) : one)),
      ...unsoldText(data),
    ],
    isReplacing: isReplacing(data),
  };
}

export type Answer = ReturnType<typeof readAnswer>;
