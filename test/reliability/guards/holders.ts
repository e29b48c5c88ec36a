import type { Guard } from './guard.ts';

const held = ['test/insights/students/holds-product.test.ts'];
const holds = ['test/tools/insights/enrollment-holdings.test.ts'];

/** If it is unclear who has access to what, nothing is claimed or done. */
export const holderGuards: readonly Guard[] = [
  {
    name: 'a student who may already have access is left out of bulk enrollment',
    file: 'src/insights/enrollment/plan.ts',
    text: 'if (isDoubtful && !includesDoubtful)',
    instead: 'if (isDoubtful && includesDoubtful)',
    tests: holds,
    only: 'unless include_doubtful',
  },
  {
    name: 'somebody who may be a student is not a new student',
    file: 'src/insights/enrollment/judge-holdings.ts',
    text: 'isStudent: evidence.isStudent,',
    instead: 'isStudent: evidence.isStudent ?? false,',
    tests: holds,
    only: 'doubtful and not new',
  },
  {
    name: 'if orders may be missing, it is unknown who has access',
    file: 'src/insights/students/holds-product.ts',
    text: 'missing === undefined ? undefined :',
    instead: 'missing !== null ? undefined :',
    tests: held,
  },
  {
    name: 'if products cannot be read, it is unknown who has access to them',
    file: 'src/insights/students/holds-product.ts',
    text: 'if (lists === undefined) return',
    instead: 'if (lists === null) return',
    tests: held,
  },
  {
    name: 'for an order with an unknown status, access to its products is unknown',
    file: 'src/insights/students/holds-product.ts',
    text: 'isKnownStatus(order) || lists === false',
    instead: 'true',
    tests: held,
  },
  {
    name: 'an id with the title of another product is not used',
    file: 'src/insights/students/holds-product.ts',
    text: 'sameId.some(({ title }) => !differs(title, wanted.title))',
    instead: 'sameId.length > 0',
    tests: held,
  },
  {
    name: 'the details of another email are not used for the student',
    file: 'src/api/student-orders.ts',
    text: 'const isOther = student.email !== undefined &&',
    instead: 'const isOther = student.email === null &&',
    tests: holds,
    only: 'somebody else',
  },
  {
    name: 'orders of other students are not used for the student',
    file: 'src/insights/sales/orders-of-buyer.ts',
    text: 'keys.has(buyerKey(email))',
    instead: 'keys.size > 0',
    tests: held,
  },
  {
    name: 'an order in two lists is counted once',
    file: 'src/insights/sales/orders-of-buyer.ts',
    text: 'isOfOneKind ? extra.filter',
    instead: 'true ? extra.filter',
    tests: held,
  },
  {
    name: 'enroll_student sends nothing if the student already has access',
    file: 'src/workflows/enrollment/enroll-once.ts',
    text: 'if (isAllHeld) return',
    instead: 'if (isAllHeld && held === undefined) return',
    tests: holds,
    only: 'sends nothing for a holder',
  },
  {
    name: 'of a course and a bundle, only missing access is sent',
    file: 'src/workflows/enrollment/enroll-once.ts',
    text: 'await send(sent, ',
    instead: 'await send(input, ',
    tests: holds,
    only: 'only what is not held',
  },
  {
    name: 'an order with an unknown status is not called unpaid',
    file: 'src/insights/students/holdings.ts',
    text: "isKnownStatus(order) ? 'unpaid' : 'other'",
    instead: "'unpaid'",
    tests: holds,
    only: 'is named in the profile',
  },
  {
    name: 'missing access is granted although an order lists the product',
    file: 'src/insights/students/access-fix.ts',
    text: 'through.length > 0 ? { even_if_held: true } : {}',
    instead: '{}',
    tests: holds,
    only: 'fixed by a grant',
  },
  {
    name: 'an unpaid order is to be paid before a free grant',
    file: 'src/insights/students/access-fix.ts',
    text: 'order === undefined || !unpaidReasons.has(reason)',
    instead: 'true',
    tests: ['test/tools/insights/diagnose-access.test.ts'],
    only: 'ask for the payment',
  },
];
