import type { OrderStatus } from '../../contract/orders.ts';
import { accountCurrency, decimal, isPositive } from '../state/order-items.ts';
import type { NewOrder } from '../state/orders.ts';
import type { StudentRecord } from '../state/students.ts';
import { createProductPicker, homeOf, type Sale } from './product-picker.ts';
import { createRandom, type Random } from './random.ts';
import type { SeedData } from './seed-context.ts';
import { createMemberPicker } from './seed-context.ts';

/** Invented, fixed exchange rates for one dollar. */
const rates: Readonly<Record<string, { code: string; rate: number }>> = {
  'United Kingdom': { code: 'GBP', rate: 0.8 },
  Brazil: { code: 'BRL', rate: 5.2 },
  Germany: { code: 'EUR', rate: 0.95 },
  France: { code: 'EUR', rate: 0.95 },
};

const dollar = { code: accountCurrency, rate: 1 };

type PriceList = (studentId: number, cents: number) => { currency: string; amount: number };

/** Converts cents of a dollar to the currency of a student, in hundredths. Most pay in dollars, wherever they live. */
function createPriceList(key: string): PriceList {
  const known = new Map<number, { code: string; rate: number }>();
  return (studentId, cents) => {
    const currency = known.get(studentId) ?? currencyOf(key, studentId);
    known.set(studentId, currency);
    if (currency === dollar) return { currency: currency.code, amount: cents };
    return { currency: currency.code, amount: Math.max(90, Math.round((cents * currency.rate) / 100) * 100 - 10) };
  };
}

function currencyOf(key: string, studentId: number) {
  const { country, random } = homeOf(key, studentId);
  const local = rates[country.name];
  return local !== undefined && random.chance(0.4) ? local : dollar;
}

/** Adds orders, oldest first. Each buyer has joined before. Without students there are no orders. */
export function seedOrders(data: SeedData, count: number): void {
  const random = createRandom(data.key, 'orders');
  const products = createProductPicker(data.catalogue, random);
  const priceList = createPriceList(data.key);
  const buyers = createMemberPicker(data.students.all(), random);
  for (let index = 0; index < count; index += 1) {
    const createdAt = data.calendar((index + random.next()) / count);
    const buyer = buyers.at(createdAt);
    if (buyer === undefined) return;
    const sale = products.pick(buyer.id);
    data.orders.add(orderOf({ buyer, sale, createdAt }, random, priceList));
  }
}

interface Checkout {
  readonly buyer: StudentRecord;
  readonly sale: Sale;
  readonly createdAt: number;
}

/** Assigned field by field, not spread: with 200,000 orders that saves a second. */
function orderOf({ buyer, sale, createdAt }: Checkout, random: Random, priceList: PriceList): NewOrder {
  const terms = random.chance(0.06) ? grant(sale, random) : purchase(sale, buyer, random, priceList);
  return {
    student_id: buyer.id,
    user_email: emailTyped(buyer, random),
    amount: terms.amount,
    currency: terms.currency,
    description: terms.description,
    status: terms.status,
    affiliate_id: isPositive(terms.amount) && random.chance(0.06) ? random.integer(1, 40) : null,
    created_at: createdAt,
    courses: sale.contents.courses,
    digital_products: sale.contents.digital_products,
    bundles: sale.contents.bundles,
  };
}

type Terms = Pick<NewOrder, 'amount' | 'currency' | 'status' | 'description'>;

function grant(sale: Sale, random: Random): Terms {
  const amount = random.chance(0.5) ? '0.00' : '0';
  return { amount, currency: accountCurrency, status: 'paid', description: `Granted access: ${sale.title}` };
}

function purchase(sale: Sale, buyer: StudentRecord, random: Random, priceList: PriceList): Terms {
  const isDiscounted = random.chance(0.1);
  const { currency, amount } = priceList(buyer.id, isDiscounted ? Math.round(sale.cents * 0.8) : sale.cents);
  return {
    amount: decimal(amount),
    currency,
    status: statusOf(random.next()),
    description: isDiscounted ? `${sale.title} (20% off)` : sale.title,
  };
}

/** The usual share of each status in a shop of this size. */
function statusOf(share: number): OrderStatus {
  if (share < 0.905) return 'paid';
  if (share < 0.945) return 'wallet_executed';
  return share < 0.965 ? 'pending' : 'failed';
}

/** Some people type their email with other capitals at the checkout than at sign-up. */
function emailTyped({ email }: StudentRecord, random: Random): string {
  if (!random.chance(0.04)) return email;
  const lower = email.toLowerCase();
  return lower === email ? `${email.charAt(0).toUpperCase()}${email.slice(1)}` : lower;
}
