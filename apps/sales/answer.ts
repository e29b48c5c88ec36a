import type { Json } from '../../src/shared/json.ts';
import {
  counted,
  noteIn,
  number,
  periodText,
  record,
  rowsIn,
  type Sums,
  sums,
  sumsIn,
  sumsText,
  text,
} from '../shared/values.ts';

/** The groups that follow each other in time. */
export const calendarGroups = ['day', 'week', 'month'];

export interface Group {
  readonly key: string;
  readonly label: string;
  readonly orders: number;
  readonly buyers: number;
  readonly revenue: Sums;
  /** The period begins or ends within it. */
  readonly isPartial: boolean;
}

export interface Answer {
  readonly heading: string;
  readonly summary: string;
  readonly groupBy: string;
  readonly groups: readonly Group[];
  /** Currencies with revenue, the one with the most groups first. */
  readonly currencies: readonly string[];
  readonly cursor: string | undefined;
  readonly notes: readonly string[];
  /** The groups replace those of the part before. */
  readonly isReplacing: boolean;
}

function groupOf(row: Json, currency: string): Group {
  return {
    key: text(row.key) ?? '',
    label: text(row.label) ?? text(row.title) ?? '',
    orders: number(row.orders) ?? 0,
    buyers: number(row.buyers) ?? 0,
    revenue: sumsIn(row.revenue ?? row.order_total ?? row.amount, currency),
    isPartial: row.partial === true,
  };
}

function currenciesOf(groups: readonly Group[], total: Sums): string[] {
  const count = (currency: string) => groups.filter(({ revenue }) => currency in revenue).length;
  return Object.keys(total).sort((one, other) => count(other) - count(one));
}

function summaryOf({ totals, period, coverage }: Json, total: Sums): string {
  const { orders, buyers } = record(totals);
  const parts = [
    sumsText(total),
    counted(number(orders) ?? 0, 'order'),
    counted(number(buyers) ?? 0, 'buyer'),
    periodText(record(period)),
  ];
  const start = record(coverage).complete === false ? 'Incomplete: ' : '';
  return start + parts.filter((part) => part !== '').join(' · ');
}

/** The sentence with which the server says that earlier groups are no longer valid. */
const replaced = 'this answer replaces the one before';

function notesOf({ note, totals, coverage }: Json): string[] {
  const excluded = number(record(totals).granted_excluded) ?? 0;
  const left = number(record(coverage).pages_left) ?? 0;
  return [
    ...(left > 0 ? [`${counted(left, 'page')} of orders not read yet: load more to read on.`] : []),
    ...(excluded > 0 ? [`${counted(excluded, 'order')} of amount 0 (granted, free or a coupon) not counted.`] : []),
    ...noteIn(note),
  ];
}

/** Reads an answer of sales_report. */
export function readAnswer(data: Json): Answer {
  const { revenue, order_total } = record(data.totals);
  const total = sums(revenue ?? order_total);
  const groups = rowsIn(data, 'groups').map((row) => groupOf(row, text(data.currency) ?? ''));
  const title = text(record(data.product).title);
  return {
    heading: title === undefined ? 'Sales' : `Sales of ${title}`,
    summary: summaryOf(data, total),
    groupBy: text(data.group_by) ?? 'product',
    groups,
    currencies: currenciesOf(groups, total),
    cursor: text(data.next_cursor),
    notes: notesOf(data),
    isReplacing: text(data.note)?.includes(replaced) === true,
  };
}
