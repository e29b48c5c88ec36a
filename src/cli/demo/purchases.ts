import { type Money, totals } from './money.ts';
import type { OrderRow } from './orders.ts';
import { isoDay } from './week.ts';

export interface Course {
  id: number;
  title: string;
}

/** The orders of a course, parted: what was paid for, and access that an admin gave. */
export function ordersOfCourse(orders: readonly OrderRow[], { id }: Course) {
  const ofCourse = orders.filter(({ bought }) => `course ${id}` in bought);
  return {
    purchases: ofCourse.filter(({ granted }) => !granted),
    granted: ofCourse.filter(({ granted }) => granted).length,
  };
}

/**
 * The course with the most purchases, among those that were also given away if there are any: they are the ones whose
 * buyers are easily miscounted. Throws when nothing was sold.
 */
export function chooseCourse<Item extends Course>(courses: readonly Item[], orders: readonly OrderRow[]): Item {
  const sales = courses.map((course) => ({ course, ...ordersOfCourse(orders, course) }));
  const sold = sales.filter(({ purchases }) => purchases.length > 0);
  const given = sold.filter(({ granted }) => granted > 0);
  const candidates = given.length > 0 ? given : sold;
  const [best] = candidates.sort((one, other) => other.purchases.length - one.purchases.length);
  if (best === undefined) throw new Error('no published course was sold in the last week');
  return best.course;
}

/** Emails of the buyers, each once: at the checkout people type their own in any case. */
export function buyersOf(purchases: readonly OrderRow[]): string[] {
  return [...new Set(purchases.map(({ email }) => email.toLowerCase()))];
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

function inCurrency({ amount, currency }: Money): string {
  return `${amount} ${currency}`;
}

/** An order that holds more than the course, such as a bundle. */
function isMixed({ bought }: OrderRow): boolean {
  return Object.keys(bought).length > 1;
}

/** A line for each purchase: day, amount, email, name; a star where the order holds other products too. */
export function purchaseTable(purchases: readonly OrderRow[]): string[] {
  const longest = (texts: string[]) => Math.max(0, ...texts.map((text) => text.length));
  const amounts = longest(purchases.map(inCurrency));
  const emails = longest(purchases.map(({ email }) => email));
  // Names stand last: Chinese and Japanese ones are wider than their number of characters.
  return purchases.map((order) => {
    const amount = `${inCurrency(order).padStart(amounts)}${isMixed(order) ? ' *' : '  '}`;
    return [isoDay(new Date(order.created_at)), amount, order.email.padEnd(emails), order.name].join('  ');
  });
}

/** What the table comes to. Amounts of different currencies are never added up. */
export function purchaseSummary(purchases: readonly OrderRow[], granted: number): string[] {
  const star = '* in one order with other products, such as a bundle; the amount is that of the whole order';
  return [
    ...(purchases.some(isMixed) ? [star] : []),
    `${plural(purchases.length, 'purchase')} by ${plural(buyersOf(purchases).length, 'buyer')} (by email, capitals or not)`,
    `Total: ${totals(purchases).map(inCurrency).join(', ')}`,
    `Left out: ${plural(granted, 'granted access', 'granted accesses')} (amount 0, given by an admin, not bought)`,
  ];
}
