import { expect, test } from 'vitest';
import { fitsCurrency } from '../../../src/insights/money.ts';
import { readProducts } from '../../../src/insights/sales/products-in-order.ts';
import { orderMarks } from '../../../src/insights/sales/sold-order.ts';

const all = ['course', 'bundle', 'digital_product'];
const refsOf = (order: object) => readProducts({ ...order }).products.map(({ ref }) => ref);
const unreadOf = (order: object) => readProducts({ ...order }).unread;
const withBundles = (bundles: unknown) => ({ courses: [], bundles, digital_products: [] });
const withCourses = (courses: unknown) => ({ courses, bundles: [], digital_products: [] });

test('the documented form is read', () => {
  const order = { courses: [{ id: 21, title: 'Oil' }], bundles: [{ id: 3, title: 'All' }], digital_products: [] };
  expect(readProducts(order)).toEqual({
    products: [
      { ref: 'course 21', kind: 'course', id: 21, title: 'Oil' },
      { ref: 'bundle 3', kind: 'bundle', id: 3, title: 'All' },
    ],
    unread: [],
    listed: all,
  });
});

const forms: [form: string, bundles: unknown][] = [
  ['bare ids', [31]],
  ['digits', ['31']],
  ['{id} as text', [{ id: '31' }]],
  ['{id, type}', [{ id: 31, type: 'Offer', title: 'All' }]],
  ['{id, name}', [{ id: 31, name: 'All' }]],
  ['{bundle_id}', [{ bundle_id: 31 }]],
  ['a row with an id of its own and {bundle_id}', [{ id: 9001, bundle_id: 31, order_id: 5, title: 'All' }]],
];

test('a list whose entries the document does not show is read in three forms', () => {
  for (const [form, bundles] of forms) {
    expect(refsOf(withBundles(bundles)), form).toEqual(['bundle 31']);
    expect(unreadOf(withBundles(bundles)), form).toEqual([]);
  }
});

test('courses are read only in the documented form', () => {
  expect(refsOf(withCourses([{ id: '31', title: 'Oil' }]))).toEqual(['course 31']);
  for (const entry of [31, '31', { course_id: 31 }, { id: 9001, course_id: 31 }]) {
    expect(refsOf(withCourses([entry]))).toEqual([]);
    expect(unreadOf(withCourses([entry]))).toEqual(['course']);
  }
});

const unreadForms: [form: string, bundles: unknown][] = [
  ['a title', ['All']],
  ['{title}', [{ title: 'All', slug: 'all' }]],
  ['a row without the id of a product', [{ id: 9001, order_id: 5, title: 'All' }]],
  ['a row with a product', [{ id: 9001, bundle: { id: 31 } }]],
  ['a row with the id of a product', [{ id: 9001, productId: 31 }]],
  ['an entry of another kind', [{ id: 31, type: 'course' }]],
  ['titles in one text', 'All, More'],
  ['null as an entry', [null]],
  ['an id that is none', [{ id: 'bundle_31' }]],
  ['0', [0]],
  ['a fraction', [3.1]],
  ['a map', { 31: 'All' }],
  ['a list under data', { data: [{ id: 31 }] }],
  ['a number', 3],
];

test('a list in another form counts as unread, not as empty', () => {
  for (const [form, bundles] of unreadForms) {
    expect(refsOf(withBundles(bundles)), form).toEqual([]);
    expect(unreadOf(withBundles(bundles)), form).toEqual(['bundle']);
  }
});

test('an entry that can be read is kept beside one that cannot', () => {
  const order = withBundles([{ id: 31 }, 'More']);
  expect(refsOf(order)).toEqual(['bundle 31']);
  expect(unreadOf(order)).toEqual(['bundle']);
});

test('empty lists are readable, and those left out beside others are empty', () => {
  expect(unreadOf(withBundles([]))).toEqual([]);
  expect(unreadOf({ courses: [{ id: 1 }], tags: ['a'], custom: { deep: [1] }, coupon: null })).toEqual([]);
  expect(unreadOf({ courses: [{ id: 1 }], bundles: null })).toEqual([]);
});

