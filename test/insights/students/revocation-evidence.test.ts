import { expect, test } from 'vitest';
import {
  type AccessRecords,
  revocationEvidence,
  unclearOrder,
} from '../../../src/insights/students/revocation-evidence.ts';
import { now, product, sold } from '../../support/sold.ts';

const course = product('course', 7, 'Drawing');
const other = product('course', 8, 'Bread');
const bundle = product('bundle', 2, 'Art Year');
const foreign = product('bundle', 3, 'Bakery');
const updated_at = now.toISOString();

function traces(more: Partial<AccessRecords> = {}): AccessRecords {
  return { product: course, orders: [], descriptions: new Map(), completion: undefined, others: [], ...more };
}

const described = (description: string) => new Map([['a', description]]);
/** With one order; `named` has a description and lists nothing. */
const of = (order: Parameters<typeof sold>[2], more = {}) => ({ orders: [sold('a', 9, order)], ...more });
const named = (description: string, more = {}) => of({}, { descriptions: described(description), ...more });
const others = [
  sold('w', 1, { products: [bundle, course] }),
  sold('x', 1, { products: [bundle, course] }),
  sold('y', 2, { products: [bundle, course, other], status: 'pending' }),
  ...['z1', 'z2', 'z3'].map((id) => sold(id, 3, { products: [foreign, other] })),
];

const cases: [what: string, expected: 'telling' | 'vague' | 'none', more: Partial<AccessRecords>][] = [
  ['an order names it and lists nothing', 'telling', named('drawing')],
  ['it is named in a list', 'telling', named('Granted: Ink, Drawing (-20%)')],
  ['a longer title is named', 'vague', named('Drawing Hands')],
  ['a title that ends with it is named', 'vague', named('Life Drawing')],
  [
    'a listed product has the same title',
    'none',
    {
      orders: [sold('a', 9, { products: [product('digital_product', 1, 'Drawing')] })],
      descriptions: described('Drawing'),
    },
  ],
  ['progress is left', 'telling', { completion: 5 }],
  ['no progress was made', 'none', { completion: 0 }],
  ['an order lists nothing any more', 'vague', named('Bread')],
  ['an order of something else was changed', 'vague', of({ products: [other], updated_at })],
  ['an order of something else was not changed', 'none', of({ products: [other] })],
  ['an order of a bundle was changed', 'vague', of({ products: [bundle], updated_at })],
  ['an order of a bundle was not changed', 'none', of({ products: [bundle] }, { others })],
  ['an order of a bundle that holds it was changed', 'telling', of({ products: [bundle], updated_at }, { others })],
  [
    'an order of a bundle that does not hold it was changed',
    'none',
    of({ products: [foreign, other], updated_at }, { others }),
  ],
  [
    'most who have the bundle do not have it, and one bought it beside',
    'none',
    {
      orders: [sold('a', 9, { products: [foreign], updated_at })],
      others: [...others, sold('v', 4, { products: [foreign, course] })],
    },
  ],
  ['nobody else has the bundle', 'vague', of({ products: [product('bundle', 9)], updated_at }, { others })],
  ['an order names a bundle that holds it, and lists nothing', 'telling', named('Art Year', { others })],
  ['an order names a bundle that does not hold it', 'vague', named('Bakery', { others })],
  [
    'an order that gave nothing names it',
    'none',
    { orders: [sold('a', 9, { status: 'failed' })], descriptions: described('Drawing') },
  ],
  [
    'a bundle is asked for, and an order of another was changed',
    'vague',
    { product: bundle, orders: [sold('a', 9, { products: [foreign], updated_at })], others },
  ],
];

test.for(cases)('if %s, the evidence is %s', ([, expected, more]) => {
  const { telling, vague } = revocationEvidence(traces(more));
  const found = telling.length > 0 ? 'telling' : vague.length > 0 ? 'vague' : 'none';
  expect(found, [...telling, ...vague].join()).toBe(expected);
});

test('orders of other students can explain an unclear order, preferably one that lists a bundle', () => {
  const empty = sold('b', 5);
  const orders = [empty, sold('a', 9, { products: [foreign], updated_at })];
  expect(unclearOrder(traces({ orders }))).toBe(orders[1]);
  expect(unclearOrder(traces({ orders: [empty] }))).toBe(empty);
  expect(unclearOrder(traces({ orders, completion: 5 }))).toBeUndefined();
  expect(unclearOrder(traces({ orders, product: bundle }))).toBeUndefined();
  expect(unclearOrder(traces())).toBeUndefined();
});
