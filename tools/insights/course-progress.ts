import * as z from 'zod';
import { integer } from '../../src/contract/schemas/input-fields.ts';
import { courseId } from '../../src/contract/schemas/shared-arguments.ts';
import { findBuyers, questionAbout } from '../../src/insights/sales/find-buyers.ts';
import { heldSince } from '../../src/insights/students/held-since.ts';
import { defaultBands } from '../../src/insights/students/progress.ts';
import { defineTool } from '../../src/mcp/tool.ts';
import { resolveCourse } from '../../src/workflows/find-product.ts';
import { requestsAllowed } from '../../src/workflows/requests-allowed.ts';
import { orderCursorFor } from '../../src/workflows/sales/order-cursor.ts';
import { knownHistory, readOrders } from '../../src/workflows/sales/read-orders.ts';
import { readCourseCompletions } from '../../src/workflows/students/completion-reader.ts';
import { presentProgress, progressOutput } from './course-progress-result.ts';
import * as common from './shared-arguments.ts';

export const courseProgress = defineTool({
  name: 'course_progress',
  toolset: 'insights',
  title: 'Show the progress of buyers',
  description:
    "Gives an overview of everybody's progress in a course (class): how far its buyers are (bundle buyers too): average, bands, and by name who has not started, is stuck (stopped, dropped out) or has finished. One student: get_course_completion, buyers: find_buyers.",
  cost: {
    requests: 1,
    per: 'page of 100 orders',
    plus: [
      { requests: 1, per: 'student' },
      { requests: 1, when: 'for the course' },
    ],
  },
  example: { course_id: 9, period: 'last_week' },
  effect: 'read',
  alwaysLoad: true,
  repeat: 'safe',
  carriesUserContent: true,
  input: z.strictObject({
    course_id: courseId,
    ...common.periodArguments,
    include_granted: common.includeGranted,
    bands: z
      .array(integer(0, 100, 'Percent'))
      .min(1)
      .max(20)
      .describe('Lowest percents; default 0, 1, 25, 50, 75, 100')
      .optional(),
    stuck_after_days: integer(0, 3_650, 'Days since held_since; default 30').optional(),
    limit: common.limit(50),
    cursor: common.cursor,
    max_requests: common.maxRequests,
  }),
  output: progressOutput,
  run: async (input, context) => {
    const { course_id, include_granted = false } = input;
    const { bands: bounds = defaultBands, stuck_after_days: stuckAfterDays = 30, limit = 50 } = input;
    const cursorScope = ['course_progress', course_id, include_granted, stuckAfterDays] as const;
    const cursor = await orderCursorFor(input, cursorScope, context);
    const { period, isFurther } = cursor;
    const maxRequests = await requestsAllowed(input.max_requests, context);
    const product = await resolveCourse(course_id, cursor, context);
    const question = { statuses: common.statusesOf(), period };
    const scan = await readOrders(question, { isFurther, maxRequests, given: input.max_requests }, context);
    const { buyers, totals } = findBuyers(scan.orders(), questionAbout(product.ref, include_granted));
    const people = buyers.flatMap(({ orders: [order] }) => order?.buyer ?? []);
    const { orders, isWhole, sources } = await knownHistory(people, scan, context);
    const held = heldSince(orders, product.ref, isWhole);
    const terms = { key: `${course_id} ${period.to}`, isFurther, held, maxRequests, stepsBefore: scan.scanned().pages };
    // Also after reading orders ended early, since going on would bring no more of them.
    const read =
      scan.scanned().pagesLeft === 0
        ? await readCourseCompletions(course_id, buyers, terms, context)
        : { learners: [], unread: buyers.length };
    // Reading the students may have taken longer than the cache keeps orders.
    scan.keep();
    const scope = { cursor: { ...cursor, products: [product] }, product, totals, scan, sources, cursorScope };
    return presentProgress(read, { ...scope, bounds, stuckAfterDays, limit, context });
  },
});
