import * as z from 'zod';
import { readStudentOrders } from '../../src/api/student-orders.ts';
import { studentEmail } from '../../src/contract/schemas/shared-arguments.ts';
import { soldOrder } from '../../src/insights/sales/sold-order.ts';
import { coursesShown } from '../../src/insights/students/courses-in-details.ts';
import { holdingsOf } from '../../src/insights/students/holdings.ts';
import { defineTool } from '../../src/mcp/tool.ts';
import { statusFilterSeen } from '../../src/workflows/scan-store.ts';
import {
  type Completions,
  type Refusals,
  readCompletions,
  withoutShares,
} from '../../src/workflows/students/completion-batch.ts';
import { statusFilterProblem } from '../../src/workflows/students/status-filter.ts';
import * as given from './shared-arguments.ts';
import { presentProfile, profileOutput } from './student-profile-result.ts';

export const studentProfile = defineTool({
  name: 'student_profile',
  toolset: 'insights',
  title: 'Show the profile of a student',
  description:
    'Shows everything about one student: details; orders bought, granted, unpaid; each product held, with its order or bundle; completion of each course. For one question about access use diagnose_access, for the record get_student_details.',
  cost: {
    requests: 1,
    plus: [
      { requests: 1, per: 'page of orders' },
      { requests: 1, per: 'course' },
      { requests: [0, 1], when: 'to test the status filter' },
    ],
  },
  example: { email: 'freya.hargreaves@example.net' },
  effect: 'read',
  repeat: 'safe',
  carriesUserContent: true,
  input: z.strictObject({ email: studentEmail, max_requests: given.maxRequests(30) }),
  output: profileOutput,
  run: async ({ email, max_requests: maxRequests = 30 }, { api, stores, spent, progress, now }) => {
    const left = () => maxRequests - spent();
    const tellPages = (done: number, total: number) =>
      progress(done, total, `read ${done} of ${total} or more pages of orders`);
    const known = await readStudentOrders(api, email, { ordersAlone: true, partly: true, left, progress: tellPages });
    const holdings = holdingsOf(known.orders.map(soldOrder), coursesShown(known.student)?.courses ?? []);
    const questions = holdings.flatMap(({ kind, id }) => (kind === 'course' ? [{ course_id: id, email }] : []));
    const read: Completions = new Map();
    const refusals: Refusals = new Map();
    const before = spent();
    const tellCourses = (done: number, total: number) =>
      progress(before + done, before + total, `read the progress in ${done} of ${total} courses`);
    const { stopped } = await readCompletions(questions, read, { api, left, progress: tellCourses, refusals });
    const completions = withoutShares(read, refusals);
    const ignored = left() > 0 ? await statusFilterProblem(api, known.orders, stores.of(statusFilterSeen)) : undefined;
    const problem = known.problem ?? ignored;
    return presentProfile({ email, ...known, problem, holdings, completions, refusals, stopped }, { spent, now });
  },
});
