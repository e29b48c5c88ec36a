import type { Academy } from '../state/academy.ts';
import { accountCurrency, itemTitles, type OrderItems, orderContents } from '../state/order-items.ts';
import type { NewOrder, OrderRecord } from '../state/orders.ts';
import type { StudentRecord } from '../state/students.ts';
import { orderBody } from '../views/order.ts';
import { studentIdentity } from '../views/student.ts';

type OrderTerms = Pick<
  NewOrder,
  'amount' | 'currency' | 'status' | 'description' | 'courses' | 'digital_products' | 'bundles'
>;

/** The order of access that an admin grants: amount 0, status paid. */
export function grantedOrder({ catalogue }: Academy, items: OrderItems): OrderTerms {
  return {
    amount: '0.00',
    currency: accountCurrency,
    status: 'paid',
    description: `Granted access: ${itemTitles(catalogue, items)}`,
    ...orderContents(catalogue, items),
  };
}

/** Adds an order at the current time and emits new_order. */
export function placeOrder(academy: Academy, student: StudentRecord, terms: OrderTerms): OrderRecord {
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

/** Adds a student at the current time and emits new_student. */
export function registerStudent(academy: Academy, person: { email: string; name: string }): StudentRecord {
  const student = academy.students.join({ ...person, createdAt: academy.now().getTime() });
  academy.emit('new_student', () => studentIdentity(student));
  return student;
}
