import * as z from 'zod';
import { placeOrder, registerStudent } from '../actions/place-order.ts';
import { emailOf, pickName } from '../seed/pick-text.ts';
import { createProductPicker, homeOf } from '../seed/product-picker.ts';
import type { Random } from '../seed/random.ts';
import type { Academy } from '../state/academy.ts';
import { accountCurrency, decimal } from '../state/order-items.ts';
import { randomStudents } from './active-students.ts';

const ids = z.array(z.int());
const input = z.strictObject({
  email: z.string(),
  name: z.string(),
  amount: z.string(),
  currency: z.string(),
  status: z.enum(['paid', 'wallet_executed']),
  description: z.string(),
  courses: ids,
  digital_products: ids,
  bundles: ids,
});

/** Draws a purchase, often by a new student. */
export function drawOrder(academy: Academy, random: Random) {
  const isNew = random.chance(0.4);
  const buyer = isNew ? undefined : randomStudents(academy, random)[0];
  const sale = createProductPicker(academy.catalogue, random).pick(buyer?.id ?? 0);
  return {
    ...(buyer === undefined ? newcomer(academy, random) : { email: buyer.email, name: buyer.name }),
    amount: decimal(sale.cents),
    currency: accountCurrency,
    status: random.chance(0.95) ? 'paid' : 'wallet_executed',
    description: sale.title,
    ...sale.contents,
  };
}

export function payOrder(given: unknown, academy: Academy): void {
  const { email, name, ...terms } = input.parse(given);
  const student = academy.students.withEmail(email) ?? registerStudent(academy, { email, name });
  Object.assign(student, { enrolled: true, paying_student: true, sign_in_count: student.sign_in_count + 1 });
  placeOrder(academy, student, terms);
}

/** The name fits the country that the billing address will have. */
function newcomer({ key, students }: Academy, random: Random) {
  const person = pickName(homeOf(key, students.nextId()).country, random);
  const isTaken = (email: string) => students.withEmail(email) !== undefined;
  return { email: emailOf(person, students.nextId(), random, isTaken), name: person.display };
}
