import type { Guard } from './guard.ts';

const held = ['test/insights/students/holds-product.test.ts'];
const holds = ['test/tools/insights/enrollment-holdings.test.ts'];

/** What keeps us from saying or doing too much where it cannot be told who holds what. */
export const holderGuards: readonly Guard[] = [
  {
    name: 'who may hold it is left out of a list',
    file: 'src/insights/enrollment/plan.ts',
    text: 'if (isDoubtful && !includesDoubtful)',
    instead: 'if (isDoubtful && includesDoubtful)',
    tests: holds,
    only: 'unless include_doubtful',
  },
  {
    name: 'who may be a student is no new one',
    file: 'src/insights/enrollment/judge-holdings.ts',
    text: 'isStudent: evidence.isStudent,',
    instead: 'isStudent: evidence.isStudent ?? false,',
    tests: holds,
    only: 'doubtful and not new',
  },
  {
    name: 'orders that may be missing leave it open who holds a product',
    file: 'src/insights/students/holds-product.ts',
    text: 'missing === undefined ? undefined :',
    instead: 'missing !== null ? undefined :',
    tests: held,
  },
  {
    name: 'products that cannot be read leave it open who holds them',
    file: 'src/insights/students/holds-product.ts',
    text: 'if (lists === undefined) return',
    instead: 'if (lists === null) return',
    tests: held,
  },
  {
    name: 'an order of an unknown status leaves it open who holds its products',
    file: 'src/insights/students/holds-product.ts',
    text: 'isKnownStatus(order) || lists === false',
    instead: 'true',
    tests: held,
  },
  {
    name: 'an id beside another title is not believed',
    file: 'src/insights/students/holds-product.ts',
    text: 'sameId.some(({ title }) => !differs(title, wanted.title))',
    instead: 'sameId.length > 0',
    tests: held,
  },
  {
    name: 'the details of another email are not those of the student',
    file: 'src/api/student-orders.ts',
    text: 'const isOther = student.email !== undefined &&',
    instead: 'const isOther = student.email === null &&',
    tests: holds,
    only: 'somebody else',
  },
  {
    name: 'orders of others are not those of the student',
    file: 'src/insights/sales/orders-of-buyer.ts',
    text: 'keys.has(buyerKey(email))',
    instead: 'keys.size > 0',
    tests: held,
  },
  {
    name: 'an order of two lists is counted once',
    file: 'src/insights/sales/orders-of-buyer.ts',
    text: 'isOfOneKind ? extra.filter',
    instead: 'true ? extra.filter',
    tests: held,
  },
  {
    name: 'enroll_student sends nothing that is held',
    file: 'src/workflows/enrollment/enroll-once.ts',
    text: 'if (isAllHeld) return',
    instead: 'if (isAllHeld && held === undefined) return',
    tests: holds,
    only: 'sends nothing for a holder',
  },
  {
    name: 'of course and bundle only what is not held is sent',
    file: 'src/workflows/enrollment/enroll-once.ts',
    text: 'await send(sent, ',
    instead: 'await send(input, ',
    tests: holds,
    only: 'only what is not held',
  },
  {
    name: 'an order of an unknown status is not unpaid',
    file: 'src/insights/students/holdings.ts',
    text: "isKnownStatus(order) ? 'unpaid' : 'other'",
    instead: "'unpaid'",
    tests: holds,
    only: 'is named in the profile',
  },
  {
    name: 'access that is missing is granted all the same',
    file: 'src/insights/students/diagnosis.ts',
    text: 'through.length > 0 ? { even_if_held: true } : {}',
    instead: '{}',
    tests: holds,
    only: 'fixed by a grant',
  },
];
