import type { Json } from '../../src/shared/json.ts';
import { isReplacing, notesText, summaryText } from '../shared/totals.ts';
import { number, record, rowsIn, type Sums, sums, sumsIn, sumsText, text, texts } from '../shared/values.ts';

export interface Buyer {
  readonly email: string;
  readonly name: string;
  readonly orders: number;
  readonly granted: number;
  readonly total: Sums;
  readonly alone: Sums | undefined;
  readonly lastOrder: string;
  readonly via: string;
  readonly products: readonly string[];
}

export interface Answer {
  readonly heading: string;
  readonly summary: string;
  readonly buyers: readonly Buyer[];
  /** Of most sums. */
  readonly currency: string;
  /** The number of buyers in all parts of the answer. */
  readonly count: number;
  readonly cursor: string | undefined;
  readonly notes: readonly string[];
  /** The rows replace those of the part before. */
  readonly isReplacing: boolean;
}

function buyerOf(row: Json, titles: Json, currency: string): Buyer {
  return {
    email: text(row.email) ?? '',
    name: text(row.name) ?? '',
    // One order is the usual number, which rows leave out.
    orders: number(row.orders) ?? 1,
    granted: number(row.granted) ?? 0,
    total: sumsIn(row.amount, currency),
    alone: row.alone_total === undefined ? undefined : sumsIn(row.alone_total, currency),
    lastOrder: text(row.last_order_at) ?? text(row.date) ?? '',
    via: text(row.via) ?? '',
    products: texts(row.products).map((ref) => text(titles[ref]) || ref),
  };
}

function headingOf({ product, products, match }: Json): string {
  const title = text(record(product).title) ?? text(record(product).id);
  if (title !== undefined) return `Buyers of ${title}`;
  const titles = Object.values(record(products)).map(String);
  return titles.length > 0 ? `Buyers of ${match === 'all' ? 'all' : 'any'} of ${titles.join(', ')}` : 'Buyers';
}

function notesOf(data: Json): string[] {
  const alone = sumsText(sums(record(data.totals).alone_total));
  return [
    ...notesText(data),
    ...(alone === '' ? [] : [`"This alone": orders of this product alone, ${alone} in all.`]),
  ];
}

/** Reads an answer of find_buyers. */
export function readAnswer(data: Json): Answer {
  const { totals } = data;
  const titles = { ...record(data.products), ...record(data.titles) };
  const buyers = rowsIn(data, 'buyers').map((row) => buyerOf(row, titles, text(data.currency) ?? ''));
  const { holders, buyers: paying } = record(totals);
  return {
    heading: headingOf(data),
    summary: summaryText(data, sums(record(totals).order_total)),
    buyers,
    count: Math.max(number(holders) ?? number(paying) ?? 0, buyers.length),
    currency: text(data.currency) ?? '',
    cursor: text(data.next_cursor),
    notes: notesOf(data),
    isReplacing: isReplacing(data),
  };
}
