import { revenueText } from '../../insights/money.ts';
import type { Buyer, Holding } from './tool-results.ts';

function day(timestamp: string): string {
  return timestamp.slice(0, 10);
}

/** The note after a name: the number of orders, and the bundle that contained the product. */
function remark({ orders, via }: Buyer): string {
  const parts = [...(orders > 1 ? [`${orders} orders`] : []), ...(via === undefined ? [] : [`via ${via}`])];
  return parts.length === 0 ? '' : ` (${parts.join('; ')})`;
}

/** One line for each buyer: day of the last purchase, amount paid, email, name. */
export function buyerTable(buyers: readonly Buyer[]): string[] {
  const longest = (texts: string[]) => Math.max(0, ...texts.map((text) => text.length));
  const sums = longest(buyers.map(({ amount }) => revenueText(amount)));
  const emails = longest(buyers.map(({ email }) => email));
  // Names are last, since Chinese and Japanese characters are wider than others.
  return buyers.map((buyer) => {
    const { email, name, amount, date } = buyer;
    const cells = [date, revenueText(amount).padStart(sums), email.padEnd(emails)];
    return `${cells.join('  ')}  ${name}${remark(buyer)}`;
  });
}

/** One line for each product that a student holds. */
export function holdingTable(holdings: readonly Holding[]): string[] {
  return holdings.map(({ product, title, how, via, since, course_completion_percent: percent }) => {
    const bundle = via === undefined ? '' : ` via ${via}`;
    const progress = percent === undefined ? '' : `, ${percent}% completed`;
    return `${product} “${title}”: ${how}${bundle}${since === '' ? '' : ` on ${day(since)}`}${progress}`;
  });
}