test('an order without any list could not be read', () => {
  for (const order of [{}, { courses: null, bundles: null, digital_products: null }, { courses: '' }]) {
    expect(unreadOf({ amount: '49.00', ...order })).toEqual(all);
  }
  for (const lines of [{ line_items: [{ type: 'course', product_id: 21 }] }, { course_ids: [1], bundle_ids: [2] }]) {
    expect(unreadOf(lines)).toEqual(all);
  }
});

test('a field that may hold products makes a missing list unread, and all lists if they are empty', () => {
  for (const more of [{ packages: [{ id: 2 }] }, { bundle_id: 2 }, { items: [{ sku: 'x' }] }, { offers: [{ id: 2 }] }])
    expect(unreadOf({ courses: [{ id: 1 }], ...more })).toEqual(['bundle', 'digital_product']);
  expect(unreadOf({ ...withBundles([{ id: 3 }]), line_items: [{ id: 2 }] })).toEqual([]);
  expect(unreadOf({ ...withBundles([]), line_items: [{ id: 2 }] })).toEqual(all);
});

test('an undocumented field whose key speaks of a refund or the like marks the order', () => {
  expect(orderMarks({ id: 'a', refunded_at: '2026-11-01T00:00:00Z' })).toEqual(['refunded_at']);
  expect(orderMarks({ isTest: true, chargebackId: 7 })).toEqual(['isTest', 'chargebackId']);
  expect(orderMarks({ payment: { dispute: { id: 4 } } })).toEqual(['payment.dispute']);
  const words = [
    { refunded: true, refund_status: 'full', chargeback: true, chargeback_at: 'x', charged_back: true, fraud: true },
    { dispute_status: 'under_review', cancelled_at: 'x', canceled: 1, voided: 'yes', isVoid: true, deleted_at: 'x' },
    { revoked_by: 'Ann', revoked: 'true', is_test: 'true', reversed_at: 'x', credit_note_id: 'cn_1', removed_at: 'x' },
  ];
  for (const order of words) expect(orderMarks(order)).toEqual(Object.keys(order));
});

test('an undocumented status, kind or mode whose word speaks of a refund or a test marks the order', () => {
  expect(orderMarks({ payment_status: 'partially_refunded', type: 'refund' })).toHaveLength(2);
  expect(orderMarks({ financial_status: 'voided', mode: 'test', payment: { status: 'refunded' } })).toHaveLength(3);
  expect(orderMarks({ payment: { state: 'chargedBack' }, environment: 'test', livemode: false })).toHaveLength(3);
  expect(orderMarks({ fraudulent: 1 })).toEqual(['fraudulent']);
});

test('an empty mark, a rule and a documented field mark nothing', () => {
  const empty = { refunded_at: null, refunded: false, refunds: [], refunded_amount: '0.00', dispute: { id: null } };
  expect(orderMarks({ ...empty, cancelled: 'no', refund_status: 'not_refunded', void: 0 })).toEqual([]);
  expect(orderMarks({ refund_status: 'none', chargeback_at: '', canceled: 0, voided: 'no', isVoid: false })).toEqual(
    [],
  );
  expect(orderMarks({ mode: 'live', financial_status: 'paid', payment: { status: 'succeeded' } })).toEqual([]);
  expect(orderMarks({ refundable: true, can_refund: true, refund_until: '2027-01-01', latest_login: 'x' })).toEqual([]);
  expect(orderMarks({ ticket_type: 'refundable', livemode: true, live: null, note: 'test', kind: 'sale' })).toEqual([]);
  expect(orderMarks({ description: 'A refund', status: 'paid' })).toEqual([]);
});

test('an amount has the decimal places of its currency', () => {
  expect(fitsCurrency('49.00', 'usd')).toBe(true);
  expect(fitsCurrency('4900', 'JPY')).toBe(true);
  expect(fitsCurrency('19.990', 'CLP')).toBe(false);
  expect(fitsCurrency('4900', 'USD')).toBe(false);
  expect(fitsCurrency('0', 'USD')).toBe(true);
  expect(fitsCurrency('4900', undefined)).toBe(true);
  expect(fitsCurrency('4900', 'nothing')).toBe(true);
});
