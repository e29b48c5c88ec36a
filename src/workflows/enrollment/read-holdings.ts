import type { Api } from '../../api/api.ts';
import { recordFailureOf, undefinedIfNotFound } from '../../api/partial-failure.ts';
import type { StudentOrders } from '../../api/student-orders.ts';
import type { StudentEvidence } from '../../insights/enrollment/judge-holdings.ts';
import { coursesInDetails } from '../../insights/students/courses-in-details.ts';
import type { ToolContext } from '../../mcp/tool.ts';
import { readStudent } from '../sales/read-orders.ts';

/** Limit for one person: an API that does not filter by email returns the orders of everybody. */
const maxPages = 8;

export type EvidenceContext = Pick<ToolContext, 'api' | 'recentGrants'>;

export interface StudentReading extends StudentEvidence {
  /** Requests spent. */
  readonly requests: number;
}

const noStudent: StudentReading = {
  isStudent: false,
  name: undefined,
  unread: undefined,
  orders: [],
  missing: undefined,
  shown: undefined,
  recent: [],
  requests: 1,
};

function missingIn(known: StudentOrders): string | undefined {
  const { isCut, discarded } = known;
  const ignored = discarded > 0 ? ', because the API does not filter orders by email' : '';
  return known.problem ?? (isCut ? `only ${maxPages} pages of orders were read${ignored}` : undefined);
}

/** Reads everything that shows what one person holds: their details and their orders of every status. */
export async function readStudentEvidence(
  email: string,
  { api, recentGrants }: EvidenceContext,
): Promise<StudentReading> {
  const recent = await recentGrants(email);
  let pages = -1;
  const counting: Api = {
    call: (operation, input, options) => {
      pages += 1;
      return api.call(operation, input, options);
    },
  };
  const left = () => maxPages - pages;
  const reading = readStudent(email, { ordersAlone: true, partly: true, left }, { api: counting });
  const known = await undefinedIfNotFound(reading).catch((error: unknown) => {
    const why = recordFailureOf(error, false);
    if (why === undefined) throw error;
    return why;
  });
  if (known === undefined) return { ...noStudent, recent };
  if (typeof known === 'string')
    return { ...noStudent, recent, isStudent: undefined, unread: known, missing: known, requests: 1 + pages };
  const { student, detailsProblem: unread, orders, requests } = known;
  return {
    // A person with an order is a student.
    isStudent: unread === undefined || orders.length > 0 ? true : undefined,
    name: student.name,
    unread,
    orders,
    missing: missingIn(known),
    shown: coursesInDetails(student),
    recent,
    requests,
  };
}
