import * as z from 'zod';
import { getBundle } from '../../src/contract/bundles.ts';
import { getCourse } from '../../src/contract/courses.ts';
import { flag, id, title } from '../../src/contract/schemas/input-fields.ts';
import { studentEmail } from '../../src/contract/schemas/shared-arguments.ts';
import { type Grant, grantNamed } from '../../src/insights/enrollment/plan.ts';
import { called, withTitles } from '../../src/mcp/titles.ts';
import { defineTool, type Titles, type ToolContext } from '../../src/mcp/tool.ts';
import { refuseInput } from '../../src/shared/invalid-input.ts';
import { enrollEach } from '../../src/workflows/enrollment/enroll-list.ts';
import { lookUpStudents, waitTeller } from '../../src/workflows/enrollment/student-lookup.ts';
import { retryWhenLimited } from '../../src/workflows/retry-when-limited.ts';
import { enrollmentPlanLines } from './bulk-enroll-students-plan.ts';
import { enrollmentsOutput, presentEnrollments } from './bulk-enroll-students-result.ts';

const input = z.strictObject({
  students: z
    .array(z.strictObject({ email: studentEmail, name: title('Needed for a new student').optional() }))
    .min(1)
    .max(200)
    .describe('Existing students keep their name'),
  course_id: id('Course id, from list_courses or search_products').optional(),
  bundle_id: id('Bundle id, from list_bundles or search_products').optional(),
  include_doubtful: flag('Enrolls the doubtful too').optional(),
});
type Input = z.output<typeof input>;

/** Titles of the products. Finds a course or bundle that does not exist once, instead of once per student. */
async function checkProducts({ students, course_id, bundle_id }: Input, context: ToolContext): Promise<Titles> {
  const { api } = context;
  const patience = waitTeller(context, () => 0, students.length);
  const read = <Id, Found>(id: Id | undefined, ask: (known: Id) => Promise<Found>) =>
    id === undefined ? undefined : retryWhenLimited(() => ask(id), patience);
  const [course, bundle] = await Promise.all([
    read(course_id, (known) => api.call(getCourse, { course_id: known })),
    read(bundle_id, (known) => api.call(getBundle, { bundle_id: known })),
  ]);
  return {
    ...(course?.title === undefined ? {} : { course_id: course.title }),
    ...(bundle?.title === undefined ? {} : { bundle_id: bundle.title }),
  };
}

const namedGrant = (grant: Grant, titles: Titles) =>
  grantNamed(grant, (kind, id) => called(kind, id, titles[`${kind}_id`]));

export const bulkEnrollStudents = defineTool({
  name: 'bulk_enroll_students',
  toolset: 'insights',
  title: 'Enroll many students',
  description:
    'Gives up to 200 students a course, a bundle or both. Without confirm it returns a plan: who is new, holds it or is doubtful and left out, and the cost. With confirm it enrolls one after the other, each as a new paid order of amount 0 that cannot be deleted. For one student use enroll_student.',
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
    return `This gives ${namedGrant(grant, titles)} to ${whom} not hold it, ${orders}.${doubtful} Orders cannot be deleted; revoke_course and revoke_bundle take access back.`;
  },
  confirmationFacts: async (asked, context, isReadAgain) => {
    const titles = await checkProducts(asked, context);
    const { students, include_doubtful: includesDoubtful = false, ...grant } = asked;
    const lookup = await lookUpStudents(students, { grant, titles }, context);
    return enrollmentPlanLines({ students, grant, lookup, includesDoubtful, isReadAgain }, context.budget());
  },
  output: enrollmentsOutput,
  run: async (asked, context) => {
    const titles = await checkProducts(asked, context);
    const { students, include_doubtful: includesDoubtful = false, ...grant } = asked;
    const enrollments = await enrollEach(students, { grant, titles, includesDoubtful }, context);
    const { data, ...presented } = presentEnrollments(namedGrant(grant, titles), grant, enrollments, context);
    return { ...presented, data: withTitles(data, titles) };
  },
});
