import * as z from 'zod';
import { enrollStudent } from '../../src/contract/access.ts';
import { withFormat } from '../../src/contract/schemas/field-format.ts';
import { flag, limitedText } from '../../src/contract/schemas/input-fields.ts';
import { describedOnce } from '../../src/contract/schemas/listed-form.ts';
import { bundleId, courseId } from '../../src/contract/schemas/shared-arguments.ts';
import type { Grant } from '../../src/insights/enrollment/plan.ts';
import { type BadEntry, checkEntries } from '../../src/insights/enrollment/plan.ts';
import type { Named } from '../../src/insights/students/select-students.ts';
import { counted } from '../../src/mcp/output/text-format.ts';
import { withTitles } from '../../src/mcp/titles.ts';
import { defineTool, type Presented, type ToolContext } from '../../src/mcp/tool.ts';
import { oneLine } from '../../src/shared/clean-text.ts';
import { refuseInput } from '../../src/shared/invalid-input.ts';
import { type Enrollment, type EnrollmentState, enrollList } from '../../src/workflows/enrollment/enroll-list.ts';
import { grantText } from '../../src/workflows/enrollment/grant-text.ts';
import { readGrantTitles } from '../../src/workflows/enrollment/read-grant-titles.ts';
import { lookUpStudents } from '../../src/workflows/enrollment/student-lookup.ts';
import { namesakesOf } from '../../src/workflows/sales/read-orders.ts';
import { enrollmentPlanLines } from './bulk-enroll-students-plan.ts';

const states: readonly EnrollmentState[] = [
  'applied',
  'already_there',
  'skipped',
  'doubtful',
  'failed',
  'unknown',
  'not_started',
];

const enrollmentsOutput = z.looseObject({
  course_id: z.int().optional(),
  bundle_id: z.int().optional(),
  totals: z.record(z.string(), z.int()).describe('Number by state').optional(),
  students: z.record(z.string(), z.string()).describe('State by email').optional(),
  plan: z.array(z.string()).describe('Without confirm').optional(),
  next: z.string().optional(),
  requests_spent: z.int().optional(),
});

/** What to do about the students in a state. */
const nextSteps: Partial<Record<EnrollmentState, string>> = {
  doubtful:
    'doubtful: nothing was sent, because it is unclear what they hold; check with student_profile, then send them again with include_doubtful true',
  unknown:
    'unknown: the enrollment was sent, but its result was not seen; check with student_profile before you repeat it for them',
  failed: 'failed: nothing was changed for them; fix the stated problem and send the list again',
  not_started: 'not_started: send the same list again to continue',
};

/** The results for entries that are wrong in themselves, by their number in the list. */
function refusedEntries(bad: readonly BadEntry[]): Enrollment[] {
  return bad.map(({ number, email, why }) => ({ email: `${number}. ${oneLine(email, 200)}`, state: 'failed', why }));
}

/** The number of students in each state, without states that have none. */
function totalsOf(enrollments: readonly Enrollment[]): [EnrollmentState, number][] {
  const count = (state: EnrollmentState) => enrollments.filter((one) => one.state === state).length;
  return states.map((state): [EnrollmentState, number] => [state, count(state)]).filter(([, number]) => number !== 0);
}

/** One entry per email. For a duplicate, the first line has the result. */
function stateByEmail(enrollments: readonly Enrollment[]): Record<string, string> {
  const states = new Map<string, string>();
  for (const { email, state, why } of enrollments) {
    if (!states.has(email)) states.set(email, why === undefined ? state : `${state}: ${oneLine(why, 400)}`);
  }
  return Object.fromEntries(states);
}

