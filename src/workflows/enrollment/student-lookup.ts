import type { Api } from '../../api/api.ts';
import { maxConcurrentRequests } from '../../api/concurrency.ts';
import { recordFailureOf, undefinedIfNotFound } from '../../api/partial-failure.ts';
import type { StudentOrders } from '../../api/student-orders.ts';
import {
  type Grant,
  type GrantTitles,
  type Holdings,
  isCertain,
  judgeHoldings,
  linesOf,
  type Person,
  type StudentEvidence,
} from '../../insights/enrollment/plan.ts';
import { buyerKey } from '../../insights/sales/sold-order.ts';
import { coursesInDetails } from '../../insights/students/courses-in-details.ts';
import { called } from '../../mcp/titles.ts';
import type { Titles, ToolContext } from '../../mcp/tool.ts';
import { type RetryTerms, retryWhenLimited } from '../batch.ts';
import { readStudent } from '../sales/read-orders.ts';

/** Limit for one person: an API that does not filter by email returns the orders of everybody. */
const maxPages = 8;

type EvidenceContext = Pick<ToolContext, 'api' | 'recentGrants'>;

interface StudentReading extends StudentEvidence {
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

/** The products to grant, with their titles if known. */
export interface GrantRequest {
  readonly grant: Grant;
  readonly titles: GrantTitles;
}

/** `course 7 "Ink" and bundle 2 "All"`; without titles the ids alone. Empty for an empty grant. */
export function grantText({ course_id, bundle_id }: Grant, titles: Titles = {}): string {
  const parts = [
    ...(course_id === undefined ? [] : [called('course', course_id, titles.course_id)]),
    ...(bundle_id === undefined ? [] : [called('bundle', bundle_id, titles.bundle_id)]),
  ];
  return parts.join(' and ');
}

interface HoldingsReading extends Holdings {
  /** Everything that the enrollment depends on is known. */
  readonly isCertain: boolean;
  readonly requests: number;
}

/** What each person of a list holds, by email in lower case. */
export type StudentLookup = Map<string, HoldingsReading>;

/** Reads what one person holds: one request, and one per page of orders. After a wait it repeats only the refused request. */
export async function readHoldings(
  { email }: Person,
  { grant, titles }: GrantRequest,
  { api, recentGrants }: EvidenceContext,
  retryTerms: RetryTerms,
): Promise<HoldingsReading> {
  const retrying: Api = {
    call: (operation, input, options) =>
      retryWhenLimited(() => api.call(operation, input, { priority: 'bulk', ...options }), retryTerms),
  };
  const { requests, ...evidence } = await readStudentEvidence(email, { api: retrying, recentGrants });
  const holdings = judgeHoldings(evidence, grant, titles);
  return { ...holdings, isCertain: isCertain(holdings), requests };
}

/** Reports each wait for the rate limit as progress, and counts it. */
export function reportWaits({ progress, signal, waiting }: ToolContext, done: () => number, total: number): RetryTerms {
  const onWait = (seconds: number) => {
    progress(done(), total, `waiting ${seconds} s for the request limit`);
    return waiting();
  };
  return { signal, onWait };
}

/** A context whose requests wait for the rate limit: a person asked for a long job. */
export function patient(context: ToolContext, total = 1): ToolContext {
  const terms = reportWaits(context, () => 0, total);
  const api: Api = {
    call: (operation, input, options) => retryWhenLimited(() => context.api.call(operation, input, options), terms),
  };
  return { ...context, api };
}

/** Reads what each person of a list holds; `known`: what is known of them already. */
export async function lookUpStudents(
  people: readonly Person[],
  request: GrantRequest,
  context: ToolContext,
  known: (person: Person) => Promise<StudentEvidence | undefined> = async () => undefined,
): Promise<StudentLookup> {
  const distinct = linesOf(people).flatMap(({ person, isDuplicate }) => (isDuplicate ? [] : [person]));
  const lookup: StudentLookup = new Map();
  const retryTerms = reportWaits(context, () => lookup.size, distinct.length);
  const read = async (person: Person) => {
    const evidence = await known(person);
    const holdings = evidence && judgeHoldings(evidence, request.grant, request.titles);
    const isKnown = holdings !== undefined && isCertain(holdings);
    const reading = isKnown ? { ...holdings, isCertain: true, requests: 0 } : undefined;
    lookup.set(buyerKey(person.email), reading ?? (await readHoldings(person, request, context, retryTerms)));
  };
  for (let from = 0; from < distinct.length; from += maxConcurrentRequests) {
    await Promise.all(distinct.slice(from, from + maxConcurrentRequests).map(read));
    context.progress(lookup.size, distinct.length, `looked up ${lookup.size} of ${distinct.length} students`);
  }
  return lookup;
}
