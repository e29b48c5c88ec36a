import type { Api } from '../api/client.ts';
import { lookAt } from '../api/look.ts';
import { type Patience, patiently } from '../api/patiently.ts';
import { type Grant, linesOf, type Person, type Standing } from '../insights/enrolment.ts';
import { type GrantTitles, isCertain, standingBy } from '../insights/look.ts';
import { buyerKey } from '../insights/sold-order.ts';
import type { ToolContext } from './tool.ts';

/** What is to be granted, and its titles where they are known. */
export interface AskedGrant {
  readonly grant: Grant;
  readonly titles: GrantTitles;
}

/** How somebody stands, as it was read. */
export interface SeenStanding extends Standing {
  /** Everything that the enrolment depends on was read. */
  readonly isCertain: boolean;
  /** Requests that the look took. */
  readonly requests: number;
}

/** How people of a list stand, by email without regard to case. */
export type Roster = Map<string, SeenStanding>;

/** Looks at once: as many as a small account's limiter lets pass. */
const atOnce = 4;

/** Reads how one person stands, by one request and one a page of their orders. After a wait only what was refused is asked again. */
export async function lookUp(
  { email }: Person,
  { grant, titles }: AskedGrant,
  { api }: Pick<ToolContext, 'api'>,
  patience: Patience,
): Promise<SeenStanding> {
  const patient: Api = {
    call: (operation, input, options) =>
      patiently(() => api.call(operation, input, { priority: 'bulk', ...options }), patience),
  };
  const { requests, ...look } = await lookAt(patient, email);
  const standing = standingBy(look, grant, titles);
  return { ...standing, isCertain: isCertain(standing), requests };
}

/** Waits of the account's limit, told as progress and counted. */
export function waitTeller({ progress, signal, waiting }: ToolContext, done: () => number, total: number): Patience {
  const onWait = (seconds: number) => {
    progress(done(), total, `waiting ${seconds} s for the request limit`);
    return waiting();
  };
  return { signal, onWait };
}

/** Reads how each person of a list stands. */
export async function readRoster(people: readonly Person[], asked: AskedGrant, context: ToolContext): Promise<Roster> {
  const each = linesOf(people).flatMap(({ person, isDouble }) => (isDouble ? [] : [person]));
  const roster: Roster = new Map();
  const patience = waitTeller(context, () => roster.size, each.length);
  const look = async (person: Person) => {
    roster.set(buyerKey(person.email), await lookUp(person, asked, context, patience));
  };
  for (let from = 0; from < each.length; from += atOnce) {
    await Promise.all(each.slice(from, from + atOnce).map(look));
    context.progress(roster.size, each.length, `looked up ${roster.size} of ${each.length} students`);
  }
  return roster;
}
