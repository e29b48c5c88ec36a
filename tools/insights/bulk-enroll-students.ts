import * as z from 'zod';
import { getBundle } from '../../src/contract/bundles.ts';
import { getCourse } from '../../src/contract/courses.ts';
import { id, studentEmail, title } from '../../src/contract/fields.ts';
import { type Grant, grantText, type Person, planEnrolment, type Step } from '../../src/insights/enrolment.ts';
import { buyerKey } from '../../src/insights/sold-order.ts';
import { enrollEach } from '../../src/mcp/enroll-each.ts';
import { refuseInput } from '../../src/mcp/input.ts';
import { type Roster, readRoster } from '../../src/mcp/roster.ts';
import { defineTool, type ToolContext } from '../../src/mcp/tool.ts';
import { bulkOutput, planFacts, presentEnrolments } from './enrolment-facts.ts';

const input = z.strictObject({
  students: z
    .array(z.strictObject({ email: studentEmail, name: title('Needed for a new student').optional() }))
    .min(1)
    .max(200)
    .describe('1 to 200 students; one who is there already keeps their name'),
  course_id: id('Course id, from list_courses or search_products').optional(),
  bundle_id: id('Bundle id, from list_bundles or search_products').optional(),
});
type Input = z.output<typeof input>;

/** What the plan has looked up is used once: a list that is sent again is looked up again. */
function rosterKey(grant: Grant): string {
  return JSON.stringify([grant.course_id, grant.bundle_id]);
}

async function planFor({ students, ...grant }: Input, roster: Roster, context: ToolContext): Promise<Step[]> {
  await readRoster(students, grant, roster, context);
  const nobody = { isStudent: false, holdsCourse: false, holdsBundle: false };
  return planEnrolment(students, grant, ({ email }: Person) => roster.get(buyerKey(email)) ?? nobody);
}

/** A course or bundle that there is not would otherwise be found out once for each student. */
async function checkProducts({ course_id, bundle_id }: Grant, { api }: ToolContext): Promise<void> {
  if (course_id !== undefined) await api.call(getCourse, { course_id });
  if (bundle_id !== undefined) await api.call(getBundle, { bundle_id });
}

export const bulkEnrollStudents = defineTool({
  name: 'bulk_enroll_students',
  toolset: 'insights',
  title: 'Enroll many students',
  description:
    'Gives up to 200 students a course, a bundle or both. Without confirm it answers with a plan: who is new, who holds it already, requests and minutes. With confirm it enrolls one after the other as enroll_student does, each as a new paid order of amount 0 that cannot be deleted, and says applied, skipped, failed or unknown for each. The same list may be sent again: who holds it is skipped. One student: enroll_student. The plan is one request a student, enrolling up to three requests each.',
  effect: 'create',
  repeat: 'same_effect',
  consent: true,
  scope: 'academy:access',
  memberText: false,
  input,
  check: ({ course_id, bundle_id }) => {
    if (course_id === undefined && bundle_id === undefined) throw refuseInput(['course_id or bundle_id is required']);
  },
  consequence: ({ students, ...grant }) =>
    `This gives ${grantText(grant)} to those of ${students.length} students who do not hold it, each as a new paid order of amount 0. Orders cannot be deleted; revoke_course and revoke_bundle take access back.`,
  preview: async (asked, context) => {
    await checkProducts(asked, context);
    const roster: Roster = new Map();
    const steps = await planFor(asked, roster, context);
    context.jobs.rosters.set(rosterKey(asked), roster);
    return planFacts(steps, context.budget());
  },
  output: bulkOutput,
  run: async (asked, context) => {
    const planned = context.jobs.rosters.get(rosterKey(asked));
    context.jobs.rosters.drop(rosterKey(asked));
    if (planned === undefined) await checkProducts(asked, context);
    const steps = await planFor(asked, planned ?? new Map(), context);
    return presentEnrolments(asked, await enrollEach(steps, context), context);
  },
});
