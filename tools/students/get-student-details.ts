import * as z from 'zod';
import { order } from '../../src/contract/orders.ts';
import * as students from '../../src/contract/students.ts';
import { defineApiTool } from '../../src/mcp/define-api-tool.ts';
import { alteredKey, hasAltered, renamedAltered } from '../../src/mcp/output/fence-free-text.ts';
import { anyRecord, listOutput, recordOutput, showing } from '../../src/mcp/output/output-schemas.ts';
import { sanitizeRecord } from '../../src/mcp/output/sanitize.ts';
import { withCut } from '../../src/mcp/tool.ts';
import type { Json } from '../../src/shared/json.ts';
import { type Order, presentOrder, titlesById } from '../orders/order-row.ts';
import { recordLabel } from '../record-result.ts';

const { paid_orders: _orders, enrolled_courses: _courses, ...fields } = students.studentDetails.shape;

/** An order without the buyer's email and name, if those are the student's. */
function ownOrder(order: Order, student: Json): Json {
  const { email, name, ...rest } = presentOrder(order, 'summary');
  const own = { email: email === student.email ? undefined : email, name: name === student.name ? undefined : name };
  return { ...rest, ...own };
}

/** Courses as id to title; as the API sent them if they have another shape. */
function withTitles({ enrolled_courses: shown, ...own }: Json): Json {
  const titles = titlesById(shown, true);
  // A map from id to title has no place for the mark of an altered title.
  const altered = [
    ...renamedAltered(own, {}),
    ...(titles !== undefined && hasAltered(shown) ? ['enrolled_courses'] : []),
  ];
  return { ...own, enrolled_courses: titles ?? shown, [alteredKey]: altered };
}

export const getStudentDetails = defineApiTool({
  name: 'get_student_details',
  toolset: 'students',
  title: 'Get a student',
  description:
    'Shows the bare record of one student: when they joined (signed up), sign-ins (logins), points, completed lessons, paying_student, paid orders, which courses they are enrolled in. More: student_profile.',
  example: { email: 'freya.hargreaves@example.net' },
  operation: students.getStudentDetails,
  output: listOutput('paid_orders', showing(anyRecord, order), {
    ...recordOutput(fields).shape,
    enrolled_courses: z.unknown(),
  }),
  present: ({ paid_orders = [], ...rest }) => {
    const student = withTitles(sanitizeRecord(students.studentDetails, rest));
    const orders = paid_orders.map((order) => ownOrder(order, student));
    const answer = (count: number) => ({
      summary: `${recordLabel('Student', student)}.`,
      data: { ...student, paid_orders: orders.slice(0, count) },
    });
    return withCut(answer, orders.length, 'read the other orders with list_orders and user_email');
  },
});
