import * as z from 'zod';
import { withFormat } from '../../src/contract/schemas/field-format.ts';
import { flag, limitedText } from '../../src/contract/schemas/input-fields.ts';
import { describedOnce } from '../../src/contract/schemas/listed-form.ts';
import { bundleId, courseId } from '../../src/contract/schemas/shared-arguments.ts';
import { checkEntries } from '../../src/insights/enrollment/list-entries.ts';
import { withTitles } from '../../src/mcp/titles.ts';
import { defineTool } from '../../src/mcp/tool.ts';
import { refuseInput } from '../../src/shared/invalid-input.ts';
import { enrollList } from '../../src/workflows/enrollment/enroll-list.ts';
import { grantText } from '../../src/workflows/enrollment/grant-text.ts';
import { readGrantTitles } from '../../src/workflows/enrollment/read-grant-titles.ts';
import { lookUpStudents } from '../../src/workflows/enrollment/student-lookup.ts';
import { enrollmentPlanLines } from './bulk-enroll-students-plan.ts';
import { enrollmentsOutput, presentEnrollments, refusedEntries } from './bulk-enroll-students-result.ts';

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
    'Gives a list of up to 200 students a course, a bundle or both. Without confirm it returns a plan: who is new, holds it or is doubtful and left out, and the cost. With confirm it enrolls one after the other, each as a new paid order of amount 0. For one student use enroll_student.',
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
  confirmationFacts: async (asked, context, isReadAgain) => {
    const { students: entries, include_doubtful: includesDoubtful = false, ...grant } = asked;
    const { people: students, bad } = checkEntries(entries);
    const titles = await readGrantTitles(grant, students.length, context);
    const lookup = await lookUpStudents(students, { grant, titles }, context);
    return enrollmentPlanLines({ students, bad, grant, lookup, includesDoubtful, isReadAgain }, context.budget());
  },
  output: enrollmentsOutput,
  run: async (asked, context) => {
    const { students, include_doubtful: includesDoubtful = false, ...grant } = asked;
    const { people, bad } = checkEntries(students);
    const titles = await readGrantTitles(grant, people.length, context);
    const enrollments = await enrollList(people, { grant, titles, includesDoubtful }, context);
    const all = [...enrollments, ...refusedEntries(bad)];
    const { data, ...presented } = presentEnrollments(grantText(grant, titles), grant, all, context);
    return { ...presented, data: withTitles(data, titles) };
  },
});
