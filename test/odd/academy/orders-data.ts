import { createRandom, type Random } from './random.ts';
import { must, type Order, type Product, type Status, type Student } from './state.ts';

const hour = 3_600_000;
const count = 420;
/** Students below this number have only the orders that are listed here. */
export const firstBuyer = 10;
export const lastBuyer = 94;

type Bought = Pick<Order, 'courses' | 'bundles' | 'digitals'>;
type Draft = Partial<Order> & { student: number };

const nothing: Bought = { courses: [], bundles: [], digitals: [] };

/** An order of a bundle also lists the contents of the bundle. */
function bundle(products: readonly Product[], id: number): Bought {
  const { courses, digitals } = must(
    products.find((one) => one.kind === 'bundle' && one.id === id),
    `bundle ${id}`,
  );
  return { courses: [...courses], bundles: [id], digitals: [...digitals] };
}

/** Each of them shows one way to have access to a product, or not to have it. */
export const persons = {
  buyer: 1,
  bundleBuyer: 2,
  granted: 3,
  walletBuyer: 4,
  pending: 5,
  capitals: 6,
  failed: 7,
  bundleGranted: 8,
  stranger: 100,
} as const;

function written(products: readonly Product[]): Draft[] {
  return [
    { student: persons.buyer, ...nothing, courses: [11], amount: '49.90' },
    { student: persons.bundleBuyer, ...bundle(products, 31), amount: '99.00' },
    { student: persons.granted, ...nothing, courses: [11], amount: '0.00' },
    { student: persons.walletBuyer, ...nothing, courses: [11], amount: '49.90', status: 'wallet_executed' },
    { student: persons.pending, ...nothing, courses: [11], amount: '49.90', status: 'pending' },
    { student: persons.capitals, ...nothing, courses: [11], amount: '49.90', email: 'mira.capital@example.com' },
    { student: persons.failed, ...nothing, courses: [11], amount: '49.90', status: 'failed' },
    { student: persons.bundleGranted, ...bundle(products, 32), amount: '0.00' },
  ];
}

function drawn(products: readonly Product[], random: Random): Draft {
  const student = random.whole(firstBuyer, lastBuyer);
  const status: Status = random.pick(['paid', 'paid', 'paid', 'paid', 'paid', 'wallet_executed', 'pending', 'failed']);
  const isGranted = status === 'paid' && random.below(0.14);
  const product = random.pick(products.filter(({ id }) => id !== 17));
  const { kind, id, attributes } = product;
  const second = random.below(0.15) && kind === 'course' && id !== 14 ? [14] : [];
  const alone = { course: 'courses', bundle: 'bundles', digital_product: 'digitals' } as const;
  const bought = kind === 'bundle' ? bundle(products, id) : { ...nothing, [alone[kind]]: [id, ...second] };
  return { student, status, ...bought, amount: isGranted ? '0.00' : String(attributes.price) };
}

/** The newest 60 are from the last eight days; no two times are equal, and none is at midnight. */
function ageOf(index: number): number {
  const near = Math.min(index, 60) * 3.17 * hour + 0.4 * hour;
  return near + Math.max(0, index - 60) * 46.7 * hour;
}

export function makeOrders(products: readonly Product[], students: readonly Student[], now: number): Order[] {
  const random = createRandom(7);
  const fixed = written(products);
  return Array.from({ length: count }, (_, index): Order => {
    const draft = fixed[(index - 3) / 6] ?? drawn(products, random);
    const { email } = must(
      students.find(({ id }) => id === draft.student),
      `student ${draft.student}`,
    );
    return {
      id: `ord_${(index * 7919 + 100_003).toString(36)}`,
      number: 5_000 - index,
      at: Math.floor((now - ageOf(index)) / 1000) * 1000,
      amount: '0.00',
      currency: random.pick(['USD', 'USD', 'EUR', 'GBP']),
      status: 'paid',
      email,
      country: random.pick(['US', 'DE', 'PT']),
      ...nothing,
      ...draft,
    };
  });
}
