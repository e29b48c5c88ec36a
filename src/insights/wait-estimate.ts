/** `remaining` requests can be sent at once, `limit` in each further minute. Undefined: no limit. */
interface RequestBudget {
  readonly limit: number | undefined;
  readonly remaining: number | undefined;
}

/** Whole minutes that the requests take at the current budget if nothing else uses it; 0 if all can be sent at once. */
export function minutesFor(requests: number, { limit, remaining = 0 }: RequestBudget): number {
  const waiting = requests - remaining;
  return limit === undefined || waiting <= 0 ? 0 : Math.ceil(waiting / limit);
}

/** Requests a minute while no 429 has reduced them. Undefined: no limit. */
export interface FullBudget {
  readonly full: number | undefined;
}

/**
 * The same for a full, unspent budget. Used in confirmations: the facts that a person saw must equal the facts of the call
 * that carries their consent, and reading those facts spends requests.
 */
export function minutesAtFullBudget(requests: number, { full }: FullBudget): number {
  return minutesFor(requests, { limit: full, remaining: full });
}

export function minutesText(minutes: number): string {
  if (minutes === 0) return 'less than a minute';
  return minutes === 1 ? 'about a minute' : `about ${minutes} minutes`;
}
