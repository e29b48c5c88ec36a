import { getAccount } from '../contract/account.ts';
import { counted } from '../mcp/output/text-format.ts';
import type { ToolContext } from '../mcp/tool.ts';
import type { Store } from '../mcp/workflow-stores.ts';

/** If the limit is nearly used up, a call waits for this many requests: one page for each call would never end. */
const least = 10;

/** The limit counts the requests of the last minute. Seconds. */
const fullAfter = 60;

/** "max_requests is used up: call again, or raise it". `next`: how to read the rest. */
export function moreRequests(maxRequests: number | undefined, next: string): string {
  return maxRequests === undefined
    ? `the rate limit is used up: wait ${fullAfter} s, then ${next}`
    : `max_requests is used up: ${next}, or raise it`;
}

const planReading: Store<{ isTried: boolean }> = () => ({ isTried: false });

type Context = Pick<ToolContext, 'api' | 'budget' | 'spent' | 'stores'>;

/** Reads the plan if the limit depends on it and it is unknown. Without an answer the limit stays that of the standard plan. */
async function readPlan({ api, budget, stores }: Context): Promise<void> {
  const reading = stores.of(planReading);
  if (reading.isTried || !budget().isAssumed) return;
  await api.call(getAccount, {}).catch(() => undefined);
  reading.isTried = true;
}

/** The most requests of this call: `max_requests` or, by default, all that the limit allows now; infinite without a limit. */
export async function requestsAllowed(maxRequests: number | undefined, context: Context): Promise<number> {
  if (maxRequests !== undefined) return maxRequests;
  await readPlan(context);
  const { remaining } = context.budget();
  return remaining === undefined ? Number.POSITIVE_INFINITY : context.spent() + Math.max(least, remaining);
}

/**
 * Whole minutes that the requests take if nothing else uses the budget; 0 if all can be sent at once. `remaining` can be sent at
 * once, `limit` in each further minute. Undefined: no limit.
 */
export function minutesFor(
  requests: number,
  { limit, remaining = 0 }: Readonly<Record<'limit' | 'remaining', number | undefined>>,
): number {
  const waiting = requests - remaining;
  return limit === undefined || waiting <= 0 ? 0 : Math.ceil(waiting / limit);
}

/** Requests a minute while no 429 has reduced them. Undefined: no limit. */
export interface FullBudget {
  readonly full: number | undefined;
}

export function minutesText(minutes: number): string {
  if (minutes === 0) return 'less than a minute';
  return minutes === 1 ? 'about a minute' : `about ${minutes} minutes`;
}

/**
 * "12 requests, about a minute": the cost of a plan, at a full, unspent budget. The facts that a person saw must equal the facts
 * of the call that carries their consent, and reading those facts spends requests.
 */
export function planCost(requests: number, { full }: FullBudget): string {
  return `${counted(requests, 'request')}, ${minutesText(minutesFor(requests, { limit: full, remaining: full }))}`;
}
