import type { Api } from '../../api/api.ts';
import { atOnce } from '../../api/concurrency.ts';
import { type GrantTitles, isCertain, standingBy } from '../../insights/enrollment/judge-holdings.ts';
import { type Grant, type Holdings, linesOf, type Person } from '../../insights/enrollment/plan.ts';
import { buyerKey } from '../../insights/sales/sold-order.ts';
import type { ToolContext } from '../../mcp/tool.ts';
import { type RetryTerms, retryWhenLimited } from '../retry-when-limited.ts';
import { lookAt } from './read-holdings.ts';

/** What is to be granted, and its titles where they are known. */
export interface AskedGrant {
  readonly grant: Grant;
  readonly titles: GrantTitles;
}

/** How somebody stands, as it was read. */
export interface SeenHoldings extends Holdings {
  /** Everything that the enrollment depends on was read. */
  readonly isCertain: boolean;
  /** Requests that the look took. */
  readonly requests: number;
}

/** How people of a list stand, by email without regard to case. */
export type StudentLookup = Map<string, SeenHoldings>;

/** Reads how one person stands, by one request and one a page of their orders. After a wait only what was refused is asked again. */
export async function lookUp(
  { email }: Person,
  { grant, titles }: AskedGrant,
  { api }: Pick<ToolContext, 'api'>,
  patience: RetryTerms,
): Promise<SeenHoldings> {
  const patient: Api = {
    call: (operation, input, options) =>
      retryWhenLimited(() => api.call(operation, input, { priority: 'bulk', ...options }), patience),
  };
  const { requests, ...look } = await lookAt(patient, email);
  const holdings = standingBy(look, grant, titles);
  return { ...holdings, isCertain: isCertain(holdings), requests };
}

/** Waits of the account's limit, told as progress and counted. */
export function waitTeller({ progress, signal, waiting }: ToolContext, done: () => number, total: number): RetryTerms {
  const onWait = (seconds: number) => {
    progress(done(), total, `waiting ${seconds} s for the request limit`);
    return waiting();
  };
  return { signal, onWait };
}

/** Reads how each person of a list stands. */
export async function lookUpStudents(
  people: readonly Person[],
  asked: AskedGrant,
  context: ToolContext,
): Promise<StudentLookup> {
  const each = linesOf(people).flatMap(({ person, isDouble }) => (isDouble ? [] : [person]));
  const lookup: StudentLookup = new Map();
  const patience = waitTeller(context, () => lookup.size, each.length);
  const look = async (person: Person) => {
    lookup.set(buyerKey(person.email), await lookUp(person, asked, context, patience));
  };
  for (let from = 0; from < each.length; from += atOnce) {
    await Promise.all(each.slice(from, from + atOnce).map(look));
    context.progress(lookup.size, each.length, `looked up ${lookup.size} of ${each.length} students`);
  }
  return lookup;
}
