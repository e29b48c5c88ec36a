import { expect, test } from 'vitest';
import { type AccessFacts, diagnose, type Reason, reasons } from '../../../src/insights/students/diagnosis.ts';
import { now, product, sold } from '../../support/sold.ts';

const course = product('course', 7, 'Drawing');
const bundle = product('bundle', 2, 'Art Year');
const file = product('digital_product', 3, 'Brushes');

function facts(more: Partial<AccessFacts> = {}): AccessFacts {
  return {
    product: course,
    student: { shown: { products: [], isWhole: true } },
    orders: [],
    descriptions: new Map(),
    isPublished: true,
    daysOfAccess: undefined,
    completion: undefined,
    against: [],
    recent: [],
    others: [],
    now,
    ...more,
  };
}

const listing = (age: number, more: Parameters<typeof sold>[2] = {}) => sold('a', age, { products: [course], ...more });
const theirs = { shown: { products: [course], isWhole: true } };
const drawing = new Map([['a', 'Drawing']]);
const held = { student: theirs, orders: [listing(9)] };
const unshown = { student: { shown: undefined } };
const days = (...orders: AccessFacts['orders']) => ({ student: theirs, orders, daysOfAccess: 30 });

const cases: [what: string, expected: Reason, more: Partial<AccessFacts>][] = [
  ['an order lists it and the API too', 'holds', held],
  ['an order lists it and the API tells no courses', 'holds', { ...unshown, orders: [listing(9)] }],
  ['the API lists it and no order does', 'holds', { student: theirs }],
  [
    'it is paid once, and pending once more',
    'holds',
    { student: theirs, orders: [listing(1, { status: 'pending' }), listing(9)] },
  ],
  ['nobody has this email', 'no_student', { student: undefined }],
  ['an order lists it and the API does not', 'not_enrolled', { orders: [listing(9)] }],
  ['it is held and not published', 'not_published', { ...held, isPublished: false }],
  ['it is not published, and nobody ordered it', 'never_ordered', { isPublished: false }],
  ['the days since the last order are over', 'access_ended', days(listing(31))],
  ['the days since the last order are not over', 'holds', days(listing(29))],
  ['an order again gave new days', 'holds', days(listing(99), sold('b', 5, { products: [course] }))],
  ['nobody knows when it was ordered', 'holds', days(listing(99, { at: undefined }))],
  ['the only order is pending', 'order_pending', { orders: [listing(2, { status: 'pending' })] }],
  [
    'one failed, and the one before is pending',
    'order_pending',
    { orders: [listing(1, { status: 'failed' }), sold('b', 2, { products: [course], status: 'pending' })] },
  ],
  ['the only order failed', 'order_failed', { orders: [listing(2, { status: 'failed' })] }],
  ['an order names it and lists it no more', 'revoked', { orders: [sold('a', 9)], descriptions: drawing }],
  ['progress is left', 'revoked', { completion: 5 }],
  [
    'it was bought and taken away after a payment failed',
    'revoked',
    { orders: [sold('a', 9), sold('b', 12, { products: [course], status: 'failed' })], descriptions: drawing },
  ],
  ['an unpaid order names it', 'order_failed', { orders: [sold('a', 9, { status: 'failed' })], descriptions: drawing }],
  ['an order lists another course', 'never_ordered', { orders: [sold('a', 9, { products: [product('course', 8)] })] }],
  [
    'an order names another product whose title begins with it, and lists that',
    'never_ordered',
    {
      orders: [sold('a', 9, { products: [product('course', 8, 'Drawing Hands')] })],
      descriptions: new Map([['a', 'Drawing hands']]),
    },
  ],
  [
    'the product has no title',
    'never_ordered',
    { product: { ...course, title: '' }, orders: [sold('a', 9, { products: [file] })], descriptions: drawing },
  ],
  ['a bundle is ordered', 'holds', { product: bundle, orders: [sold('a', 9, { products: [bundle] })] }],
  ['no progress was made', 'never_ordered', { completion: 0 }],
  ['the entry of the course says that it is suspended', 'hindered', { ...held, against: ['status suspended'] }],
  ['this server gave it seconds ago', 'not_shown_yet', { recent: [{ ref: 'course 7', agoMs: 12_000 }] }],
  [
    'this server gave a new student it seconds ago',
    'not_shown_yet',
    { student: undefined, recent: [{ ref: 'course 7', agoMs: 12_000 }] },
  ],
  ['this server gave a bundle seconds ago', 'unclear', { recent: [{ ref: 'bundle 2', agoMs: 12_000 }] }],
  ['only a refund lists it', 'never_ordered', { orders: [listing(9, { amount: '-10.00' })] }],
  [
    'a refund lists it after the order',
    'unclear',
    { ...unshown, orders: [sold('b', 9, { products: [course] }), listing(1, { amount: '-10.00' })] },
  ],
  [
    'an order lists only a bundle, and no order shows its contents',
    'unclear',
    { ...unshown, orders: [sold('a', 9, { products: [bundle] })] },
  ],
  [
    'an order lists only a bundle, and orders of others show that it contains the course',
    'holds',
    {
      ...unshown,
      orders: [sold('a', 9, { products: [bundle] })],
      others: [8, 9, 10].map((age) => sold(`o${age}`, age, { products: [bundle, course] })),
    },
  ],
  ['an order lists nothing any more, and does not say what it was', 'unclear', { orders: [sold('a', 9)] }],
];

test.for(cases)('if %s, the reason is %s', ([, expected, more]) => {
  const { reason, holds, explanation } = diagnose(facts(more));
  expect([reason, holds], explanation).toEqual([expected, ['holds', 'hindered', 'not_published'].includes(expected)]);
});

test('each reason has a case', () => {
  expect(new Set(cases.map(([, reason]) => reason))).toEqual(new Set(reasons));
});
