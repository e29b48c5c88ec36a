import type { Api } from '../../api/api.ts';
import { refusalOf } from '../../api/partial-failure.ts';
import { ordersOfStudent, type StudentOrders } from '../../api/student-orders.ts';
import { undefinedIfNotFound } from '../../api/undefined-if-not-found.ts';
import type { Look } from '../../insights/enrollment/judge-holdings.ts';
import { soldOrder } from '../../insights/sales/sold-order.ts';
import { coursesShown } from '../../insights/students/courses-in-details.ts';

/** Pages of orders that are worth reading of one person: an API that does not filter by email has those of everybody. */
const maxPages = 8;

export interface Looked extends Look {
  /** Requests that it took. */
  readonly requests: number;
}

const noStudent: Looked = {
  isStudent: false,
  name: undefined,
  unread: undefined,
  orders: [],
  missing: undefined,
  shown: undefined,
  requests: 1,
};

function missingIn({ problem, isCut, discarded }: StudentOrders): string | undefined {
  const ignored = discarded > 0 ? ', since the API does not filter orders by email' : '';
  return problem ?? (isCut ? `only ${maxPages} pages of orders were read${ignored}` : undefined);
}

/** Reads everything that shows what one person holds: their details, and their orders of every status. */
export async function lookAt(api: Api, email: string): Promise<Looked> {
  let pages = -1;
  const counting: Api = {
    call: (operation, input, options) => {
      pages += 1;
      return api.call(operation, input, options);
    },
  };
  const left = () => maxPages - pages;
  const asked = ordersOfStudent(counting, email, { ordersAlone: true, partly: true, left });
  const known = await undefinedIfNotFound(asked).catch((error: unknown) => {
    const why = refusalOf(error, false);
    if (why === undefined) throw error;
    return why;
  });
  if (known === undefined) return noStudent;
  if (typeof known === 'string')
    return { ...noStudent, isStudent: undefined, unread: known, missing: known, requests: 1 + pages };
  const { student, unread, orders, requests } = known;
  return {
    // An order has a student.
    isStudent: unread === undefined || orders.length > 0 ? true : undefined,
    name: student.name,
    unread,
    orders: orders.map(soldOrder),
    missing: missingIn(known),
    shown: coursesShown(student),
    requests,
  };
}
