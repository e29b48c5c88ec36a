import type { Academy } from '../state/academy.ts';
import { accountCurrency } from '../state/money.ts';
import { type BoughtProducts, contentsOf, titlesOf } from '../state/order-items.ts';
import type { NewOrder, OrderRecord } from '../state/orders.ts';
import type { StudentRecord } from '../state/students.ts';
import { orderBody } from '../views/order.ts';

export type Terms = Pick<
  NewOrder,
  'amount' | 'currency' | 'status' | 'description' | 'courses' | 'digital_products' | 'bundles'
>;

/** Access that an admin gives: amount 0, status paid. */
export function grantOf({ catalogue }: Academy, bought: BoughtProducts): Terms {
  return {
    amount: '0.00',
    currency: accountCurrency,
    status: 'paid',
    description: `Granted access: ${titlesOf(catalogue, bought)}`,
    ...contentsOf(catalogue, bought),
  };
}

/** Adds an order of this moment; new_order goes out. */
export function placeOrder(academy: Academy, student: StudentRecord, terms: Terms): OrderRecord {
  const order = academy.orders.add({
    ...terms,
    student_id: student.id,
    user_email: student.email,
    affiliate_id: null,
    created_at: academy.now().getTime(),
  });
  academy.emit('new_order', () => orderBody(academy, order));
  return order;
}
