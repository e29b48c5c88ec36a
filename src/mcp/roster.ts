import { unlessAbsent } from '../api/absent.ts';
import { patiently } from '../api/patiently.ts';
import type { KnownStudent } from '../api/student-orders.ts';
import { getStudentDetails } from '../contract/students.ts';
import type { Grant, Person, Standing } from '../insights/enrolment.ts';
import { buyerKey } from '../insights/sold-order.ts';
import type { ToolContext } from './tool.ts';

/** How people of a list stand, by email without regard to case. */
export type Roster = Map<string, Standing>;

/** Details at once: as many as a small account's limiter lets pass. */
const atOnce = 4;

function standingOf(student: KnownStudent | undefined, { course_id, bundle_id }: Grant): Standing {
  const { enrolled_courses, paid_orders = [] } = student ?? {};
  const courses = enrolled_courses ?? paid_orders.flatMap(({ courses = [] }) => courses);
  const bundles = paid_orders.flatMap(({ bundles: held = [] }) => held);
  return {
    isStudent: student !== undefined,
    holdsCourse: courses.some(({ id }) => id === course_id),
    holdsBundle: bundles.some(({ id }) => id === bundle_id),
  };
}

/** Waits of the account's limit, told as progress. */
export function waitTeller({ progress, signal }: ToolContext, done: () => number, total: number) {
  const onWait = (seconds: number) => progress(done(), total, `waiting ${seconds} s for the request limit`);
  return { signal, onWait };
}

/** Looks each person up, one request each, and adds how they stand to `roster`. Who is known there is not looked up again. */
export async function readRoster(
  people: readonly Person[],
  grant: Grant,
  roster: Roster,
  context: ToolContext,
): Promise<void> {
  const open = [...new Map(people.map((person) => [buyerKey(person.email), person])).values()].filter(
    ({ email }) => !roster.has(buyerKey(email)),
  );
  let done = 0;
  const patience = waitTeller(context, () => done, open.length);
  const look = async ({ email }: Person) => {
    const asked = () => context.api.call(getStudentDetails, { email }, { priority: 'bulk' });
    roster.set(buyerKey(email), standingOf(await unlessAbsent(patiently(asked, patience)), grant));
    done += 1;
  };
  for (let from = 0; from < open.length; from += atOnce) {
    await Promise.all(open.slice(from, from + atOnce).map(look));
    context.progress(done, open.length, `looked up ${done} of ${open.length} students`);
  }
}
