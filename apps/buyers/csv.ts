import { type CsvCell, csvRow, csvRowEnd } from '../../src/shared/csv.ts';
import type { Buyer } from './answer.ts';

/** The rows as CSV, with a column for each currency. */
export function csvOf(buyers: readonly Buyer[]): string {
  const currencies = [...new Set(buyers.flatMap(({ total }) => Object.keys(total)))].sort();
  const sums = currencies.map((one) => `order_total_${one}`);
  const head = ['email', 'name', 'orders', ...sums, 'last_order_at', 'via', 'products'];
  const rows = buyers.map(({ email, name, orders, total, lastOrder, via, products }): CsvCell[] => [
    email,
    name,
    orders,
    ...currencies.map((currency) => total[currency]),
    lastOrder,
    via,
    products.join('; '),
  ]);
  return [head, ...rows].map(csvRow).join('').slice(0, -csvRowEnd.length);
}

function copyBySelection(text: string): boolean {
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'offscreen';
  document.body.append(area);
  area.select();
  const isCopied = document.execCommand('copy');
  area.remove();
  return isCopied;
}

/** Copies a text. Some clients refuse the clipboard to views: then the older way may still work. */
export async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}
