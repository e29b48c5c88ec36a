/** Requests that could leave at once, and in each further minute; undefined where there is no limit. */
export interface Allowance {
  readonly limit: number | undefined;
  readonly remaining: number | undefined;
}

/** Whole minutes that so many requests take at the present budget, nobody else asking; 0 where they can leave at once. */
export function minutesFor(requests: number, { limit, remaining = 0 }: Allowance): number {
  const waiting = requests - remaining;
  return limit === undefined || waiting <= 0 ? 0 : Math.ceil(waiting / limit);
}

/** Requests a minute that are allowed when no refusal of the API has cut them; undefined where there is no limit. */
export interface FullAllowance {
  readonly full: number | undefined;
}

/**
 * The same at a full budget of which nothing is spent. For what a person confirms: the facts that they saw have to be the
 * facts of the call that brings their consent, and reading those facts spends requests, which the API may refuse.
 */
export function steadyMinutes(requests: number, { full }: FullAllowance): number {
  return minutesFor(requests, { limit: full, remaining: full });
}

/** "about 4 minutes". */
export function minutesText(minutes: number): string {
  if (minutes === 0) return 'less than a minute';
  return minutes === 1 ? 'about a minute' : `about ${minutes} minutes`;
}
