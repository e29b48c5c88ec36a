import { type Call, failure, notFound, ok, type Reply } from '../call.ts';
import { isWithin, paged } from '../pages.ts';
import type { Academy } from '../rules.ts';
import type { Order } from '../state.ts';
import { orderView } from '../views.ts';

const statuses = ['pending', 'failed', 'paid', 'wallet_executed', 'all'];

function isOfStudent(email: string, wanted: string, academy: Academy): boolean {
  const own = academy.rules.findLast(({ ofStudent }) => ofStudent !== undefined)?.ofStudent;
  return own === undefined ? email === wanted : own(email, wanted, academy);
}

/** Newest first. */
export function ordersFor(call: Call, academy: Academy): Order[] {
  const { status = 'paid', user_email } = call.query;
  return academy.state.orders
    .filter((order) => status === 'all' || order.status === status)
    .filter(({ email }) => user_email === undefined || isOfStudent(email, user_email, academy))
    .filter((order) => isWithin(order.at, call, academy))
    .sort((one, other) => other.at - one.at);
}

export function listOrders(call: Call, academy: Academy): Reply {
  const { status = 'paid', page, per_page = '50' } = call.query;
  if (!statuses.includes(status)) return failure(422, 'invalid_parameter', 'status is not valid');
  const size = Number(per_page);
  if (!(size >= 1 && size <= 100)) return failure(422, 'invalid_parameter', 'per_page is not valid');
  const all = ordersFor(call, academy).map((order) => orderView(order, academy));
  return paged({ list: 'orders', all, size: page === undefined ? Math.max(1, all.length) : size }, call, academy);
}

export function getOrder({ ids: [id] }: Call, academy: Academy): Reply {
  const order = academy.state.orders.find((one) => one.id === id);
  return order === undefined ? notFound() : ok(orderView(order, academy));
}
