import { failure, html, notFound, ok, type Reply } from '../academy/call.ts';
import { heldCourses, studentBy } from '../academy/handlers/students.ts';
import type { Academy, Rules } from '../academy/rules.ts';
import type { Student } from '../academy/state.ts';
import { titled } from '../academy/views.ts';
import { bulk, type Switch, students } from './switch.ts';

const probes = [...students, ...bulk, 'enroll_student'];

/** Answers every read of details with this. */
function detailsReply(
  name: string,
  says: string,
  reply: (student: Student | undefined, academy: Academy) => Reply | undefined,
  more: Partial<Switch> = {},
): Switch {
  const rules: Rules = {
    before: ({ route, query }, academy) =>
      route === 'students.details' ? reply(studentBy(academy.state, query.email), academy) : undefined,
  };
  return { name: `details-${name}`, class: 'not found', kind: 'open', says, probes, rules, ...more };
}

const nobody = /no (such )?student|there is no student|not a student/i;
/** Answers reads of details for an unknown email with this. */
const unknown = (name: string, says: string, reply: (academy: Academy) => Reply) =>
  detailsReply(`unknown-${name}`, says, (student, academy) => (student === undefined ? reply(academy) : undefined), {
    probes: ['diagnose_access/nobody', 'diagnose_access/buyer', 'enroll_student/new', ...bulk],
  });

const missing = (name: string, says: string, reply: () => Reply, more: Partial<Switch> = {}) =>
  detailsReply(name, says, reply, { lies: nobody, kind: 'departs', ...more });

export const notFoundSwitches: readonly Switch[] = [
  missing(
    'endpoint',
    'details are not available: 404 endpoint_not_available',
    () => failure(404, 'endpoint_not_available', 'Endpoint not available'),
    { kind: 'open' },
  ),
  missing('html', 'details are not available: a 404 web page', () =>
    html(404, '<html><body>The page was not found</body></html>'),
  ),
  missing('empty', 'an empty 200 for all students', () => ok(undefined)),
  missing('error', '200 {"error"} for all students', () => ok({ error: 'Something went wrong' })),
  missing('403', '403, for everybody', () => failure(403, 'forbidden', 'Not allowed')),
  missing('500', '500 for all students', () => failure(500, 'internal', 'Something went wrong')),
  unknown('no-code', '404 {"error"} without a code for an unknown email', () => ({
    ...notFound(),
    body: { error: 'Student not found' },
  })),
  unknown('html', 'a 404 web page for an unknown email', () => html(404, '<html><body>Not found</body></html>')),
  unknown('empty', 'an empty 200 for an unknown email', () => ok(undefined)),
  unknown('error', '200 {"error"} for an unknown email', () => ok({ error: 'Student not found' })),
  unknown('422', '422 for an unknown email', () => failure(422, 'invalid_parameter', 'email is not known')),
  unknown('other', 'another student for an unknown email', ({ state }) => {
    const [, other] = state.students;
    return ok({
      id: other?.id,
      name: other?.name,
      email: other?.email,
      paid_orders: [],
      enrolled_courses: titled(state, 'course', other === undefined ? [] : heldCourses(state, other)),
    });
  }),
];