/** `granted` names the course and the bundle in words. */
function presentEnrollments(
  granted: string,
  grant: Grant,
  enrollments: readonly Enrollment[],
  { spent }: Pick<ToolContext, 'spent'>,
): Presented {
  const totals = totalsOf(enrollments);
  const next = totals.flatMap(([state]) => nextSteps[state] ?? []);
  const parts = totals.map(([state, number]) => `${number} ${state.replaceAll('_', ' ')}`);
  return {
    summary: `${granted.charAt(0).toUpperCase()}${granted.slice(1)} for ${counted(enrollments.length, 'student')}: ${parts.join(', ')}.`,
    data: {
      ...grant,
      totals: Object.fromEntries(totals),
      students: stateByEmail(enrollments),
      ...(next.length > 0 ? { next: next.join('. ') } : {}),
      requests_spent: spent(),
    },
  };
}

/** A wrong email or name is refused in the plan, one by one. */
const address = describedOnce(withFormat('email', limitedText(254).describe("The student's email")));

const input = z.strictObject({
  students: z
    .array(z.strictObject({ email: address, name: limitedText(255).describe('Needed for a new student').optional() }))
    .min(1)
    .max(200)
    .describe('Existing students keep their name'),
  course_id: courseId.optional(),
  bundle_id: bundleId.optional(),
  include_doubtful: flag('Enrolls the doubtful too').optional(),
});

export const bulkEnrollStudents = defineTool({
  name: 'bulk_enroll_students',
  toolset: 'insights',
  title: 'Enroll many students',
  description:
    'Gives a list of up to 200 people (a team, group, spreadsheet, these emails) access to a course, a bundle or both at once. Without confirm: a plan (who is new, holds it or is doubtful, and the cost). With confirm it enrolls, each as a new paid order of amount 0. For one student use enroll_student.',
  cost: {
    requests: [1, 2],
    per: 'student',
    plus: [
      { requests: 1, per: 'product' },
      { requests: 1, per: 'further page or email spelling' },
      { requests: 1, per: 'enrollment' },
    ],
  },
  example: {
    students: [{ email: 'freya.hargreaves@example.net' }, { email: 'new.person@example.com', name: 'New Person' }],
    course_id: 9,
  },
  effect: 'create',
  repeat: 'same_effect',
  consent: true,
  writes: [enrollStudent],
  showsPlan: true,
  scope: 'academy:access',
  carriesUserContent: false,
  input,
  check: ({ course_id, bundle_id }) => {
    if (course_id === undefined && bundle_id === undefined) throw refuseInput(['course_id or bundle_id is required']);
  },
  titled: ['course_id', 'bundle_id'],
  confirmationMessage: ({ students, include_doubtful: isDoubtfulToo, ...grant }, titles) => {
    const { length } = students;
    const whom = length === 1 ? 'one student, if they do' : `those of ${length} students who do`;
    const orders = `${length === 1 ? '' : 'each '}as a new paid order of amount 0`;
    const doubtful = isDoubtfulToo
      ? ' Students who may already hold it get it too.'
      : ' Students who may already hold it are left out.';
    return `This gives ${grantText(grant, titles)} to ${whom} not hold it, ${orders}.${doubtful} Orders cannot be deleted; revoke_course and revoke_bundle take access back.`;
  },
  confirmationFacts: async (input, context, isReadAgain) => {
    const { students: entries, include_doubtful: includesDoubtful = false, ...grant } = input;
    const { people: students, bad } = checkEntries(entries);
    const titles = await readGrantTitles(grant, students.length, context);
    const lookup = await lookUpStudents(students, { grant, titles }, context);
    const namesakes = (person: Named) => namesakesOf(person, context);
    const plan = { students, bad, grant, lookup, includesDoubtful, namesakesOf: namesakes, isReadAgain };
    return enrollmentPlanLines(plan, context.budget());
  },
  output: enrollmentsOutput,
  run: async (input, context) => {
    const { students, include_doubtful: includesDoubtful = false, ...grant } = input;
    const { people, bad } = checkEntries(students);
    const titles = await readGrantTitles(grant, people.length, context);
    const enrollments = await enrollList(people, { grant, titles, includesDoubtful }, context);
    const all = [...enrollments, ...refusedEntries(bad)];
    const { data, ...presented } = presentEnrollments(grantText(grant, titles), grant, all, context);
    return { ...presented, data: withTitles(data, titles) };
  },
});
