import type * as z from 'zod';
import type { Tolerant } from '../contract/answer.ts';
import { studentEmail } from '../contract/fields.ts';
import { listOrders, type order } from '../contract/orders.ts';
import { getStudentDetails } from '../contract/students.ts';
import type { Api } from './client.ts';
import { pages } from './paginate.ts';

export type KnownOrder = Tolerant<z.infer<typeof order>>;
export type KnownStudent = Tolerant<z.infer<(typeof getStudentDetails)['response']['schema']>>;

export interface StudentOrders {
  readonly student: KnownStudent;
  readonly orders: readonly KnownOrder[];
  /** Whether the orders that give access are all there, so that what none of them lists is not held. */
  readonly isWhole: boolean;
}

/** The API finds orders by the very letters of the email, and a buyer may have typed it in other capitals. */
const mostSpellings = 4;

/** Nobody is known by anything else, and a long text would not go into a query. */
function isEmail(text: string | undefined): text is string {
  return studentEmail.safeParse(text).success;
}

async function ordersUnder(api: Api, user_email: string, since: Date | undefined): Promise<KnownOrder[]> {
  const found: KnownOrder[] = [];
  const filter = { user_email, status: 'all', page: 1, per_page: 100 } as const;
  const bounds = since === undefined ? {} : { created_after: since.toISOString() };
  for await (const page of pages(api, listOrders, { ...filter, ...bounds })) found.push(...page.items);
  return found;
}

function uniqueById(orders: readonly KnownOrder[]): KnownOrder[] {
  return [...new Map(orders.map((order) => [order.id ?? order, order])).values()];
}

/**
 * A student, and their orders of every status under each spelling of the email that is known: as given, as the student
 * has it, in small letters, as paid orders have it. `since` leaves out older ones. Two requests, and one more for each further spelling;
 * throws `not_found` for an unknown student.
 */
export async function ordersOfStudent(api: Api, email: string, since?: Date): Promise<StudentOrders> {
  const student = await api.call(getStudentDetails, { email });
  const paid = student.paid_orders;
  const typed = (paid ?? []).flatMap(({ user_email }) => (user_email === undefined ? [] : [user_email]));
  const own = isEmail(student.email) ? student.email : email;
  const spellings = new Set([own, ...(since === undefined ? [email, own.toLowerCase(), ...typed] : [])]);
  const asked = [...spellings]
    .filter(isEmail)
    .slice(0, mostSpellings)
    .map((spelling) => ordersUnder(api, spelling, since));
  const orders = uniqueById([...(await Promise.all(asked)).flat(), ...(paid ?? [])]);
  return { student, orders, isWhole: paid !== undefined };
}
