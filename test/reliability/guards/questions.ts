import type { Guard } from './guard.ts';

const buyers = ['test/tools/insights/find-buyers.test.ts'];
const cursors = ['test/tools/insights/cursors.test.ts'];
const digest = ['test/tools/insights/community-digest.test.ts'];

/** What keeps an answer to a whole question about what it was asked, and its cost within what was allowed. */
export const questionGuards: readonly Guard[] = [
  {
    name: 'a product that may be several is refused',
    file: 'src/api/find-product.ts',
    text: 'if (others.length > 0) throw',
    instead: 'if (others.length > 1_000) throw',
    tests: buyers,
    only: 'several candidates',
  },
  {
    name: 'an order that is not paid gives no access',
    file: 'src/insights/standing.ts',
    text: 'paidStatuses.some((paid) => paid === status)',
    instead: 'paidStatuses.length > 0',
    tests: ['test/insights/standing.test.ts'],
  },
  {
    name: 'a buyer is one in any capitals',
    file: 'src/insights/sold-order.ts',
    text: "email.trim().normalize('NFC').toLowerCase()",
    instead: 'email',
    tests: ['test/insights/enrolment.test.ts'],
  },
  {
    name: 'the orders of a student are found in any capitals',
    file: 'src/api/student-orders.ts',
    text: '[email, own.toLowerCase(), ...typed]',
    instead: '[]',
    tests: ['test/tools/insights/student-profile.test.ts'],
    only: 'any capitals',
  },
  {
    name: 'a cursor goes on with its own question alone',
    file: 'src/mcp/place.ts',
    text: 'sum !== sumOf(written, asked)',
    instead: "sum === ''",
    tests: buyers,
    only: 'cursor of another question',
  },
  {
    name: 'a cursor goes on in its own tool alone',
    file: 'src/mcp/place.ts',
    text: 'JSON.stringify([asked, fields])',
    instead: 'JSON.stringify([fields])',
    tests: cursors,
    only: 'cursor of another tool',
  },
  {
    name: 'the bounds within a cursor cannot be changed',
    file: 'src/mcp/place.ts',
    text: 'JSON.stringify([asked, fields])',
    instead: 'JSON.stringify([asked])',
    tests: cursors,
    only: 'somebody changed',
  },
  {
    name: 'bounds beside a cursor are those of the first part',
    file: 'src/mcp/place.ts',
    text: 'if (others.length > 0) {',
    instead: 'if (others.length > 1_000) {',
    tests: cursors,
    only: 'bounds of the first call',
  },
  {
    name: 'no more pages are read than were allowed',
    file: 'src/api/order-scan.ts',
    text: 'Math.min(atOnce, terms.left())',
    instead: 'atOnce',
    tests: buyers,
    only: 'exhausted budget',
  },
  {
    name: 'no more is asked for than was allowed',
    file: 'src/api/each.ts',
    text: 'Math.min(atOnce, left())',
    instead: 'atOnce',
    tests: digest,
    only: 'no more are spent',
  },
  {
    name: 'a long job tells its cost before it is begun',
    file: 'src/mcp/learners.ts',
    text: 'isFurther || open <= left()',
    instead: 'open >= 0',
    tests: ['test/tools/insights/course-progress.test.ts'],
    only: 'is told first',
  },
  {
    name: 'a topic with an answer is not called unanswered',
    file: 'src/api/channel-posts.ts',
    text: '(meta?.total_posts ?? items.length) === 1',
    instead: '(meta?.total_posts ?? items.length) !== 0',
    tests: digest,
    only: 'unanswered topics are those',
  },
  {
    name: 'ids and times of the platform are one clean line in whole answers',
    file: 'src/insights/sold-order.ts',
    text: 'undefined : oneLine(text, 200)',
    instead: 'undefined : text',
    tests: ['test/security/data.test.ts'],
    only: 'S11',
  },
  {
    name: 'a slug of the platform that is no segment of a path is not used',
    file: 'tools/insights/community-digest.ts',
    text: 'isPathSegment(slug) ? slug :',
    instead: "slug !== '' ? slug :",
    tests: ['test/security/data.test.ts'],
    only: 'S11',
  },
];
