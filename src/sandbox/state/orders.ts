import { type OrderStatus, orderStatuses } from '../../contract/orders.ts';
import type { Catalogue } from './catalogue.ts';
import { type Page, type Period, Timeline, type Window } from './collections.ts';

/** An order without names, titles and billing address: responses look them up. */
export interface OrderRecord {
  readonly id: string;
  readonly student_id: number;
  /** As typed at the checkout. May differ in case from the student's email. */
  readonly user_email: string;
  readonly amount: string;
  readonly currency: string;
  readonly description: string;
  readonly status: OrderStatus;
  readonly affiliate_id: number | null;
  readonly created_at: number;
  updated_at: number;
  courses: readonly number[];
  digital_products: readonly number[];
  bundles: readonly number[];
}

export type NewOrder = Omit<OrderRecord, 'id' | 'updated_at'>;

export interface OrderFilter extends Period {
  readonly status: OrderStatus | 'all';
  /** Exact match, case-sensitive. */
  readonly userEmail?: string | undefined;
}

/** All orders, with an index for each filter. */
export class OrderBook {
  readonly #newId: (number: number) => string;
  readonly #byId = new Map<string, OrderRecord>();
  readonly #all = new Timeline<OrderRecord>();
  readonly #byStatus = new Map(orderStatuses.map((status) => [status, new Timeline<OrderRecord>()]));
  readonly #byEmail = new Map<string, Timeline<OrderRecord>>();
  readonly #byStudent = new Map<number, OrderRecord[]>();

  /** @param newId returns the public id of the n-th order. A replay needs identical ids. */
  constructor(newId: (number: number) => string) {
    this.#newId = newId;
  }

  get size(): number {
    return this.#byId.size;
  }

  add(order: NewOrder): OrderRecord {
    // Assigned, not spread: an object of fixed shape takes half the memory, and there may be 200,000.
    const record: OrderRecord = {
      id: this.#newId(this.#byId.size),
      student_id: order.student_id,
      user_email: order.user_email,
      amount: order.amount,
      currency: order.currency,
      description: order.description,
      status: order.status,
      affiliate_id: order.affiliate_id,
      created_at: order.created_at,
      updated_at: order.created_at,
      courses: order.courses,
      digital_products: order.digital_products,
      bundles: order.bundles,
    };
    this.#index(record);
    return record;
  }

  get(id: string): OrderRecord | undefined {
    return this.#byId.get(id);
  }

  /** Oldest first. */
  all(): readonly OrderRecord[] {
    return this.#all.all();
  }

  /** Oldest first. */
  ofStudent(studentId: number): readonly OrderRecord[] {
    return this.#byStudent.get(studentId) ?? [];
  }

  /** Newest first. */
  find(filter: OrderFilter, window?: Window): Page<OrderRecord> {
    return this.#timeline(filter).page(filter, window);
  }

  #timeline({ status, userEmail }: OrderFilter): Timeline<OrderRecord> {
    if (userEmail === undefined) return (status === 'all' ? this.#all : this.#byStatus.get(status)) ?? new Timeline();
    const ofBuyer = this.#byEmail.get(userEmail) ?? new Timeline<OrderRecord>();
    return status === 'all' ? ofBuyer : ofBuyer.where((order) => order.status === status);
  }

  #index(order: OrderRecord): void {
    this.#byId.set(order.id, order);
    this.#all.add(order);
    this.#byStatus.get(order.status)?.add(order);
    entry(this.#byEmail, order.user_email, () => new Timeline<OrderRecord>()).add(order);
    entry(this.#byStudent, order.student_id, (): OrderRecord[] => []).push(order);
  }
}

function entry<Key, Value>(map: Map<Key, Value>, key: Key, create: () => Value): Value {
  const present = map.get(key);
  if (present !== undefined) return present;
  const created = create();
  map.set(key, created);
  return created;
}

/** The currency of prices and of granted orders. */
export const accountCurrency = 'USD';

/** Adds missing decimals: "49" is "49.00", "49.9" is "49.90". Takes any price that the contract accepts. */
export function normalPrice(price: string): string {
  const [whole = '0', fraction = ''] = price.split('.');
  return `${whole.replace(/^0+(?=\d)/, '')}.${fraction.padEnd(2, '0')}`;
}

/** Whole cents as a decimal string: 4900 is "49.00". */
export function decimal(cents: number): string {
  return `${Math.trunc(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;
}

/** True for a decimal string above zero: a paid amount. */
export function isPositive(amount: string): boolean {
  return /[1-9]/.test(amount);
}

/** Ids of products in an order. */
export interface OrderItems {
  readonly courses?: readonly number[];
  readonly digitalProducts?: readonly number[];
  readonly bundles?: readonly number[];
}

/** All products of an order. With a bundle, it also lists the bundle's courses and digital products. */
export function orderContents(
  catalogue: Pick<Catalogue, 'bundles'>,
  { bundles = [], courses = [], digitalProducts = [] }: OrderItems,
) {
  const found = bundles.flatMap((id) => catalogue.bundles.get(id) ?? []);
  return {
    courses: unique([...courses, ...found.flatMap(({ course_ids }) => course_ids)]),
    digital_products: unique([...digitalProducts, ...found.flatMap(({ digital_product_ids }) => digital_product_ids)]),
    bundles: unique(bundles),
  };
}

/** The chosen products themselves. For a bundle, it is the bundle without its contents. */
export function chosenProducts(
  catalogue: Catalogue,
  { bundles = [], courses = [], digitalProducts = [] }: OrderItems,
): { readonly title: string; readonly price: string }[] {
  return [
    ...bundles.flatMap((id) => catalogue.bundles.get(id) ?? []),
    ...courses.flatMap((id) => catalogue.courses.get(id) ?? []),
    ...digitalProducts.flatMap((id) => catalogue.digitalProducts.get(id) ?? []),
  ];
}

export function itemTitles(catalogue: Catalogue, chosen: OrderItems): string {
  return chosenProducts(catalogue, chosen)
    .map(({ title }) => title)
    .join(', ');
}

function unique(ids: readonly number[]): readonly number[] {
  return [...new Set(ids)];
}
