import {
  type ListedProduct,
  type ProductKind,
  productRef,
  type SoldOrder,
} from '../../src/insights/sales/sold-order.ts';

export function product(kind: ProductKind, id: number, title: string = `${kind} title ${id}`): ListedProduct {
  return { ref: productRef(kind, id), kind, id, title };
}

const day = 86_400_000;
/** The time at which these orders are read. */
export const now = new Date('2026-05-20T12:00:00Z');

/** An order that was paid with ten dollars, `age` days before `now`. */
export function sold(id: string, age: number, more: Partial<SoldOrder> = {}): SoldOrder {
  const at = now.getTime() - age * day;
  const created_at = new Date(at).toISOString();
  return {
    id,
    at,
    created_at,
    updated_at: created_at,
    buyer: 'ana@example.com',
    email: 'ana@example.com',
    name: 'Ana',
    amount: '10.00',
    currency: 'USD',
    status: 'paid',
    country: undefined,
    products: [],
    unread: [],
    listed: ['course', 'bundle', 'digital_product'],
    unreadable: [],
    ...more,
  };
}
